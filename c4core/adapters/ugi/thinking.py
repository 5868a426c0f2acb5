"""Finding a move for UGI: by exact scores, or by a look some plies ahead."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.evaluation import plies_to_end
from c4core.notation import column_label, format_moves
from c4core.players.player import columns_from_centre

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.adapters.ugi.reading import Go
    from c4core.players import Stop
    from c4core.position import Position
    from c4core.solver import Solver

PLIES_AHEAD: Final = 8
"""What is looked at before a search that may not end in time; it takes a few milliseconds."""
LINE_NODES: Final = 1_000_000
"""Nodes for the line of play after the best move, at most: it must not delay the move much."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A move, and what is known of the position."""

    column: int
    """The best one known, 0-based."""
    lines: tuple[str, ...]
    """What the engine says before it names the move."""


class Spent:
    """The limits of one search: seconds, nodes, and whether it is to stop.

    Args:
        seconds: that it may take; None for no limit.
        nodes: that it may visit; None for no limit.
        stop: ends it.
    """

    def __init__(self, seconds: float | None, nodes: int | None, stop: Stop) -> None:
        self.begun = time.monotonic()
        self.nodes = 0
        self.stop = stop
        self._end = None if seconds is None else self.begun + seconds
        self._most = nodes

    @property
    def seconds_left(self) -> float | None:
        """Seconds that are left; None for no limit."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    @property
    def nodes_left(self) -> int | None:
        """Nodes that are left; None for no limit."""
        return None if self._most is None else max(self._most - self.nodes, 0)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left, or somebody has asked to stop."""
        return self.stop.is_over or self.nodes_left == 0 or self.seconds_left == 0


def think(solver: Solver, position: Position, go: Go, stop: Stop) -> Thought:
    """The best move that can be found within limits, the one nearest to the centre of several.

    Args:
        solver: searches.
        position: not over.
        go: the limits.
        stop: ends the search with what is known by then.
    """
    spent = Spent(go.seconds(position), go.nodes, stop)
    with stop.calling(solver.stop):
        if go.depth is not None:
            scores = look_ahead(solver, position, go.depth, spent)
            column = _choice(position, scores)
            score = scores[column]
        else:
            ahead = look_ahead(solver, position, PLIES_AHEAD, spent)
            found = solver.analyze(
                position, time_limit=spent.seconds_left, node_limit=spent.nodes_left
            )
            spent.nodes += found.nodes
            score = found.score if found.best else None
            scores = found.scores if found.best else _either(found.scores, ahead)
            column = _choice(position, scores)
            if score is None:
                bounds = f"info string score from {found.lower} to {found.upper}"
                return Thought(column, (_measures(spent), bounds, _columns_line(scores)))
        if score is None:
            nothing = f"info string nothing is decided within {go.depth} plies"
            return Thought(column, (_measures(spent), nothing, _columns_line(scores)))
        line = _line_of_play(solver, position, column, spent)
    return Thought(column, (_info(position, score, line, spent), _columns_line(scores, score)))


def look_ahead(
    solver: Solver, position: Position, plies: int, spent: Spent
) -> tuple[int | None, ...]:
    """The exact scores of the columns after which the game can be ended within some plies.

    Each question is a null window that only games so short can answer, so a small number of plies
    takes little time on every board.

    Returns:
        One score per column for the side to move; None where the column cannot be played, or
        neither side can force an end within so many plies.
    """
    return tuple(
        _decided(solver, position.play(column), plies - 1, spent)
        if position.is_legal(column)
        else None
        for column in range(position.width)
    )


def _decided(solver: Solver, child: Position, plies: int, spent: Spent) -> int | None:
    """The score of a child, for the side that has moved into it, if its game ends so soon."""
    cells = child.width * child.height
    if child.is_over:
        return 0 if child.winner is None else (cells + 2 - child.ply) // 2
    for ply in range(1, min(plies, cells - child.ply) + 1):
        if spent.is_over:
            return None
        score = (cells + 2 - child.ply - ply) // 2  # of who plays the last stone
        wins = ply % 2 == 1  # the side to move plays the odd plies from here
        found = solver.test(
            child,
            score if wins else 1 - score,
            time_limit=spent.seconds_left,
            node_limit=spent.nodes_left,
        )
        spent.nodes += found.nodes
        if wins and found.lower >= score:
            return -score
        if not wins and found.upper <= -score:
            return score
    return 0 if plies >= cells - child.ply and not spent.is_over else None


def _either(scores: Sequence[int | None], others: Sequence[int | None]) -> tuple[int | None, ...]:
    """The scores of columns that are known on one side or on the other."""
    return tuple(
        other if score is None else score for score, other in zip(scores, others, strict=True)
    )


def _choice(position: Position, scores: Sequence[int | None]) -> int:
    """The column to play: a sure win or draw, else one that is not known to lose."""

    def worth(column: int) -> float:
        score = scores[column]
        return -0.5 if score is None else score

    columns = (column for column in columns_from_centre(position.width))
    return max((column for column in columns if position.is_legal(column)), key=worth)


def _line_of_play(solver: Solver, position: Position, column: int, spent: Spent) -> tuple[int, ...]:
    """Best play from a column on, as far as it is known soon."""
    line, left = [column], LINE_NODES
    position = position.play(column)
    while not position.is_over and left > 0 and not spent.is_over:
        most = left if spent.nodes_left is None else min(left, spent.nodes_left)
        found = solver.analyze(position, time_limit=spent.seconds_left, node_limit=most)
        spent.nodes += found.nodes
        left -= found.nodes
        if not found.best:
            break
        line.append(_choice(position, found.scores))
        position = position.play(line[-1])
    return tuple(line)


def _info(position: Position, score: int, line: Sequence[int], spent: Spent) -> str:
    """An exact score as UCI writes it: the moves of the winner until the end."""
    plies = plies_to_end(score, position.ply, *position.board)
    moves = (plies + 1) // 2 if score > 0 else -(plies // 2)
    shown = f"mate {moves}" if score else "cp 0"
    played = " ".join(format_moves([column]) for column in line)
    measures = _measures(spent).removeprefix("info ")
    return f"info depth {plies} score {shown} {measures} pv {played}"


def _measures(spent: Spent) -> str:
    """What a search has taken."""
    milliseconds = int((time.monotonic() - spent.begun) * 1000)
    return f"info nodes {spent.nodes} time {milliseconds}"


def _columns_line(scores: Sequence[int | None], score: int | None = None) -> str:
    """The scores as this project counts them, of all columns that are known."""
    known = [
        f"{column_label(column)}:{value}"
        for column, value in enumerate(scores)
        if value is not None
    ]
    own = "" if score is None else f"score {score} "
    return f"info string {own}columns {' '.join(known) or 'unknown'}"
