"""What is played: positions, games, books, data sets, models, matches."""
