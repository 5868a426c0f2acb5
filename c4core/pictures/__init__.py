"""Pictures of boards and games: SVG without extra packages, PNG and GIF by resvg and Pillow.

:mod:`~c4core.pictures.board` draws a position. :mod:`~c4core.pictures.games` draws a game, as an
animation or with its scores. A :class:`~c4core.pictures.svg.Picture` has shapes in a plane;
:mod:`~c4core.pictures.svg` and :mod:`~c4core.pictures.raster` write it.

:func:`~c4core.pictures.board.board_svg` draws a position with its scores and threats in one call.
"""

from c4core.pictures.board import BoardMarks, board_picture, board_svg
from c4core.pictures.svg import Picture

__all__ = ["BoardMarks", "Picture", "board_picture", "board_svg"]
