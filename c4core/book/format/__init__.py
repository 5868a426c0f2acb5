"""The bytes of a book file (docs/book-format.md)."""
