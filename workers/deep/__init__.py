"""The kind of job that is called ``deep``: many workers together prove one position's value.

The position's tree is split into pieces: "does this sub-position score at least so much?"
(``tree``, ``ordering``). A piece is a unit of the job (``units``), which a worker asks its solver
(``asking``); meanwhile the processes share what has cost them the most (``sharing``), and who waits
for the answer remembers it (``heard``). Whoever completes a unit plans the next ones in the same
transaction (``planning``, ``memory``). A process keeps what it knows about the newest jobs
(``newest_jobs``). ``task`` says what the job is about, ``progress`` how far it is, ``answer`` what
it has found, ``proof`` checks that; ``kind`` puts these together.
"""
