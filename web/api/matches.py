"""Stored matches: a list in pages, and the report of each match."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict

from msgspec import Meta
from starlette.routing import Route

from c4core.arena.statistics import wilson_interval
from db import games
from web import openapi, parameters
from web.api.games import Number
from web.parameters import Parameters
from web.responses import json_response, without_directories
from web.service import service_of
from workers.match.judging import Judging, read_report
from workers.match.report import course_object, match_object, match_summary

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database
    from workers.match.report import MatchReport as FoundReport

PAGE: Final = 50
LARGEST_PAGE: Final = 500
JUDGED: Final = 100
"""Number of games whose moves a report judges by default."""
MOST_JUDGED: Final = 1_000


class MatchesParameters(Parameters):
    """The page."""

    limit: Annotated[
        int, Meta(ge=1, le=LARGEST_PAGE, description="Matches per page.", examples=[5])
    ] = PAGE
    cursor: Annotated[Number | None, Meta(description="`next` of the previous page.")] = None


class OneMatch(Parameters):
    """A stored match."""

    id: Annotated[Number, Meta(description="The match's number.", examples=[1])]


class ReportParameters(Parameters):
    """The options of a report."""

    judge: Annotated[
        int,
        Meta(
            ge=0,
            le=MOST_JUDGED,
            description="Number of games, from the first, whose moves are judged by known scores.",
            examples=[10],
        ),
    ] = JUDGED


class Tally(TypedDict):
    """The results of a player."""

    wins: int
    losses: int
    draws: int
    score: float | None


class Accuracy(TypedDict):
    """The accuracy of a player's moves."""

    moves: int
    best: int
    best_share: float | None
    blunders: int
    blunder_share: float | None
    lost: int
    mean_loss: float | None


class AccuracyAtPly(Accuracy):
    """The accuracy of a player's moves with a given number of stones on the board."""

    ply: int


class SummaryPlayer(Tally):
    """A player of a match."""

    player: str


class MatchPlayer(SummaryPlayer):
    """A player of a match, with its results and accuracy."""

    as_x: Tally
    as_o: Tally
    forfeits: int
    moves: int
    seconds: float
    seconds_per_move: float | None
    accuracy: Accuracy | None
    accuracy_by_ply: list[AccuracyAtPly]


class MatchHead(TypedDict):
    """A match."""

    match: int
    label: str | None
    job: int | None
    origin: Literal["played", "imported"]
    created: str
    finished: bool


class MatchSummary(MatchHead):
    """A match and its result."""

    state: str
    board: str
    games: Annotated[int, Meta(description="Number of stored games.")]
    planned: int
    a: SummaryPlayer
    b: SummaryPlayer


class Matches(TypedDict):
    """A page of matches."""

    matches: list[MatchSummary]
    next: str | None


class Elo(TypedDict):
    """The Elo difference with its confidence interval."""

    difference: float | None
    low: float | None
    high: float | None


class Sprt(TypedDict):
    """A sequential probability ratio test."""

    ratio: float | None
    lower: float
    upper: float
    verdict: str | None


class Length(TypedDict):
    """The lengths of games in plies."""

    mean: float | None
    shortest: int
    longest: int


class Times(TypedDict):
    """The time of a match in seconds."""

    seconds: float
    per_game: float | None
    per_move: float | None
    games_per_second: float | None
    elapsed: float | None


_INTERVAL: Final = (
    "{} ends of the 95 % confidence intervals of a's share of decisive games; null without "
    "decisive games."
)


class Course(TypedDict):
    """Player a's wins, losses and draws after given numbers of games."""

    games: list[int]
    wins: list[int]
    losses: list[int]
    draws: list[int]
    low: Annotated[list[float | None], Meta(description=_INTERVAL.format("Lower"))]
    high: Annotated[list[float | None], Meta(description=_INTERVAL.format("Upper"))]


class MatchReport(MatchHead):
    """The report of a match."""

    terms: Annotated[dict[str, Any], Meta(description="The settings that determine the games.")]
    a: MatchPlayer
    b: MatchPlayer
    games: int
    distinct_games: int
    first_mover: Tally
    decisive_rate: float | None
    decisive_interval: list[float] | None
    leader: Literal["a", "b"] | None
    p_two_sided: float | None
    p_one_sided: float | None
    significant: bool
    elo: Elo | None
    sprt: Sprt | None
    length: Length
    time: Times
    judged_games: int
    judged_from: Annotated[int, Meta(description="Moves at lower plies are not judged.")]
    course: Course


async def list_matches(request: Request) -> Response:
    """A page of matches, the newest first."""
    service = service_of(request)
    asked = parameters.read_query(request, MatchesParameters)
    return json_response(await service.in_thread(_read_page, service.require_database(), asked))


async def get_match(request: Request) -> Response:
    """The report of a match."""
    service = service_of(request)
    judged = parameters.read_query(request, ReportParameters).judge
    number = parameters.read_path(request, OneMatch).id
    read = partial(_read_report, number=number, judged=judged)
    database = service.require_database()
    async with service.search_slot(request):  # it reads all games of the match
        return json_response(await service.in_thread(read, database))


def _read_page(database: Database, asked: MatchesParameters) -> dict[str, Any]:
    with database.read() as session:
        found = games.list_matches(session, limit=asked.limit + 1, before_id=asked.cursor)
    shown = found[: asked.limit]
    return {
        "matches": [without_directories(match_summary(match)) for match in shown],
        "next": str(shown[-1].id) if len(found) > asked.limit else None,
    }


def _read_report(database: Database, *, number: int, judged: int) -> dict[str, Any]:
    report = read_report(database, number, Judging(games=judged, least_ply=None))
    shown: dict[str, Any] = without_directories(match_object(report))
    return shown | {"course": _course(report)}


def _course(report: FoundReport) -> dict[str, list[Any]]:
    """The course of a match, with confidence intervals of player a's share of decisive games."""
    course = course_object(report)
    wins, losses = course["wins"], course["losses"]
    intervals = [wilson_interval(won, won + lost) for won, lost in zip(wins, losses, strict=True)]
    low = [None if interval is None else interval.low for interval in intervals]
    high = [None if interval is None else interval.high for interval in intervals]
    return {**course, "low": low, "high": high}


ROUTES: Final = [
    Route("/api/v1/matches", list_matches),
    Route("/api/v1/matches/{id}", get_match),
]

PATHS: Final[dict[str, object]] = {
    "/api/v1/matches": {
        "get": openapi.operation(
            "Stored matches, the newest first", Matches, query=MatchesParameters
        )
    },
    "/api/v1/matches/{id}": {
        "get": openapi.operation(
            "The report of a match",
            MatchReport,
            query=ReportParameters,
            path=OneMatch,
            problems=[404],
            description="Nothing is searched; moves whose scores are unknown are left out.",
        )
    },
}
