"""``c4 bench``."""
