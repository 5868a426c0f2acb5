"""``c4 games``: games that are stored."""
