"""``c4 players``: who can play."""
