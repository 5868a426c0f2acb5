"""The training and strength of players that learn."""
