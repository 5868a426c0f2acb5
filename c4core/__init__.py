"""The engine: positions, the exact solver and notation. It does not depend on SQL or jobs.

>>> from c4core import Position, Solver
>>> Solver().solve(Position("4453")).score
-2
"""

from c4core.book import Book
from c4core.errors import BoardError, C4Error, GridError, KeyValueError, MoveError
from c4core.evaluation import Analysis, Evaluation
from c4core.notation import BoardSize, format_moves, parse_board, parse_moves
from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION, __version__

__all__ = [
    "ENGINE_VERSION",
    "Analysis",
    "BoardError",
    "BoardSize",
    "Book",
    "C4Error",
    "Evaluation",
    "GridError",
    "KeyValueError",
    "MoveError",
    "Position",
    "Solver",
    "__version__",
    "format_moves",
    "parse_board",
    "parse_moves",
]
