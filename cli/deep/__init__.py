"""``c4 deep``: the value of one hard position, by all workers together."""
