"""The kind of job that is called ``deep``: many workers together prove one position's value.

``tree`` splits the position into pieces: "does this sub-position score at least so much?" A piece
is a unit of the job (``task``). ``job`` works on units and plans the next ones; meanwhile the
processes share what has cost them the most (``sharing``). ``answer`` is how far the job is, and
what it has found.
"""
