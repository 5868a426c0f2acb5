"""The number of positions of a board, ply by ply, by decision diagrams.

No position is visited alone: a ply's positions are one diagram, and a move is an operation on it
(docs/counting.md).

- ``plies``: the count;
- ``diagram``: sets of positions, and what is done with them;
- ``steps``, ``keys``: one level of an operation, in C, and the table of its states;
- ``kept``: a count that is not done, as a file;
- ``errors``.

>>> from c4core.counting import begin, count
>>> [progress.plies[-1].positions for progress in count(begin(3, 2))]
[3, 9, 21, 33, 30, 19]
"""

from c4core.counting.plies import PlyCount, Progress, begin, count

__all__ = ["PlyCount", "Progress", "begin", "count"]
