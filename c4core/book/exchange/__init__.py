"""Books in formats of others, read and written."""
