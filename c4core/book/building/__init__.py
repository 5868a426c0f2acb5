"""Making a book: scores of a ply from those of the next one, and units of work."""
