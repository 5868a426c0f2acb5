"""Opening books: files with the exact scores of positions with few stones.

>>> from importlib.resources import files
>>> from c4core import Book, Position
>>> book = Book.open(files("c4core") / "data" / "c4-7x6-ply12.c4book")
>>> book.probe(Position("4453"))
-2
"""

from c4core.book.book import Book

__all__ = ["Book"]
