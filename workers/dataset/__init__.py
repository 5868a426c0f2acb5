"""Data sets: positions of stored games, labelled by a job like any other analysis."""
