"""Bodies of requests: read as a whole or line by line, and what of them waits on disk."""
