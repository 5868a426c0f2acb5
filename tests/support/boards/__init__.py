"""Positions, games, books, data sets, models and matches for tests."""
