"""What storage returns and takes: plain values, which need no SQLAlchemy."""
