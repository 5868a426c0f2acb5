"""Games of ``proof`` against other players: is the score ever worse than its bound?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.record import this_processor
from c4core.arena.game import play_game
from c4core.book import Book
from c4core.book.book import shipped_files
from c4core.players import Resources, parse_player
from c4core.players.roster.perfect import shared_solver
from c4core.proof import Certificate
from c4core.proof.certificate import named_file
from c4core.solver import Solver
from tests.support.certificates import score_of

if TYPE_CHECKING:
    from c4core.evaluation import Analysis
    from c4core.notation import BoardSize
    from c4core.position import Position, Side


@dataclass(frozen=True, slots=True)
class Played:
    """Games of a proof against a player, from the certificate's position."""

    certificate: str
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    below: int
    """Games in which the proof's side scored less than the bound."""
    forfeits: int
    """Games that ended otherwise than on the board."""
    searches: int
    """Positions that a solver was asked about, less those that the opponent has asked about."""
    move_microseconds: float
    """Wall-clock time of a move of the proof, on average; its file is loaded before."""
    processor: str


class Counting:
    """Exact scores for the opponent, by the shipped book and a solver; it counts its questions."""

    def __init__(self, board: BoardSize) -> None:
        books = [book for book in map(Book.open, shipped_files()) if book.info.board == board]
        self.calls = 0
        self._solver = Solver(table_mb=64, book=next(iter(books), None))

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """The scores of all columns."""
        self.calls += 1
        return self._solver.analyze(position, time_limit=time_limit)


def measure(certificate: str, opponent: str, games: int) -> Played:
    """Play games; the proof moves first and second in turn, where the certificate is for both.

    Args:
        certificate: its file, or a board.
        opponent: the description of the other player.
        games: how many.
    """
    info = Certificate.open(named_file(certificate)).info
    sides: list[Side] = [info.prover(upper=half.upper) for half in info.halves]
    analyst = Counting(info.board)
    proof = parse_player(f"proof:{certificate}").make()
    other = parse_player(opponent).make(Resources(analyst=analyst))
    before = _shared_solver_calls()
    tally = {1: 0, 0: 0, -1: 0}
    below = forfeits = moves = others = 0
    seconds = 0.0
    for number in range(games):
        side = sides[number % len(sides)]
        half = info.halves[number % len(sides)]
        players = (proof, other) if side == "x" else (other, proof)
        record = play_game(*players, seed=number, start=info.start)
        score = score_of(record, side)
        tally[(score > 0) - (score < 0)] += 1
        below += score < (-half.bound if half.upper else half.bound)
        forfeits += record.is_forfeit
        own = len(record.seconds[0 if record.start.turn == side else 1 :: 2])
        moves += own
        others += record.length - own
        seconds += record.seconds_of(side)
    # No player but "perfect" has a search that is a solver's; each of its moves is one question.
    asked = others if "analyst" in parse_player(opponent).kind.resources else 0
    return Played(
        certificate,
        opponent,
        games,
        wins=tally[1],
        draws=tally[0],
        losses=tally[-1],
        below=below,
        forfeits=forfeits,
        searches=analyst.calls - asked + _shared_solver_calls() - before,
        move_microseconds=seconds / moves * 1e6,
        processor=this_processor(),
    )


def _shared_solver_calls() -> int:
    """How often players of this process have taken the solver that they share."""
    info = shared_solver.cache_info()
    return info.hits + info.misses
