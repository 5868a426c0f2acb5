"""``c4 analyze``."""
