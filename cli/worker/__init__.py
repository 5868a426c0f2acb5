"""``c4 worker``."""
