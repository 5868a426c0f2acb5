"""Scores of a book from ply to ply, and the work that building one is cut into."""
