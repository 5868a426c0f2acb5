"""Count the positions of a board, ply by ply, with decision diagrams.

Positions are not visited one by one: the positions of a ply are one diagram, and a move is an
operation on it (docs/counting.md).

- ``diagram``: sets of positions, operations on them, and the count;
- ``steps``: one level of an operation, in C, and the table of its states.

>>> from c4core.counting import count
>>> from c4core.notation import BoardSize
>>> [ply.positions for ply in count(BoardSize(3, 2))]
[1, 3, 9, 21, 33, 30, 19]
"""

from c4core.counting.diagram import PlyCount, count

__all__ = ["PlyCount", "count"]
