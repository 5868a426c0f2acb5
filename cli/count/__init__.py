"""``c4 count``: how many positions a board has."""
