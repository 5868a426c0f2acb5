"""Matches for tests: quick to play, and easy to tell apart."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from c4core.players import NO_PROGRAM, Consent, parse_player
from c4core.position import Position
from db import games
from db.database import Database
from db.records.games import GameFilter, StoredGame
from db.records.matches import MatchInfo, MatchTerms
from workers.core.follow import LocalRunner
from workers.match.job import plan_matches

SET = "set:fallback=vector"
RANDOM = "random"


def terms(**changes: object) -> MatchTerms:
    """Terms for ten games of two quick players, with changes."""
    return replace(MatchTerms(player_a=SET, player_b=RANDOM, games=10), **changes)  # type: ignore[arg-type]


def game(number: int = 0, **changes: object) -> StoredGame:
    """A game that x wins in column 4, with changes."""
    return StoredGame(
        number=number,
        a_side="x",
        seed=7,
        moves="4343434",
        final_key=Position("4343434").key,
        length=7,
        winner="x",
        ending="four",
    )._replace(**changes)


def store_match(database: Database, stored: list[StoredGame], **changes: object) -> int:
    """Store a match without a job that has these games; return its number."""
    with database.write() as session:
        match_id = games.create_match(session, terms(games=max(len(stored), 1), **changes))
        games.add_games(session, match_id, stored)
    return match_id


def run_job(
    database: Database, job_id: int, *, threads: int = 1, programs: Consent = NO_PROGRAM
) -> list[dict[str, object]]:
    """Work on a job until it ends; return its output."""
    with LocalRunner(database, job_id, threads=threads, table_mb=1, programs=programs) as runner:
        return list(runner.results())


def play(
    database: Database, asked: MatchTerms, *, threads: int = 1, programs: Consent = NO_PROGRAM
) -> MatchInfo:
    planned = plan_matches(database, [asked])
    run_job(database, planned.job_id, threads=threads, programs=programs)
    return info(database, planned.match_ids[0])


def info(database: Database, match_id: int) -> MatchInfo:
    with database.read() as session:
        return games.get_match(session, match_id)


def games_of(database: Database, match_id: int) -> list[StoredGame]:
    with database.read() as session:
        return list(games.stream_games(session, GameFilter(matches=(match_id,))))


def essence(found: list[StoredGame]) -> list[tuple[object, ...]]:
    """The fields that do not depend on the process that played the games."""
    names = ("number", "a_side", "seed", "moves", "winner", "ending")
    return [tuple(getattr(each, name) for name in names) for each in found]


def program(directory: Path, answer: str) -> str:
    """A player that runs this command for each move."""
    path = directory / f"{abs(hash(answer))}.sh"
    path.write_text(
        'read -r line; echo "ready test"\nwhile read -r word rest; do\n  case "$word" in\n'
        f"    go) {answer} ;;\n    quit) exit 0 ;;\n  esac\ndone\n"
    )
    return f"exec:sh {path}"


def note_choices(monkeypatch: pytest.MonkeyPatch, player: str, note: Callable[[], object]) -> None:
    """Call a function when a player begins to think."""
    kind = parse_player(player).kind.cls
    choose = kind.choose

    def noted(self: object, *arguments: object) -> object:
        note()
        return choose(self, *arguments)

    monkeypatch.setattr(kind, "choose", noted)
