"""``c4 analyze``, ``c4 jobs`` and ``c4 status``: batches of work, and how they are doing."""
