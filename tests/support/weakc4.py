"""Small solutions in WeakC4's format, and a slow check of them."""

from __future__ import annotations

import json
import random
from itertools import product
from typing import TYPE_CHECKING

from c4core.errors import CertificateError
from c4core.notation import format_moves
from c4core.proof.weakc4 import KnownMoves, follow
from c4core.solver import Solver

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
    """A game on lists of stones, without bits, for an independent check of solutions."""

    def __init__(self, board: BoardSize, moves: str) -> None:
        self.board = board
        self.piles: list[list[int]] = [[] for _ in range(board.width)]
        self.turn = 0
        for move in moves:
            self.play(int(move) - 1)

    def play(self, column: int) -> None:
        self.piles[column].append(self.turn)
        self.turn = 1 - self.turn

    def take_back(self, column: int) -> None:
        self.piles[column].pop()
        self.turn = 1 - self.turn

    def legal(self) -> list[int]:
        return [c for c, pile in enumerate(self.piles) if len(pile) < self.board.height]

    def wins(self, column: int, side: int) -> bool:
        """Whether a stone in the column makes four for the side."""
        row = len(self.piles[column])

        def run(right: int, up: int) -> int:
            x, y, length = column + right, row + up, 0
            while 0 <= x < self.board.width and 0 <= y < len(self.piles[x]):
                if self.piles[x][y] != side:
                    break
                x, y, length = x + right, y + up, length + 1
            return length

        lines = ((1, 0), (0, 1), (1, 1), (1, -1))
        return any(run(x, y) + run(-x, -y) >= 3 for x, y in lines)

    def chosen(self, rows: Rows) -> int | None:
        """The column that a diagram names if the side to move cannot win at once."""
        for column in self.legal():
            if self.wins(column, 1 - self.turn):
                return column
        marks = [(rows[-1 - len(self.piles[column])][column], column) for column in self.legal()]
        alone = [each for each in marks if sum(each[0] == mark for mark, _ in marks) == 1]
        return min(alone)[1] if alone else None

    def position(self) -> tuple[tuple[int, ...], ...]:
        """The piles, the same for both mirror images."""
        piles = tuple(tuple(pile) for pile in self.piles)
        return min(piles, piles[::-1])


class _SlowCheck:
    """A solution played against every reply, without remembering positions."""

    def __init__(
        self, entries: Entries, diagrams: list[Rows], board: BoardSize, start: str
    ) -> None:
        self.game = SlowGame(board, start)
        self.diagrams = diagrams
        self.known: dict[object, tuple[list[list[int]], object]] = {}
        for moves, value in entries.items():
            entry = SlowGame(board, moves)
            self.known[entry.position()] = (entry.piles, value)

    def chosen(self, rows: Rows | None) -> tuple[int | None, Rows | None]:
        """The column to play, and the active diagram."""
        game = self.game
        if rows is not None:
            return game.chosen(rows), rows
        piles, value = self.known.get(game.position(), (None, None))
        if isinstance(value, int):
            rows = self.diagrams[value]
            rows = rows if piles == game.piles else [row[::-1] for row in rows]
            return game.chosen(rows), rows
        if value is None:
            return None, None
        column = int(str(value)) - 1
        return column if piles == game.piles else game.board.width - 1 - column, None

    def wins(self, rows: Rows | None) -> bool:
        game = self.game
        if any(game.wins(column, game.turn) for column in game.legal()):
            return True
        column, rows = self.chosen(rows)
        if column is None:
            return False
        game.play(column)
        won = bool(game.legal()) and all(self.answers(reply, rows) for reply in game.legal())
        game.take_back(column)
        return won

    def answers(self, reply: int, rows: Rows | None) -> bool:
        if self.game.wins(reply, self.game.turn):
            return False
        self.game.play(reply)
        won = bool(self.game.legal()) and self.wins(rows)
        self.game.take_back(reply)
        return won


def slowly_wins(entries: Entries, diagrams: list[Rows], board: BoardSize, start: str) -> bool:
    """Whether a solution wins against every reply."""
    return _SlowCheck(entries, diagrams, board, start).wins(None)
