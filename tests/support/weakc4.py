"""Small solutions in WeakC4's format, and a slow check of them."""

from __future__ import annotations

import copy
import json
import random
from itertools import product
from typing import TYPE_CHECKING

from c4core.errors import CertificateError
from c4core.notation import format_moves
from c4core.proof.weakc4 import KnownMoves, follow
from c4core.solver import Solver
from tests.support.boards.reference import DIRECTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.notation import BoardSize
    from c4core.position import Position
    from c4core.proof.weakc4 import Diagram

Rows = list[str]
Entries = dict[str, object]


def random_rows(board: BoardSize, dice: random.Random, *, levels: str = "012345") -> Rows:
    return ["".join(dice.choices(levels, k=board.width)) for _ in range(board.height)]


def squares_of(rows: Rows) -> Diagram:
    """The rows as the squares of each level."""
    height = len(rows)
    levels = [0] * 16
    for (place, row), column in product(enumerate(rows), range(len(rows[0]))):
        levels[int(row[column], 16)] |= 1 << column * (height + 1) + height - 1 - place
    return tuple(levels)


def small_solution(
    start: Position, *, seed: int = 1, tries: int = 60
) -> tuple[Entries, list[Rows]]:
    """Entries and diagrams with which the side to move at the start wins.

    A random diagram that wins takes over; elsewhere the solver's move is an entry.
    """
    dice = random.Random(seed)
    solver = Solver(table_mb=1)
    entries: Entries = {}
    diagrams: list[Rows] = []
    seen: set[int] = set()
    left = [start]
    while left:
        position = left.pop()
        if position.canonical_key in seen:
            continue
        seen.add(position.canonical_key)
        columns = position.legal_columns()
        if any(position.is_winning(column) for column in columns):
            continue
        rows = _lucky(position, dice, tries)
        if rows is not None:
            entries[position.moves or ""] = len(diagrams)
            diagrams.append(rows)
            continue
        best = solver.analyze(position).best[0]
        entries[position.moves or ""] = format_moves([best])
        after = position.play(best)
        left += [after.play(reply) for reply in after.legal_columns()]
    return entries, diagrams


def _lucky(position: Position, dice: random.Random, tries: int) -> Rows | None:
    for _ in range(tries):
        rows = random_rows(position.board, dice)
        try:
            follow(position, squares_of(rows), KnownMoves(position.board))
        except CertificateError:
            continue
        return rows
    return None


def write_solution(folder: Path, entries: object, diagrams: object) -> tuple[Path, Path]:
    paths = folder / "entries.json", folder / "diagrams.json"
    for path, content in zip(paths, (entries, diagrams), strict=True):
        path.write_text(json.dumps(content))
    return paths


class SlowGame:
    """A game on texts of stones, without bits, for an independent check of solutions."""

    def __init__(self, board: BoardSize, moves: str) -> None:
        self.board, self.turn = board, 0
        self.piles = ("",) * board.width
        for move in moves:
            self.play(int(move) - 1)

    def play(self, column: int) -> None:
        pile = f"{self.piles[column]}{self.turn}"
        self.piles = (*self.piles[:column], pile, *self.piles[column + 1 :])
        self.turn = 1 - self.turn

    def after(self, column: int) -> SlowGame:
        game = copy.copy(self)
        game.play(column)
        return game

    def legal(self) -> list[int]:
        return [c for c, pile in enumerate(self.piles) if len(pile) < self.board.height]

    def wins(self, column: int, side: int) -> bool:
        """Whether a stone in the column makes four for the side."""

        def run(right: int, up: int) -> int:
            x, y, length = column + right, len(self.piles[column]) + up, 0
            while 0 <= x < self.board.width and y >= 0 and self.piles[x][y : y + 1] == str(side):
                x, y, length = x + right, y + up, length + 1
            return length

        return any(run(x, y) + run(-x, -y) >= 3 for x, y in DIRECTIONS)

    def chosen(self, rows: Rows) -> int | None:
        """The column that a diagram names if the side to move cannot win at once."""
        for column in self.legal():
            if self.wins(column, 1 - self.turn):
                return column
        marks = [(rows[-1 - len(self.piles[column])][column], column) for column in self.legal()]
        alone = [each for each in marks if sum(each[0] == mark for mark, _ in marks) == 1]
        return min(alone)[1] if alone else None


def slowly_wins(entries: Entries, diagrams: list[Rows], board: BoardSize, start: str) -> bool:
    """Whether a solution wins against every reply; positions are not remembered."""
    known: dict[object, tuple[int, object]] = {}
    for moves, value in entries.items():
        piles = SlowGame(board, moves).piles
        known |= {piles[::-1]: (-1, value), piles: (1, value)}

    def chosen(game: SlowGame, rows: Rows | None) -> tuple[int | None, Rows | None]:
        """The column to play, and the active diagram."""
        if rows is not None:
            return game.chosen(rows), rows
        step, value = known.get(game.piles, (1, None))
        if isinstance(value, int):
            rows = [row[::step] for row in diagrams[value]]
            return game.chosen(rows), rows
        return (None if value is None else range(board.width)[::step][int(str(value)) - 1]), None

    def wins(game: SlowGame, rows: Rows | None) -> bool:
        if any(game.wins(column, game.turn) for column in game.legal()):
            return True
        column, rows = chosen(game, rows) if game.legal() else (None, rows)
        if column is None:
            return False
        after = game.after(column)
        return bool(after.legal()) and all(
            not after.wins(reply, after.turn) and wins(after.after(reply), rows)
            for reply in after.legal()
        )

    return wins(SlowGame(board, start), None)
