"""Opening books.

``job`` defines the positions that one job of kind ``book`` solves, and creates, works on and reads
such jobs. ``build`` makes the file of a book. ``reading`` queries a finished book.
"""
