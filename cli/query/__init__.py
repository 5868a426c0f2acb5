"""``c4 query``."""
