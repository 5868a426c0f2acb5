"""``perfect`` plays by exact scores, optionally with errors; ``proof`` plays by a certificate."""

import functools
import math
import time
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from threading import Lock
from typing import Annotated, Final, Literal, TypeAlias

from c4core.book import Book
from c4core.dice import Dice
from c4core.errors import BookBoardError, CertificateError, ClaimError
from c4core.evaluation import Analysis
from c4core.notation import BoardSize
from c4core.players.deciding import SEARCH_SHARE, strongest_columns
from c4core.players.errors import Failing, PlayerError, PlayerFailure, StopPlaying, is_exhaustion
from c4core.players.parameters import Real, Resource, Value
from c4core.players.player import NO_LIMITS, Analyst, GameStart, Limits, Player, columns_from_centre
from c4core.players.registry import player, player_of_argument
from c4core.players.stopping import Stop
from c4core.position import Position, Side
from c4core.proof import Certificate, Proof
from c4core.proof.certificate import BOARDS, named_file
from c4core.proof.format import CertificateInfo
from c4core.solver import Solver

TABLE_MB = 64


@functools.cache
def shared_solver() -> Solver:
    """Return the solver of all perfect players without an analyst. It uses the included book."""
    try:
        return Solver(table_mb=TABLE_MB, book=Book.shipped())
    except BookBoardError:  # this C4 was built without a book
        return Solver(table_mb=TABLE_MB)


@player("perfect", source="this project's solver")
class Perfect(Player):
    """Perfect where the game is solved in time; else plays the strongest move found.

    If all columns are solved, it wins as soon and loses as late as possible. Otherwise it plays a
    proven win or draw, or an undecided column that simulated games favour. It plays a proven loss
    only if all columns lose. The parameters weaken it.

    ``analyst`` finds the scores. By default, it is a solver that all these players share, and that
    uses the included book. To play without a book, give ``Solver(book=None)``.
    """

    choice: Annotated[
        Literal["random", "center"], "choice among the best columns: random, or nearest the middle"
    ] = "random"
    blunder: Annotated[float, Real(0, 1), "probability of a random column that is not best"] = 0.0
    analyst: Annotated[Analyst | None, Resource()] = field(default=None, compare=False, repr=False)

    @property
    def is_random(self) -> bool:
        return self.choice == "random" or self.blunder > 0

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        end = None if limits.seconds is None else time.monotonic() + limits.seconds
        found = self._analysis(position, limits)
        worths = {
            column: _worth(*pair) for column, pair in enumerate(found.bounds) if pair is not None
        }
        if _is_solved(found):
            best = [column for column, worth in worths.items() if worth == max(worths.values())]
        else:
            left = None if end is None else end - time.monotonic()
            best = strongest_columns(position, found.bounds, seconds=left, stop=limits.stop)
        worse = [column for column in worths if column not in best]
        if self.blunder and dice.unit() < self.blunder and worse:
            return dice.pick(worse)
        return self._among(best, position, dice)

    def _analysis(self, position: Position, limits: Limits) -> Analysis:
        """Return the bounds of all columns that are proven in the search's share of the time."""
        left = None if limits.seconds is None else SEARCH_SHARE * limits.seconds
        if self.analyst is not None and not isinstance(self.analyst, Solver):
            return self.analyst.analyze(position, time_limit=left)
        solver, stop = self.analyst or shared_solver(), limits.stop or Stop()
        deadline = math.inf if left is None else time.monotonic() + left
        with stop.calling(solver.stop):
            while True:
                stop.check()
                found = solver.analyze(position, time_limit=left)
                if _is_solved(found) or time.monotonic() >= deadline:
                    return found
                # The search was stopped, perhaps by another game that shares the solver. The
                # deadline may have passed since it was checked.
                left = None if left is None else max(deadline - time.monotonic(), 0.0)

    def _among(self, columns: list[int], position: Position, dice: Dice) -> int:
        if self.choice == "random":
            return dice.pick(columns)
        return next(column for column in columns_from_centre(position.width) if column in columns)


def _worth(lower: int, upper: int) -> int:
    """A column's score, or the nearest possible one to 0 if it is not solved."""
    return max(lower, min(upper, 0))


def _is_solved(found: Analysis) -> bool:
    return all(pair is None or pair[0] == pair[1] for pair in found.bounds)


KEPT: Final = 4
"""The number of proofs kept in memory; each takes nine bytes per position."""

_Key: TypeAlias = tuple[str, int, int, Side]


class _Checked:
    """A cache of the last checked proofs. A file that has changed is checked again."""

    def __init__(self) -> None:
        self._kept: dict[_Key, Proof] = {}
        self._lock = Lock()

    def proof(self, path: Path, side: Side, stop: Stop) -> Proof:
        """Return the proof of a certificate for a side."""

        def poll(_positions: int) -> None:
            if stop.is_set:
                raise StopPlaying

        state = path.stat()
        key = (str(path.resolve()), state.st_mtime_ns, state.st_size, side)
        with self._lock:
            known = self._kept.pop(key, None)
        if known is None:
            known = Certificate.open(path).check(poll, prover=side)
        with self._lock:
            self._kept[key] = known  # the last is the newest
            for oldest in tuple(self._kept)[:-KEPT]:
                del self._kept[oldest]
        return known


_checked: Final = _Checked()


@player_of_argument("proof", "FILE", source="this project's certificates")
class ProofPlayer(Player):
    """Follows a certificate without search; never scores less than the proven bound."""

    argument: str

    reads_files = True

    @classmethod
    def is_shipped(cls, values: Mapping[str, Value]) -> bool:
        """Whether the certificate is included in c4."""
        return str(values["argument"]) in {str(board) for board in BOARDS}

    def __post_init__(self) -> None:
        """Check the file's bytes. The proof itself is checked when a game begins."""
        super().__post_init__()
        self._read()

    def check_board(self, board: BoardSize) -> None:
        known = self._read().board
        if board != known:
            raise self._error(f"{self.argument} is for {known}, not {board}")

    def begin(self, game: GameStart) -> None:
        """Check the proof, once per process. This takes seconds for a large proof."""
        self._proof(game.side, game.stop)

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """Return the 0-based column to play: of several, the nearest to the middle."""
        proof = self._proof(position.turn, limits.stop)
        try:
            (word,) = proof.ask(position)
        except ClaimError as error:
            raise self._failure(str(error)) from None
        if not word.columns:
            raise self._failure("the proof does not cover this position")
        return next(c for c in columns_from_centre(position.width) if c in word.columns)

    def _proof(self, side: Side, stop: Stop | None) -> Proof:
        try:
            proof = _checked.proof(named_file(self.argument), side, stop or Stop())
        except (CertificateError, OSError) as error:
            if is_exhaustion(error):
                raise
            raise PlayerFailure(Failing.ERROR, str(error)) from None  # the error names the file
        if not proof.halves:
            raise self._failure(f"it proves no bound for {side}")
        return proof

    def _read(self) -> CertificateInfo:
        """Read the head of the certificate."""
        try:
            return Certificate.open(named_file(self.argument)).info
        except OSError as error:
            raise self._error(f"{self.argument}: {error.strerror}") from None
        except CertificateError as error:
            raise self._error(str(error)) from None
        except ValueError as error:  # no file can have this name
            raise self._error(f"{self.argument!r}: {error}") from None

    def _error(self, message: str) -> PlayerError:
        return PlayerError(f"player proof: {message}", player=self.kind.name)

    def _failure(self, message: str) -> PlayerFailure:
        return PlayerFailure(Failing.ERROR, f"{self.argument}: {message}")
