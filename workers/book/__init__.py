"""Opening books.

``task`` defines the positions that one job of kind ``book`` solves; ``job`` creates, works on and
reads such jobs. ``build`` makes the file of a book. ``reading`` queries a finished book.
"""
