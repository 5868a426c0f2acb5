"""Data sets: positions with exact labels, for programs that learn.

``random_play`` and ``drawing`` find positions, ``lots`` decides by a hash of a position what
becomes of it, ``records`` makes the columns, ``npz``, ``parquet`` and ``jsonl`` are the files,
``card`` says how a data set was made, and ``checking`` whether its files agree with that.
"""
