"""Jobs of kind ``deep``: many workers together prove the value of one position.

``tree`` splits the position into pieces: "does this sub-position score at least beta?" Each piece
is a unit of the job (``task``). ``job`` works on units and plans the next ones; meanwhile the
processes share their most expensive bounds (``sharing``). ``answer`` reads the progress and the
result of the job.
"""
