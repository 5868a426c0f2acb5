"""``c4 engine``."""
