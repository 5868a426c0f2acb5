"""The costs of pieces, which are measured once and kept in a file for the simulation."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from c4core.position import Position
from c4core.solver import Solver
from workers.deep.asking import ask
from workers.deep.tree import Bounds, Piece, first_bounds

if TYPE_CHECKING:
    from pathlib import Path


class Cost(NamedTuple):
    """The result and the cost of a piece's search."""

    bounds: Bounds
    nodes: int
    is_hard: bool


class UnknownPieceError(Exception):
    """A piece was not measured, and new measurements are not allowed."""


@dataclass
class Costs:
    """The costs of one position's pieces.

    Every piece is searched with an empty table, so that its cost does not depend on earlier
    searches. Real workers keep their tables from one piece to the next, so they are faster.
    """

    board: str
    moves: str
    unit_nodes: int
    single_nodes: int
    """Nodes of one search of the whole position by one thread."""
    score: int
    table_mb: int
    pieces: dict[Piece, Cost] = field(default_factory=dict)
    may_measure: bool = False
    """Whether unknown pieces are searched."""

    @property
    def start(self) -> Position:
        """The position."""
        width, height = map(int, self.board.split("x"))
        return Position(self.moves, width=width, height=height)

    @classmethod
    def measured(cls, start: Position, moves: str, *, unit_nodes: int, table_mb: int) -> Costs:
        """The costs of a position; searches it as a whole, but none of its pieces."""
        found = Solver(table_mb=table_mb).solve(start)
        return cls(
            str(start.board),
            moves,
            unit_nodes,
            found.nodes,
            found.lower,
            table_mb,
            may_measure=True,
        )

    def cost(self, piece: Piece) -> Cost:
        """The cost of a piece.

        Raises:
            UnknownPieceError: it was not measured, and new measurements are not allowed.
        """
        known = self.pieces.get(piece)
        if known is None:
            if not self.may_measure:
                raise UnknownPieceError(f"{piece} of {self.moves!r} on {self.board}")
            known = self.pieces[piece] = self._measure(piece)
        return known

    def write(self, path: Path) -> None:
        """Write the file."""
        fields = {name: getattr(self, name) for name in _FIELDS}
        rows = [
            [piece.key, piece.beta, *cost.bounds, cost.nodes, int(cost.is_hard)]
            for piece, cost in sorted(self.pieces.items())
        ]
        lines = ",\n".join(map(json.dumps, rows))
        head = json.dumps(fields, indent=1)[:-2]
        path.write_text(f'{head},\n "pieces": [\n{lines}\n]}}\n', encoding="ascii")

    @classmethod
    def read(cls, path: Path) -> Costs:
        """Read a file that :meth:`write` made.

        Raises:
            ValueError: the file has another content.
        """
        try:
            kept = json.loads(path.read_text(encoding="ascii"))
            pieces = {
                Piece(key, beta): Cost(Bounds(lower, upper), nodes, bool(is_hard))
                for key, beta, lower, upper, nodes, is_hard in kept["pieces"]
            }
            return cls(**{name: kept[name] for name in _FIELDS}, pieces=pieces)
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path} has no costs of pieces: {error}") from None

    def _measure(self, piece: Piece) -> Cost:
        width, height = self.start.board
        position = Position.from_key(piece.key, width=width, height=height)
        finding = ask(
            position,
            piece.beta,
            Solver(table_mb=self.table_mb),
            known=first_bounds(position),
            node_limit=self.unit_nodes,
        )
        return Cost(finding.bounds, finding.nodes, finding.is_hard)


_FIELDS = ("board", "moves", "unit_nodes", "single_nodes", "score", "table_mb")
