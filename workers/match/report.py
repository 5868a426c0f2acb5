"""The report of a match, computed from its games, and matches as JSON objects.

The report has results, significance, time and accuracy. This module reads and writes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from c4core.arena import statistics
from c4core.arena.judging import Accuracy, PlyAccuracy
from c4core.arena.statistics import Tally
from db.records.matches import Origin
from workers.text import time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from c4core.arena.judging import JudgedMove
    from c4core.arena.statistics import Elo, Interval, Standing
    from c4core.position import Side
    from db.records.matches import MatchInfo, MatchResults


MAX_SECONDS: Final = 1e9
"""30 years. Longer times come from databases written by other programs."""


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """One player's part in a match."""

    description: str
    """The player's description, with every parameter."""
    as_x: Tally
    as_o: Tally
    forfeits: int
    """Number of games lost by a failure."""
    moves: int
    seconds: float
    """Seconds for all moves; impossible times count as 0, like unknown ones."""
    plies: Mapping[int, Accuracy] = field(default_factory=dict)
    """The accuracy of the judged moves, by ply."""

    @property
    def results(self) -> Tally:
        """The player's results in all games."""
        return self.as_x + self.as_o

    @property
    def accuracy(self) -> Accuracy:
        """The accuracy of all judged moves."""
        return sum(self.plies.values(), Accuracy())

    @property
    def seconds_per_move(self) -> float | None:
        """Mean seconds per move; None without moves."""
        return self.seconds / self.moves if self.moves else None


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The report of a match."""

    match: MatchInfo
    a: PlayerReport
    b: PlayerReport
    distinct: int
    """Number of different games."""
    mean_length: float | None
    """Mean number of moves per game; None without games."""
    shortest: int
    longest: int
    judged_games: int
    """Number of games with judged moves."""
    judged_from: int
    """Minimum number of stones on the board for a move to be judged."""
    elapsed: float | None
    """Seconds from the start to the end of the match; None if unknown."""
    course: Any = field(repr=False, compare=False)
    """Player a's result of each game, in order, as an int8 array: 1, 0 or -1."""
    failures: tuple[str, ...] = ()
    """The reasons of the first games that were not lost on the board."""

    @property
    def games(self) -> int:
        """Number of games played so far."""
        return self.a.results.games

    @property
    def first_mover(self) -> Tally:
        """All games, from the side of the first player, ``x``."""
        return self.a.as_x + self.a.as_o.reversed()

    @property
    def leader(self) -> Literal["a", "b"] | None:
        """The player that has won more games; None if the numbers are equal."""
        results = self.a.results
        if results.wins == results.losses:
            return None
        return "a" if results.wins > results.losses else "b"

    @property
    def decisive_rate(self) -> float | None:
        """The share of decisive games won by the leader; None without decisive games."""
        return statistics.decisive_rate(self.a.results)

    @property
    def decisive_interval(self) -> Interval | None:
        """The 95 % confidence interval of the decisive rate."""
        results = self.a.results
        return statistics.wilson_interval(max(results.wins, results.losses), results.decisive)

    @property
    def p_two_sided(self) -> float | None:
        """The chance that one of two equal players wins at least as many games as the leader."""
        return statistics.two_sided_p(self.a.results)

    @property
    def p_one_sided(self) -> float | None:
        """The chance that a particular one of two equal players does so."""
        return statistics.one_sided_p(self.a.results)

    @property
    def is_significant(self) -> bool:
        """Whether the two-sided p-value is at most 0.05."""
        return statistics.is_significant(self.a.results)

    @property
    def elo(self) -> Elo | None:
        """The Elo advantage of player a; None without games."""
        return statistics.elo(self.a.results)

    @property
    def ratio(self) -> float | None:
        """The log-likelihood ratio of the sequential test; None without a test."""
        sprt = self.match.terms.sprt
        return None if sprt is None else sprt.ratio(self.a.results)

    @property
    def seconds(self) -> float:
        """Seconds of all moves: the time of the match if one core plays it."""
        return self.a.seconds + self.b.seconds

    @property
    def seconds_per_game(self) -> float | None:
        """Mean seconds per game; None without games."""
        return self.seconds / self.games if self.games else None

    @property
    def seconds_per_move(self) -> float | None:
        """Mean seconds per move; None without moves."""
        moves = self.a.moves + self.b.moves
        return self.seconds / moves if moves else None

    @property
    def games_per_second(self) -> float | None:
        """Games that one core plays per second; None if the time is unknown."""
        rate = self.games / self.seconds if self.seconds else math.inf
        return rate if math.isfinite(rate) else None

    @property
    def is_repetitive(self) -> bool:
        """Whether many games repeat earlier ones, so that the p-value is too small."""
        return statistics.is_repetitive(self.distinct, self.games)


def make_report(
    match: MatchInfo,
    results: MatchResults,
    judged: Iterable[tuple[Side, Iterable[JudgedMove | None]]] = (),
    *,
    judged_from: int = 0,
    elapsed: float | None = None,
    failures: tuple[str, ...] = (),
) -> MatchReport:
    """Compute a report.

    ``judged`` has the judged moves of some games, each with the side of player a; unknown moves are
    None. ``judged_from`` is the minimum number of stones on the board for a move to be judged;
    ``elapsed`` is in seconds.
    """
    accuracy_a, accuracy_b = PlyAccuracy(), PlyAccuracy()
    judged_games = 0
    for a_side, moves in judged:
        known = [move for move in moves if move is not None]
        judged_games += bool(known)
        for move in known:
            (accuracy_a if move.side == a_side else accuracy_b).add(move)

    lengths = results.length
    as_x, as_o = _tallies(results)
    # In a game of odd length, the side that moves first has one move more.
    a_begins = results.a_is_x if match.terms.start.turn == "x" else ~results.a_is_x
    a_moves = int(((lengths + a_begins) // 2).sum())
    tally = match.tally
    return MatchReport(
        match=match,
        a=PlayerReport(
            match.terms.player_a,
            as_x,
            as_o,
            tally.a_forfeits,
            a_moves,
            _total(results.a_seconds),
            accuracy_a.plies,
        ),
        b=PlayerReport(
            match.terms.player_b,
            as_o.reversed(),
            as_x.reversed(),
            tally.b_forfeits,
            int(lengths.sum()) - a_moves,
            _total(results.b_seconds),
            accuracy_b.plies,
        ),
        distinct=results.distinct,
        mean_length=float(lengths.mean()) if len(lengths) else None,
        shortest=int(lengths.min()) if len(lengths) else 0,
        longest=int(lengths.max()) if len(lengths) else 0,
        judged_games=judged_games,
        judged_from=judged_from,
        elapsed=elapsed,
        course=results.a_result,
        failures=failures,
    )


def _tallies(results: MatchResults) -> tuple[Tally, Tally]:
    """Player a's results with ``x``, and with ``o``."""
    tallies = []
    for has_x in (True, False):
        outcome = results.a_result[results.a_is_x == has_x]
        wins, losses = int((outcome == 1).sum()), int((outcome == -1).sum())
        tallies.append(Tally(wins, losses, len(outcome) - wins - losses))
    return tallies[0], tallies[1]


def _total(seconds: NDArray[np.float64]) -> float:
    """The sum of the possible times; impossible times could make it infinite."""
    return float(seconds[(seconds >= 0) & (seconds <= MAX_SECONDS)].sum())


COURSE_POINTS: Final = 500
"""Maximum number of points of a match's course; a screen cannot show more."""


def match_summary(match: MatchInfo) -> dict[str, Any]:
    """A match as an entry of a list."""
    terms, results = match.terms, match.tally.a
    return {
        "match": match.id,
        "label": match.label,
        "job": match.job_id,
        "origin": str(match.origin),
        "state": match_state(match),
        "board": str(terms.board),
        "created": time_text(match.created_at),
        "finished": match.is_finished,
        "games": match.tally.games,
        "planned": terms.games,
        "a": {"player": terms.player_a, **_tally_object(results)},
        "b": {"player": terms.player_b, **_tally_object(results.reversed())},
    }


def match_state(match: MatchInfo) -> str:
    """The state of a match: ``done``, the state of its job, or the state of its import."""
    if match.origin is Origin.IMPORTED:
        return "imported" if match.is_whole else "broken"
    if match.is_finished:
        return "done"
    return "unfinished" if match.job_state is None else str(match.job_state)


def match_object(report: MatchReport) -> dict[str, Any]:
    """All data of a match; infinite or unknown values are null."""
    match, interval, elo = report.match, report.decisive_interval, report.elo
    terms = match.terms.as_json()
    del terms["form"], terms["a"], terms["b"]
    return {
        "match": match.id,
        "label": match.label,
        "job": match.job_id,
        "origin": str(match.origin),
        "created": time_text(match.created_at),
        "finished": match.is_finished,
        "terms": terms,
        "a": _player_object(report.a),
        "b": _player_object(report.b),
        "games": report.games,
        "distinct_games": report.distinct,
        "first_mover": _tally_object(report.first_mover),
        "decisive_rate": report.decisive_rate,
        "decisive_interval": None if interval is None else [interval.low, interval.high],
        "leader": report.leader,
        "p_two_sided": report.p_two_sided,
        "p_one_sided": report.p_one_sided,
        "significant": report.is_significant,
        "elo": None
        if elo is None
        else {name: finite(getattr(elo, name)) for name in ("difference", "low", "high")},
        "sprt": _test_object(report),
        "length": {
            "mean": report.mean_length,
            "shortest": report.shortest,
            "longest": report.longest,
        },
        "time": {
            "seconds": report.seconds,
            "per_game": report.seconds_per_game,
            "per_move": report.seconds_per_move,
            "games_per_second": report.games_per_second,
            "elapsed": report.elapsed,
        },
        "judged_games": report.judged_games,
        "judged_from": report.judged_from,
    }


def course_object(report: MatchReport) -> dict[str, list[int]]:
    """The course of a match: player a's wins, losses and draws by number of games.

    There are at most :data:`COURSE_POINTS` points, evenly spaced; the last one covers all games.
    """
    results = np.asarray(report.course)
    points = min(len(results), COURSE_POINTS)
    ends = np.linspace(1, len(results), points).astype(np.int64) if points else np.empty(0, int)
    course = {"games": ends.tolist()}
    for name, result in (("wins", 1), ("losses", -1), ("draws", 0)):
        course[name] = np.cumsum(results == result)[ends - 1].tolist()
    return course


def standing_objects(table: Iterable[Standing]) -> list[dict[str, Any]]:
    """The standings of a tournament, best player first."""
    return [
        {
            "player": standing.player,
            "rating": round(standing.rating, 1),
            **_tally_object(standing.results),
        }
        for standing in table
    ]


def finite(value: float) -> float | None:
    """A number for JSON; None if it is infinite."""
    return value if math.isfinite(value) else None


def _player_object(player: PlayerReport) -> dict[str, Any]:
    return {
        "player": player.description,
        **_tally_object(player.results),
        "as_x": _tally_object(player.as_x),
        "as_o": _tally_object(player.as_o),
        "forfeits": player.forfeits,
        "moves": player.moves,
        "seconds": player.seconds,
        "seconds_per_move": player.seconds_per_move,
        "accuracy": _accuracy_object(player.accuracy) if player.plies else None,
        "accuracy_by_ply": [
            {"ply": ply, **_accuracy_object(accuracy)} for ply, accuracy in player.plies.items()
        ],
    }


def _tally_object(results: Tally) -> dict[str, Any]:
    return {
        "wins": results.wins,
        "losses": results.losses,
        "draws": results.draws,
        "score": results.score,
    }


def _accuracy_object(accuracy: Accuracy) -> dict[str, Any]:
    return {
        "moves": accuracy.moves,
        "best": accuracy.best,
        "best_share": accuracy.best_share,
        "blunders": accuracy.blunders,
        "blunder_share": accuracy.blunder_share,
        "lost": accuracy.lost,
        "mean_loss": accuracy.mean_loss,
    }


def _test_object(report: MatchReport) -> dict[str, Any] | None:
    sprt = report.match.terms.sprt
    if sprt is None:
        return None
    return {
        "ratio": report.ratio,
        "lower": sprt.lower,
        "upper": sprt.upper,
        "verdict": report.match.verdict,
    }
