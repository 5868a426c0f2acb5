"""Whether a database holds what it promises: its tables, its rows, and what they mean."""
