"""``c4 match`` and ``c4 tournament``: games between players, and what they have come to."""
