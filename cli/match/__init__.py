"""``c4 match`` and ``c4 tournament``: games between players."""
