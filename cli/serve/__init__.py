"""``c4 serve``."""
