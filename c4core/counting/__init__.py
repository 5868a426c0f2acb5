"""Count the positions of a board, ply by ply, with decision diagrams.

Positions are not visited one by one: the positions of a ply are one diagram, and a move is an
operation on it (docs/counting.md).

- ``diagram``: sets of positions, operations on them, the count, and the file that keeps it;
- ``steps``: one level of an operation, in C, and the table of its states.

>>> from c4core.counting import begin, count
>>> [progress.plies[-1].positions for progress in count(begin(3, 2))]
[3, 9, 21, 33, 30, 19]
"""

from c4core.counting.diagram import PlyCount, Progress, begin, count, load_count, save_count

__all__ = ["PlyCount", "Progress", "begin", "count", "load_count", "save_count"]
