"""Data sets: positions with exact labels, for programs that learn.

- ``draw`` draws a sample of positions; the caller labels them.
- ``card`` divides them into parts with ``lots``, and makes their ``records`` and the card.
- ``writing`` writes the files, and ``reading`` reads and checks them.
- ``exchange`` reads and writes the formats of public evaluation sets.
"""
