"""Untrusted files, databases and messages run no code.

Every test passes input that would leave a marker if it ran. Other tests show that it does run: with
consent the same players play.
"""

import json
import os
import sqlite3
import struct
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text, update

from c4core.arena.game import play_game
from c4core.players import (
    ANY_PROGRAM,
    Consent,
    PlayerError,
    ProgramRefusedError,
    Resources,
    parse_player,
)
from c4core.position import Position
from db import games
from db.database import Database
from db.jobs import watching
from db.models import Job, Match, Unit
from db.records.jobs import JobState
from tests.support.boards.matches import games_of, info, play, run_job, terms
from tests.support.running.command_line import C4, Result
from tests.support.running.waiting import ends
from tests.support.traps import KINDS, Trap
from workers.core.follow import LocalRunner
from workers.match.job import plan_matches

SECRET = "hunter2"

SMALL = ("--board", "5x4")
"""A board whose positions are solved at once."""


@pytest.fixture
def c4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> C4:
    """Run commands, with everything in the environment that other programs would start."""
    monkeypatch.chdir(tmp_path)
    for name in ("PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER"):
        monkeypatch.setenv(name, f"touch {tmp_path / 'marker'};")
    for name in ("C4_WEB_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "XLC_TOKEN"):
        monkeypatch.setenv(name, SECRET)
    monkeypatch.setenv("LC_COLLATE", "C")
    return C4(tmp_path)


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    monkeypatch.chdir(tmp_path)  # where modules are found
    return Trap(tmp_path)


@pytest.fixture(params=KINDS)
def player(request: pytest.FixtureRequest, trap: Trap) -> str:
    """An untrusted player."""
    return trap.player(request.param)


@pytest.fixture
def players(trap: Trap) -> list[str]:
    """Untrusted players, one of each kind."""
    return [trap.player(kind) for kind in KINDS]


def refused(done: Result, *, code: int = 2) -> str:
    """The error message of a command that refuses its task."""
    assert done.code == code, done.err
    assert "fault" not in done.err
    assert "Traceback" not in done.err
    return done.err


# With consent


def test_a_player_named_on_the_command_line_plays(c4: C4, trap: Trap, player: str) -> None:
    done = c4("match", player, "random", "--games", "1", "--judge", "none", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["a"]["forfeits"] == 0
    environment = trap.environment()
    assert (environment["PATH"], environment["LC_COLLATE"]) == (os.environ["PATH"], "C")
    assert SECRET not in environment.values()
    assert [name for name in environment if name.startswith(("C4_", "PG"))] == []


# As a library


def test_a_python_program_must_give_consent(trap: Trap, player: str) -> None:
    opponent, spec = parse_player("random").make(), parse_player(player)
    other = Resources(programs=Consent.to(["exec:true"]))
    for made in (spec.make(), spec.make(Resources()), spec.make(other)):
        with pytest.raises(ProgramRefusedError, match="--allow-programs"):
            play_game(opponent, made)
    assert not trap.has_run
    with spec.make(Resources(programs=Consent.to([spec.full]))) as made:
        assert not play_game(opponent, made).is_forfeit
    assert trap.has_run


def run_with_match_of(database: Database, match_id: int) -> None:
    """Run a new job whose unit names the match of another job; the unit must fail."""
    ours = plan_matches(database, [terms(games=2)]).job_id
    payload = {"match": match_id, "first": 0, "count": 2}
    with database.write() as session:
        session.execute(update(Unit).where(Unit.job_id == ours).values(payload=payload))
    (shown,) = run_job(database, ours)
    assert f"c4 jobs resume {ours} --allow-programs" in str(shown["error"])
    assert games_of(database, match_id) == []


def test_a_job_of_programs_is_not_started(database: Database, trap: Trap, player: str) -> None:
    planned = plan_matches(database, [terms(player_a=player, games=2)])
    with pytest.raises(ProgramRefusedError, match=rf"job {planned.job_id} .*--allow-programs"):
        LocalRunner(database, planned.job_id)
    run_with_match_of(database, planned.match_ids[0])
    assert not trap.has_run
    run_job(database, planned.job_id, programs=ANY_PROGRAM)
    assert info(database, planned.match_ids[0]).tally.games == 2
    assert trap.has_run


def reading(match: int) -> tuple[str, ...]:
    return (
        *(f"show {match}:0", f"export {match}"),
        *(f"export {match} --format csv", f"report {match} --judge all"),
        f"report {match} --markdown",
    )


def read_games(c4: C4, matches: Iterable[int], *more: str) -> None:
    """Run all commands that read the games of matches on the board 5x4, and other commands."""
    for command in (
        *(f"games {command}" for match in matches for command in reading(match)),
        "games matches",
        "games list",
        "games list --json",
        "dataset build --from games --board 5x4 --output set",
        "match database-montecarlo:playouts=1 random --board 5x4 --games 1 --judge none",
        *more,
    ):
        done = c4(*command.split(), stdin="4\nquit\n")
        assert done.code == 0, (command, done.err)


# Imported games.


def exported(c4: C4, *changes: dict[str, object]) -> Path:
    """A file of games with other players, from an untrusted source."""
    c4("match", "set", "random", *SMALL, "--games", "1", "--judge", "none", "-q", "--db", "own.db")
    (fields,) = c4("games", "export", "1", "--db", "own.db").objects
    path = c4.directory / "games.jsonl"
    path.write_text("".join(json.dumps(fields | change) + "\n" for change in changes))
    return path


def test_imported_games_start_nothing(c4: C4, trap: Trap, players: list[str]) -> None:
    """Each player's game becomes a separate match."""
    file = exported(c4, *({"first": player} for player in players))
    assert c4("games", "import", str(file)).code == 0
    read_games(c4, (1, 2, 3), "games show 1:0 --json")
    assert not trap.has_run


def test_a_name_in_a_file_opens_no_file(c4: C4) -> None:
    """Reading a named pipe would block forever, because nothing writes to it."""
    pipe = c4.directory / "pipe"
    os.mkfifo(pipe)
    file = exported(c4, {"first": f"learning-cnn:model={pipe}"})
    assert c4("games", "import", str(file)).code == 0
    shown = ends(lambda: c4("games", "show", "1:0"))
    assert str(pipe) in shown.out


# Received databases


def as_another(database: Database, match_id: int, **players: str) -> None:
    """Change the players of a stored match, as the creator of the file may have done."""
    with database.write() as session:
        changed = replace(games.get_terms(session, match_id), **players)
        values = {"terms": changed.as_json(), "player_a": changed.player_a}
        session.execute(update(Match).where(Match.id == match_id).values(values))


def test_a_received_database_starts_nothing(c4: C4, trap: Trap, players: list[str]) -> None:
    with Database.open(str(c4.directory / "test.db")) as database:
        for player in players:
            plan_matches(database, [terms(player_a=player, games=2)])
        for player in players:
            match = play(database, terms(games=2, start=Position(board="5x4")))
            as_another(database, match.id, player_a=player)
    waiting, played = (1, 2, 3), (4, 5, 6)
    for number, player in zip(waiting, players, strict=True):
        said = refused(c4("jobs", "resume", str(number)))
        assert player in said, number
        assert "--allow-programs" in said
    player = "database-montecarlo:playouts=1"
    shown = (f"jobs show {number}" for number in waiting)
    playing = f"play --second {player}"
    read_games(c4, played, *shown, "jobs list", "status", "db check", playing)
    for number in map(str, waiting):
        refused(c4("jobs", "results", number), code=1)
        refused(c4("games", "report", number), code=1)
        c4("jobs", "cancel", number)
        refused(c4("jobs", "resume", number))
        assert state_of(c4, int(number)) is JobState.CANCELLED  # its original state
    assert not trap.has_run
    done = c4("jobs", "resume", "1", "--allow-programs")
    assert done.code == 0, done.err
    assert trap.has_run


def state_of(c4: C4, job_id: int = 1) -> JobState:
    with Database.open(str(c4.directory / "test.db")) as database, database.read() as session:
        return watching.get_job(session, job_id).state


def test_failed_units_are_not_retried_with_programs(c4: C4, trap: Trap) -> None:
    with Database.open(str(c4.directory / "test.db")) as database:
        planned = plan_matches(database, [terms(player_a=trap.player("exec"), games=2)])
        with database.write() as session:
            session.execute(update(Unit).values(state="failed", error="x"))
            session.execute(update(Job).values(state=JobState.FAILED))
    assert "--allow-programs" in refused(c4("jobs", "resume", str(planned.job_id)))
    assert state_of(c4) is JobState.FAILED
    assert not trap.has_run
    assert c4("jobs", "resume", "1", "--allow-programs").code == 0
    assert trap.has_run


@pytest.mark.parametrize("command", ["match", "tournament"])
def test_a_changed_stored_match_starts_nothing(c4: C4, trap: Trap, command: str) -> None:
    """The job was requested by the user; the match that it plays is another one."""
    asked = (command, "set", "random", "--games", "2", "--judge", "none")
    assert c4(*asked, "--detach", "-q").code == 0
    with Database.open(str(c4.directory / "test.db")) as database:
        as_another(database, 1, player_a=trap.player("exec"))
    assert "--allow-programs" in refused(c4(*asked))
    assert not trap.has_run
    done = c4(*asked, "--allow-programs")
    assert done.code == 0, done.err
    assert trap.has_run


def test_the_command_line_allows_only_the_programs_it_names(c4: C4, trap: Trap) -> None:
    asked = ("match", trap.player("kaggle"), "random", "--games", "2", "--judge", "none")
    assert c4(*asked, "--detach", "-q").code == 0
    with Database.open(str(c4.directory / "test.db")) as database:
        as_another(database, 1, player_b=trap.player("exec"))
    assert "exec:" in refused(c4(*asked))
    assert not trap.has_run


def test_a_hostile_trigger_loads_nothing(c4: C4, trap: Trap) -> None:
    """A received file with a trigger is refused, and SQLite is set not to trust triggers."""
    assert c4("db", "init").code == 0
    file = c4.directory / "test.db"
    with Database.open(str(file)) as database, database.read() as session:
        assert session.scalar(text("PRAGMA trusted_schema")) == 0
    with closing(sqlite3.connect(file)) as connection:
        load = f"SELECT load_extension('{c4.directory / 'trap.so'}')"
        connection.execute(f"CREATE TRIGGER trap AFTER INSERT ON matches BEGIN {load}; END")
        connection.commit()
    done = c4("match", "set", "random", "--games", "1", "--judge", "none")
    assert "triggers than C4's (for example 'trap')" in refused(done, code=1)
    assert not trap.has_run


def super_journal(database: Path, victim: Path) -> None:
    """Put a journal beside a database, as SQLite writes it for a transaction over several files."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(victim)
    page = 4096
    head = magic + struct.pack(">5I", 0, 0, database.stat().st_size // page, 512, page)
    tail = name + struct.pack(">2I", len(name), sum(name)) + magic
    lock_page = struct.pack(">I", (1 << 30) // page + 1)
    Path(f"{database}-journal").write_bytes(head.ljust(512, b"\0") + lock_page + tail)


@pytest.mark.parametrize("command", ["query", "db check", "db init"])
def test_a_journal_deletes_no_other_file(c4: C4, command: str) -> None:
    assert c4("db", "init").code == 0
    file, victim = c4.directory / "test.db", c4.directory / "victim"
    victim.write_text("of somebody")
    super_journal(file, victim)
    said = refused(c4(*command.split()), code=1)
    assert "names another file, which SQLite would delete" in said
    assert victim.exists()
    link = c4.directory / "link.db"
    link.symlink_to(file)
    refused(c4(*command.split(), "--db", str(link)), code=1)
    assert victim.exists()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("SELECT count(*) FROM jobs")
    assert not victim.exists()  # without the check


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_beside_a_database_changes_no_other_file(
    c4: C4, suffix: str, link: Callable[[Path, Path], None]
) -> None:
    assert c4("db", "init").code == 0
    victim = c4.directory / "victim"
    victim.write_bytes(b"x" * 100_000)
    link(victim, Path(f"{c4.directory / 'test.db'}{suffix}"))
    assert f"test.db{suffix} is a link" in refused(c4("db", "check"), code=1)
    assert victim.read_bytes() == b"x" * 100_000


def test_no_database_is_made_through_a_link(c4: C4) -> None:
    victim = c4.directory / "victim"
    (c4.directory / "test.db").symlink_to(victim)
    for command in ("db init", "jobs list"):
        assert "it is a link" in refused(c4(*command.split()), code=1)
    assert not victim.exists()


# Books and models that a job or a game names


def test_the_book_of_a_job_must_be_a_regular_file(c4: C4) -> None:
    pipe = c4.directory / "pipe"
    os.mkfifo(pipe)
    (c4.directory / "positions.txt").write_text("444444\n")
    done = ends(lambda: c4("analyze", "positions.txt", "--book", str(pipe)))
    assert "not a regular file" in refused(done, code=1)
    moves = "2252576253462244111563365343671351441\n"
    assert c4("analyze", "--detach", "-q", "-", stdin=moves).code == 0
    with closing(sqlite3.connect(c4.directory / "test.db")) as file:
        (stored,) = file.execute("SELECT params FROM jobs").fetchone()
        params = json.loads(stored) | {"book": str(pipe)}
        file.execute("UPDATE jobs SET params = ?", (json.dumps(params),))
        file.commit()
    assert ends(lambda: c4("jobs", "resume", "1")).code == 0


def test_stored_player_descriptions_open_no_files() -> None:
    with pytest.raises(PlayerError):
        parse_player("learning-cnn:model=/dev/zero")
    assert parse_player("learning-cnn:model=/dev/zero", checked=False).text
