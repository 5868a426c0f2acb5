"""Stored matches: a list, page by page, and the report of each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from db import games
from web import parameters
from web.api.games import LARGEST_NUMBER, NUMBER_SCHEMA, path_number
from web.description import words
from web.responses import json_response
from web.service import service_of
from workers.core.follow import unattended_jobs
from workers.match.judging import Judging, read_report
from workers.match.report import course_object, match_object, match_summary

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

_NUMBER: Final = words.nullable(words.NUMBER)
_ORIGIN: Final = {"enum": ["played", "imported"]}
_TALLY: Final[dict[str, words.Schema]] = {
    "wins": words.WHOLE,
    "losses": words.WHOLE,
    "draws": words.WHOLE,
    "score": _NUMBER,
}
_ACCURACY: Final[dict[str, words.Schema]] = {
    "moves": words.WHOLE,
    "best": words.WHOLE,
    "best_share": _NUMBER,
    "blunders": words.WHOLE,
    "blunder_share": _NUMBER,
    "lost": words.WHOLE,
    "mean_loss": _NUMBER,
}
_PLAYER: Final = words.record(
    {
        "player": words.TEXT,
        **_TALLY,
        "as_x": words.record(_TALLY),
        "as_o": words.record(_TALLY),
        "forfeits": words.WHOLE,
        "moves": words.WHOLE,
        "seconds": words.NUMBER,
        "seconds_per_move": _NUMBER,
        "accuracy": words.nullable(words.record(_ACCURACY)),
        "accuracy_by_ply": words.array(words.record({"ply": words.WHOLE} | _ACCURACY)),
    }
)
_COURSE: Final = words.record(
    {name: words.array(words.WHOLE) for name in ("games", "wins", "losses", "draws")}
)
SCHEMAS: Final[dict[str, object]] = {
    "MatchSummary": words.record(
        {
            "match": words.WHOLE,
            "label": words.nullable(words.TEXT),
            "job": words.nullable(words.WHOLE),
            "origin": _ORIGIN,
            "state": words.TEXT,
            "board": words.TEXT,
            "created": words.TEXT,
            "finished": words.FLAG,
            "games": {"type": "integer", "description": "Games that are stored."},
            "planned": words.WHOLE,
            "a": words.record({"player": words.TEXT} | _TALLY),
            "b": words.record({"player": words.TEXT} | _TALLY),
        }
    ),
    "MatchReport": words.record(
        {
            "match": words.WHOLE,
            "label": words.nullable(words.TEXT),
            "job": words.nullable(words.WHOLE),
            "origin": _ORIGIN,
            "created": words.TEXT,
            "finished": words.FLAG,
            "terms": {"type": "object", "description": "What decides which games are played."},
            "a": _PLAYER,
            "b": _PLAYER,
            "games": words.WHOLE,
            "distinct_games": words.WHOLE,
            "first_mover": words.record(_TALLY),
            "decisive_rate": _NUMBER,
            "decisive_interval": words.nullable(words.array(words.NUMBER)),
            "leader": {"enum": ["a", "b", None]},
            "p_two_sided": _NUMBER,
            "p_one_sided": _NUMBER,
            "significant": words.FLAG,
            "elo": words.nullable(
                words.record({"difference": _NUMBER, "low": _NUMBER, "high": _NUMBER})
            ),
            "sprt": words.nullable(
                words.record(
                    {
                        "ratio": _NUMBER,
                        "lower": words.NUMBER,
                        "upper": words.NUMBER,
                        "verdict": words.nullable(words.TEXT),
                    }
                )
            ),
            "length": words.record(
                {"mean": _NUMBER, "shortest": words.WHOLE, "longest": words.WHOLE}
            ),
            "time": words.record(
                {
                    "seconds": words.NUMBER,
                    "per_game": _NUMBER,
                    "per_move": _NUMBER,
                    "games_per_second": _NUMBER,
                    "elapsed": _NUMBER,
                }
            ),
            "judged_games": words.WHOLE,
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
        "get": words.operation(
            "Stored matches, the newest first",
            words.record(
                {
                    "matches": words.array(words.ref("MatchSummary")),
                    "next": words.nullable(words.TEXT),
                }
            ),
            parameters=[
                words.query(
                    "limit", words.whole_between(1, LARGEST_PAGE, PAGE), "Of a page.", example=5
                ),
                words.query("cursor", NUMBER_SCHEMA, "`next` of the page before."),
            ],
        )
    },
    "/api/v1/matches/{id}": {
        "get": words.operation(
            "The report of a match",
            words.ref("MatchReport"),
            parameters=[
                words.place("id", NUMBER_SCHEMA, "The match.", example=1),
                words.query(
                    "judge",
                    words.whole_between(0, MOST_JUDGED, JUDGED),
                    "Games, the first ones, whose moves are judged by what is known.",
                    example=10,
                ),
            ],
            problems=[404],
            description="Nothing is searched: moves whose scores are not known are left out.",
        )
    },
}
