"""Opening books: files with the exact scores of positions with few stones.

>>> from c4core import Book, Position
>>> Book.open("c4-7x6-ply8.c4book").probe(Position("4453"))  # doctest: +SKIP
0
"""

from c4core.book.reader import NOT_IN_BOOK, Book

__all__ = ["NOT_IN_BOOK", "Book"]
