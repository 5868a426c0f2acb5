"""The plain values that storage takes and returns; they do not need SQLAlchemy."""
