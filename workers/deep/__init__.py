"""The kind of job that is called ``deep``: many workers together prove one position's value.

The position's tree is split into pieces: "does this sub-position score at least so much?"
(``tree``, ``ordering``). A piece is a unit of the job (``units``), which a worker asks its solver
(``asking``). Whoever completes a unit plans the next ones in the same transaction (``planning``,
``memory``). ``task`` says what the job is about, ``progress`` how far it is, ``answer`` what it has
found, ``proof`` checks that; ``kind`` puts these together.
"""
