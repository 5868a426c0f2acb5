"""Pictures of boards and games, as SVG without extra packages, and as PNG and GIF with Pillow.

:mod:`~c4core.pictures.board` draws a position, :mod:`~c4core.pictures.games` a game as it was
played, or with the score by move. They return a :class:`~c4core.pictures.svg.Picture`: shapes in
a plane, which :mod:`~c4core.pictures.svg` and :mod:`~c4core.pictures.raster` write.

:func:`~c4core.pictures.board.board_svg` draws a position with its scores and threats in one call.
"""

from c4core.pictures.board import BoardMarks, board_picture, board_svg
from c4core.pictures.svg import Picture

__all__ = ["BoardMarks", "Picture", "board_picture", "board_svg"]
