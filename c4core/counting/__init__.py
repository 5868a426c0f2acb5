"""The number of positions of a board, ply by ply, by decision diagrams.

No position is visited alone: the positions of a ply are one diagram, and a move is an operation on
it (docs/counting.md).

- ``diagram``: sets of positions, operations on them, and the count;
- ``steps``: one level of an operation, in C, and the table of its states;
- ``kept``: the file that keeps a count which is not done.

>>> from c4core.counting import begin, count
>>> [progress.plies[-1].positions for progress in count(begin(3, 2))]
[3, 9, 21, 33, 30, 19]
"""

from c4core.counting.diagram import PlyCount, Progress, begin, count

__all__ = ["PlyCount", "Progress", "begin", "count"]
