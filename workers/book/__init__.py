"""Opening books.

``task`` says what one job of kind ``book`` has to solve, ``job`` makes, works on and reads such
jobs. ``build`` leads from a book's plies to its file. ``reading`` queries a finished book.
"""
