"""Plain values that storage takes and returns; they need no SQLAlchemy."""
