"""``c4 solve``."""
