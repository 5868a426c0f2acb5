"""``c4 jobs`` and ``c4 status``: what jobs there are, and how they are doing."""
