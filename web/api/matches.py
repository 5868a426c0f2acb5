"""Stored matches: a list, page by page, and the report of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from db import games
from web import openapi, parameters
from web.api.games import LARGEST_NUMBER, NUMBER_SCHEMA, path_number
from web.responses import json_response
from web.service import service_of
from workers.core.attendance import unattended_jobs
from workers.matches.reports.objects import course_object, match_object, match_summary
from workers.matches.reports.reading import Judging, read_report

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database

PAGE: Final = 50
"""Matches of a page by default."""
LARGEST_PAGE: Final = 500
JUDGED: Final = 100
"""Games whose moves are judged for a report, by default."""
MOST_JUDGED: Final = 1_000


async def list_matches(request: Request) -> Response:
    """The newest matches, newest first."""
    service = service_of(request)
    values = parameters.read_query(request, {"limit", "cursor"})
    limit = parameters.whole(values, "limit", PAGE, 1, LARGEST_PAGE)
    before = parameters.whole(values, "cursor", None, 0, LARGEST_NUMBER)
    read = partial(_read_page, limit=limit, before=before)
    return json_response(await service.in_thread(read, service.require_database()))


async def get_match(request: Request) -> Response:
    """The report of a match."""
    service = service_of(request)
    values = parameters.read_query(request, {"judge"})
    number = path_number(request, "id")
    judged = parameters.whole(values, "judge", JUDGED, 0, MOST_JUDGED)
    read = partial(_read_report, number=number, judged=judged)
    database = service.require_database()
    async with service.search_slot(request):  # all games of the match are counted
        return json_response(await service.in_thread(read, database))


def _read_page(database: Database, *, limit: int, before: int | None) -> dict[str, Any]:
    with database.read() as session:
        found = games.list_matches(session, limit=limit + 1, before_id=before)
        idle = unattended_jobs(session)
    shown = found[:limit]
    return {
        "matches": [match_summary(match, idle) for match in shown],
        "next": str(shown[-1].id) if len(found) > limit else None,
    }


def _read_report(database: Database, *, number: int, judged: int) -> dict[str, Any]:
    report = read_report(database, number, Judging(games=judged, least_ply=None))
    return match_object(report) | {"course": course_object(report)}


ROUTES: Final = [
    Route("/api/v1/matches", list_matches),
    Route("/api/v1/matches/{id}", get_match),
]

_NUMBER: Final = openapi.nullable(openapi.NUMBER)
_ORIGIN: Final = {"enum": ["played", "imported"]}
_TALLY: Final[dict[str, openapi.Schema]] = {
    "wins": openapi.WHOLE,
    "losses": openapi.WHOLE,
    "draws": openapi.WHOLE,
    "score": _NUMBER,
}
_ACCURACY: Final[dict[str, openapi.Schema]] = {
    "moves": openapi.WHOLE,
    "best": openapi.WHOLE,
    "best_share": _NUMBER,
    "blunders": openapi.WHOLE,
    "blunder_share": _NUMBER,
    "lost": openapi.WHOLE,
    "mean_loss": _NUMBER,
}
_PLAYER: Final = openapi.record(
    {
        "player": openapi.TEXT,
        **_TALLY,
        "as_x": openapi.record(_TALLY),
        "as_o": openapi.record(_TALLY),
        "forfeits": openapi.WHOLE,
        "moves": openapi.WHOLE,
        "seconds": openapi.NUMBER,
        "seconds_per_move": _NUMBER,
        "accuracy": openapi.nullable(openapi.record(_ACCURACY)),
        "accuracy_by_ply": openapi.array(openapi.record({"ply": openapi.WHOLE} | _ACCURACY)),
    }
)
_COURSE: Final = openapi.record(
    {name: openapi.array(openapi.WHOLE) for name in ("games", "wins", "losses", "draws")}
)
SCHEMAS: Final[dict[str, object]] = {
    "MatchSummary": openapi.record(
        {
            "match": openapi.WHOLE,
            "label": openapi.nullable(openapi.TEXT),
            "job": openapi.nullable(openapi.WHOLE),
            "origin": _ORIGIN,
            "state": openapi.TEXT,
            "board": openapi.TEXT,
            "created": openapi.TEXT,
            "finished": openapi.FLAG,
            "games": {"type": "integer", "description": "Games that are stored."},
            "planned": openapi.WHOLE,
            "a": openapi.record({"player": openapi.TEXT} | _TALLY),
            "b": openapi.record({"player": openapi.TEXT} | _TALLY),
        }
    ),
    "MatchReport": openapi.record(
        {
            "match": openapi.WHOLE,
            "label": openapi.nullable(openapi.TEXT),
            "job": openapi.nullable(openapi.WHOLE),
            "origin": _ORIGIN,
            "created": openapi.TEXT,
            "finished": openapi.FLAG,
            "terms": {"type": "object", "description": "What decides which games are played."},
            "a": _PLAYER,
            "b": _PLAYER,
            "games": openapi.WHOLE,
            "distinct_games": openapi.WHOLE,
            "first_mover": openapi.record(_TALLY),
            "decisive_rate": _NUMBER,
            "decisive_interval": openapi.nullable(openapi.array(openapi.NUMBER)),
            "leader": {"enum": ["a", "b", None]},
            "p_two_sided": _NUMBER,
            "p_one_sided": _NUMBER,
            "significant": openapi.FLAG,
            "elo": openapi.nullable(
                openapi.record({"difference": _NUMBER, "low": _NUMBER, "high": _NUMBER})
            ),
            "sprt": openapi.nullable(
                openapi.record(
                    {
                        "ratio": _NUMBER,
                        "lower": openapi.NUMBER,
                        "upper": openapi.NUMBER,
                        "verdict": openapi.nullable(openapi.TEXT),
                    }
                )
            ),
            "length": openapi.record(
                {"mean": _NUMBER, "shortest": openapi.WHOLE, "longest": openapi.WHOLE}
            ),
            "time": openapi.record(
                {
                    "seconds": openapi.NUMBER,
                    "per_game": _NUMBER,
                    "per_move": _NUMBER,
                    "games_per_second": _NUMBER,
                    "elapsed": _NUMBER,
                }
            ),
            "judged_games": openapi.WHOLE,
            "judged_from": {"type": "integer", "description": "Moves at lower plies are not."},
            "course": {
                **_COURSE,
                "description": "Player a's wins, losses and draws after so many games.",
            },
        }
    ),
}
PATHS: Final[dict[str, object]] = {
    "/api/v1/matches": {
        "get": openapi.operation(
            "Stored matches, the newest first",
            openapi.record(
                {
                    "matches": openapi.array(openapi.ref("MatchSummary")),
                    "next": openapi.nullable(openapi.TEXT),
                }
            ),
            parameters=[
                openapi.query(
                    "limit", openapi.whole_between(1, LARGEST_PAGE, PAGE), "Of a page.", example=5
                ),
                openapi.query("cursor", NUMBER_SCHEMA, "`next` of the page before."),
            ],
        )
    },
    "/api/v1/matches/{id}": {
        "get": openapi.operation(
            "The report of a match",
            openapi.ref("MatchReport"),
            parameters=[
                openapi.place("id", NUMBER_SCHEMA, "The match.", example=1),
                openapi.query(
                    "judge",
                    openapi.whole_between(0, MOST_JUDGED, JUDGED),
                    "Games, the first ones, whose moves are judged by what is known.",
                    example=10,
                ),
            ],
            problems=[404],
            description="Nothing is searched: moves whose scores are not known are left out.",
        )
    },
}
