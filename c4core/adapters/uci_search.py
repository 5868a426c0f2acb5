"""The search of the engine, in a thread of its own, and its limits (``go``).

Exact scores decide the move or, if they are not known in time, a search of a few plies.
"""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from c4core.adapters.uci_notation import NO_MOVE, LineError, drops, quoted
from c4core.errors import C4Error
from c4core.evaluation import bounds_text, exact_bounds, final_score, plies_to_end
from c4core.notation import column_label
from c4core.players import Stop
from c4core.players.deciding import MOST_GAMES, SEARCH_SHARE, strongest_columns
from c4core.players.player import columns_from_centre

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.evaluation import ColumnBounds
    from c4core.position import Position
    from c4core.solver import Solver

PLIES_AHEAD: Final = 8
"""The depth in plies of a first search, which takes a few milliseconds. The exact search after it
may not end in time."""
LINE_NODES: Final = 1_000_000
"""The node limit of the principal variation, which must not delay the move much."""
STOP_SECONDS: Final = 0.02
"""Seconds between two calls to stop a search. A search that has just begun may miss the first."""
RESERVE: Final = 20
"""Milliseconds of a move's time reserved for sending the move, but at most half of the time."""
INFINITE: Final = "infinite"

_NUMBER: Final = re.compile("-?[0-9]{1,15}")


@dataclass(frozen=True, slots=True)
class Go:
    """The limits of a search. Without any, it ends with the exact score of every column."""

    movetime: int | None = None
    nodes: int | None = None
    """The maximum number of positions to visit."""
    depth: int | None = None
    wtime: int | None = None
    """Milliseconds left on the first player's clock."""
    btime: int | None = None
    """Milliseconds left on the second player's clock."""
    winc: int = 0
    """Milliseconds that the first player gains with every move."""
    binc: int = 0
    """Milliseconds that the second player gains with every move."""
    movestogo: int | None = None
    """Moves until the clocks gain time; None if they do not."""
    infinite: bool = False
    """Whether the engine waits for ``stop`` before it answers."""

    def seconds(self, position: Position) -> float | None:
        """Return the time limit of a move in seconds; None for no limit.

        The time on the clock is divided equally among the remaining moves of the game, or among
        the moves until the clock gains time. A move gets at most half of it. ``movetime`` is
        shortened by ``RESERVE``, because the client also counts the time that the answer takes to
        arrive.
        """
        limits = []
        if self.movetime is not None:
            limits.append(max(self.movetime - RESERVE, self.movetime / 2, 0) / 1000)
        is_first = position.turn == "x"
        left = self.wtime if is_first else self.btime
        if left is not None:
            moves = (position.width * position.height - position.ply + 1) // 2
            if self.movestogo is not None:
                moves = min(moves, max(self.movestogo, 1))
            increment = self.winc if is_first else self.binc
            limits.append(max(0, min(left / moves + increment, left / 2)) / 1000)
        return min(limits, default=None)


LIMITS: Final = frozenset(field.name for field in fields(Go))


def read_go(words: Sequence[str]) -> Go:
    """Read the words after ``go``: names of limits and numbers; ``infinite`` has no number."""
    found: dict[str, Any] = {}
    rest = list(words)
    while rest:
        name = rest.pop(0)
        if name not in LIMITS:
            raise LineError(f"go: unknown limit {quoted(name)}; use {', '.join(sorted(LIMITS))}")
        if name in found:
            raise LineError(f"go: {name} is given twice")
        if name == INFINITE:
            found[name] = True
        else:
            found[name] = whole(rest.pop(0) if rest else "", f"go {name}")
    least = {"depth": 1, "nodes": 1}
    for name, low in least.items():
        if found.get(name, low) < low:
            raise LineError(f"go {name}: must be at least {low}, not {found[name]}")
    return Go(**found)


def whole(text: str, what: str) -> int:
    """Read a whole number; ``what`` names it in the message of the :class:`LineError`."""
    if not _NUMBER.fullmatch(text):
        raise LineError(f"{what}: {quoted(text)} is not a whole number")
    return int(text)


class Spent:
    """The time and nodes that a search has used, and its limits; None means no limit."""

    def __init__(self, seconds: float | None, nodes: int | None, stop: Stop) -> None:
        self.begun = time.monotonic()
        self.nodes = 0
        self.stop = stop
        self._end = None if seconds is None else self.begun + seconds
        self._most = nodes

    @property
    def seconds_left(self) -> float | None:
        """The seconds that are left; None for no limit."""
        return None if self._end is None else max(self._end - time.monotonic(), 0.0)

    @property
    def nodes_left(self) -> int | None:
        """The nodes that are left; None for no limit."""
        return None if self._most is None else max(self._most - self.nodes, 0)

    @property
    def is_over(self) -> bool:
        """Whether the time, the nodes or the stop ends the search."""
        return self.stop.is_over or self.nodes_left == 0 or self.seconds_left == 0


def think(solver: Solver, position: Position, go: Go, stop: Stop) -> tuple[int, tuple[str, ...]]:
    """Find the best move within the limits, and the lines to write before it.

    Of several best moves, the one nearest to the centre is chosen. The position must not be over.
    The stop ends the search with the best move known by then.
    """
    spent = Spent(go.seconds(position), go.nodes, stop)
    with stop.calling(solver.stop):
        if go.depth is not None:
            scores = look_ahead(solver, position, go.depth, spent)
            column = _choice(position, scores)
            score = scores[column]
        else:
            ahead = look_ahead(solver, position, PLIES_AHEAD, spent)
            left = spent.seconds_left
            found = solver.analyze(
                position,
                time_limit=None if left is None else SEARCH_SHARE * left,
                node_limit=spent.nodes_left,
            )
            spent.nodes += found.nodes
            score, scores = found.score, found.scores
            if not found.best:
                bounds = _either(found.bounds, ahead)
                column = _strongest(position, bounds, go, spent)
                interval = f"info string score from {found.lower} to {found.upper}"
                return column, (_measures(spent), interval, _columns_line(bounds))
            column = _choice(position, scores)
        if score is None:
            nothing = f"info string nothing is decided within {go.depth} plies"
            return column, (_measures(spent), nothing, _columns_line(exact_bounds(scores)))
        line = _line_of_play(solver, position, column, spent)
    played = drops(position, line)
    return column, (
        _info(position, score, played, spent),
        _columns_line(exact_bounds(scores), score),
    )


def look_ahead(
    solver: Solver, position: Position, plies: int, spent: Spent
) -> tuple[int | None, ...]:
    """Return exact scores of the columns after which a side can force the end within ``plies``.

    Each search has a null window that only such short games can decide, so it takes little time on
    every board if ``plies`` is small.
    """
    return tuple(
        _decided(solver, position.play(column), plies - 1, spent)
        if position.is_legal(column)
        else None
        for column in range(position.width)
    )


def _decided(solver: Solver, child: Position, plies: int, spent: Spent) -> int | None:
    """The child's score for the side that made the move, or None if the game takes more plies."""
    cells = child.width * child.height
    if child.is_over:
        return -final_score(child)
    for ply in range(1, min(plies, cells - child.ply) + 1):
        if spent.is_over:
            return None
        score = (cells + 2 - child.ply - ply) // 2  # for the side that plays the last stone
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


def _either(bounds: ColumnBounds, scores: Sequence[int | None]) -> ColumnBounds:
    """The bounds of columns, with the scores that another search has found."""
    return tuple(
        pair if score is None else (score, score)
        for pair, score in zip(bounds, scores, strict=True)
    )


NODES_PER_GAME: Final = 10
"""Nodes that a search visits in the time of a simulated game."""
FEWEST_GAMES: Final = 2_000
HURRIED_GAMES: Final = 20_000
"""Simulated games after a stop: about 50 ms."""


def _strongest(position: Position, bounds: ColumnBounds, go: Go, spent: Spent) -> int:
    """The column to play if the position is not solved; of several, the nearest to the centre."""
    games, seconds = MOST_GAMES, spent.seconds_left
    if spent.stop.is_over:
        games = HURRIED_GAMES
    elif go.nodes is not None:
        games = max(FEWEST_GAMES, min(MOST_GAMES, go.nodes // NODES_PER_GAME))
    best = strongest_columns(position, bounds, games=games, seconds=seconds)
    return next(column for column in columns_from_centre(position.width) if column in best)


def _choice(position: Position, scores: Sequence[int | None]) -> int:
    """The column to play: a proven win or draw, else an unknown score, else the latest loss."""

    def worth(column: int) -> float:
        score = scores[column]
        return -0.5 if score is None else score

    columns = (column for column in columns_from_centre(position.width))
    return max((column for column in columns if position.is_legal(column)), key=worth)


def _line_of_play(solver: Solver, position: Position, column: int, spent: Spent) -> tuple[int, ...]:
    """The principal variation after a column, as far as a short search finds it."""
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


def _info(position: Position, score: int, played: Sequence[str], spent: Spent) -> str:
    """Write an exact score as UCI does: in moves of the winner until the end."""
    plies = plies_to_end(score, position.ply, position.board)
    moves = (plies + 1) // 2 if score > 0 else -(plies // 2)
    shown = f"mate {moves}" if score else "cp 0"
    measures = _measures(spent).removeprefix("info ")
    return f"info depth {plies} score {shown} {measures} pv {' '.join(played)}"


def _measures(spent: Spent) -> str:
    """Write the nodes and the time of a search."""
    milliseconds = int((time.monotonic() - spent.begun) * 1000)
    return f"info nodes {spent.nodes} time {milliseconds}"


def _columns_line(bounds: ColumnBounds, score: int | None = None) -> str:
    """Write the known scores of columns, on C4's scale; or their bounds, such as ``4:>0``."""
    known = [
        f"{column_label(column)}:{pair[0] if pair[0] == pair[1] else bounds_text(*pair)}"
        for column, pair in enumerate(bounds)
        if pair is not None and not pair[0] < 0 < pair[1]
    ]
    own = "" if score is None else f"score {score} "
    return f"info string {own}columns {' '.join(known) or 'unknown'}"


class Search:
    """A search in a thread of its own. When it ends, it writes its results and then the move.

    ``think`` finds a column and the lines to write before it, until the stop is set. ``tell``
    writes a line.
    """

    def __init__(
        self,
        go: Go,
        position: Position,
        think: Callable[[Position, Go, Stop], tuple[int, tuple[str, ...]]],
        tell: Callable[[str], None],
    ) -> None:
        self.go = go
        self.is_silent = False
        self._think = think
        self._position = position
        self._tell = tell
        self._stop = Stop()
        self._asked = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the move has not been written yet."""
        return self._thread.is_alive()

    def end(self) -> None:
        """Stop the search, and wait until its move has been written."""
        self._asked.set()
        while self._thread.is_alive():
            self._stop.set()
            self._thread.join(STOP_SECONDS)

    def join(self) -> None:
        """Wait for the end of the search."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            column, lines = self._think(self._position, self.go, self._stop)
            (move,) = drops(self._position, [column])
        except (C4Error, MemoryError) as error:
            move = NO_MOVE
            lines = (f"info string error: {in_a_line(str(error) or type(error).__name__)}",)
        except Exception as error:  # noqa: BLE001  (raised again by join)
            self._error = error
            return
        if self.go.infinite:
            self._asked.wait()
        try:
            for line in () if self.is_silent else (*lines, f"bestmove {move}"):
                self._tell(line)
        except Exception as error:  # noqa: BLE001  (raised again by join)
            self._error = error


def in_a_line(text: str) -> str:
    """Put a text on one line, with unprintable characters escaped."""
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
