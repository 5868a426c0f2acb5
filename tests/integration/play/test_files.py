"""Games written by ``c4 play --json`` survive import by ``c4 games import`` and export."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from c4core.arena.file_formats import json_line, read_json_games
from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.notation import parse_moves
from cli.commands.play.game import Game, read_seat
from cli.commands.play.saved import read_game, write_game
from tests.support.running.command_line import C4

ENOUGH = "333333451222151121266215555666644400440000"
FULL = "".join(str(int(column) + 1) for column in ENOUGH)


def game(moves: str) -> Game:
    return Game(read_seat("human"), read_seat("hard"), 5, columns=parse_moves(moves))


GAMES = {
    Ending.FOUR: game("4343434"),
    Ending.FULL: game(FULL),
    Ending.ILLEGAL: game("4").failed("illegal: column 8 is outside the board", Ending.ILLEGAL),
    Ending.TIME: game("4").failed("time: no answer within 60 s", Ending.TIME),
    Ending.ERROR: game("4").failed("error: no idea", Ending.ERROR),
    Ending.CRASH: game("4").failed(
        "crash: ended with exit status 3: '\x1b[31m\ud800'", Ending.CRASH
    ),
    Ending.NONSENSE: game("4").failed("nonsense: answered 'four'", Ending.NONSENSE),
    Ending.RESIGNED: game("44").resigned(),
    Ending.UNFINISHED: game("4435"),
}
"""One game for every ending."""


def test_the_games_have_every_ending() -> None:
    assert set(GAMES) == set(Ending)


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_is_written(c4: C4, ending: Ending) -> None:
    kept = GAMES[ending]
    write_game(c4.directory / "kept.json", kept)
    assert read_game(c4.directory / "kept.json") == kept
    played = ("play", "--plain", "--json", "--resume", "--file", "kept.json")
    written = c4(*played, stdin="quit\n")
    assert written.code == 0
    (fields,) = written.objects
    assert (fields["ending"], fields["winner"]) == (str(ending), kept.winner)
    assert (fields["first"], fields["second"]) == ("human", read_seat("hard").description)
    assert list(read_json_games(io.BytesIO(written.out.encode()))) == [kept.entry()]


def test_every_ending_round_trips(c4: C4) -> None:
    """Imported, exported, and checked."""
    entries = [kept.entry() for kept in GAMES.values()]
    done = c4("games", "import", "-", stdin="\n".join(map(json_line, entries)))
    assert (done.code, done.err) == (0, f"{len(entries)} games stored as match 1\n")
    exported = list(read_json_games(io.BytesIO(c4("games", "export").out.encode())))
    for again, entry in zip(exported, entries, strict=True):
        assert isinstance(again, GameEntry)
        detail = entry.detail.replace("\ud800", "?")  # which databases cannot store
        assert again._replace(match=None, number=None) == entry._replace(detail=detail)
    assert c4("db", "check").code == 0
    for number in range(len(entries)):
        assert c4("games", "show", f"1:{number}").code == 0
    assert c4("games", "report", "1", "--judge", "none").code == 0


def test_unfinished_games_are_not_counted(c4: C4) -> None:
    lines = [json_line(GAMES[ending].entry()) for ending in (Ending.FOUR, Ending.UNFINISHED)]
    assert c4("games", "import", "-", stdin="\n".join(lines)).code == 0
    report = json.loads(c4("games", "report", "1", "--judge", "none", "--json").out)
    assert (report["games"], report["a"]["wins"], report["a"]["draws"]) == (1, 1, 0)
    assert c4("games", "list", "--winner", "none", "--jsonl").objects == []
    (row,) = c4("games", "list", "--ending", "unfinished", "--jsonl").objects
    assert (row["winner"], row["moves"]) == (None, "4435")
    again = c4("games", "replay", "1:1")
    assert again.code == 2
    assert "cannot be played again" in again.err


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"moves": "445", "ending": "unfinished", "winner": "x"},
            "an unfinished game has no winner",
        ),
        ({"moves": "4343434", "ending": "unfinished", "winner": None}, "position is not over"),
        ({"moves": "445", "ending": "resigned", "winner": None}, "has a winner"),
        ({"moves": "445", "ending": "bored", "winner": "x"}, "unknown ending 'bored'"),
    ],
)
def test_contradicting_endings_are_refused(c4: C4, fields: dict[str, object], message: str) -> None:
    done = c4("games", "import", "-", stdin=json.dumps(fields))
    assert done.code == 1
    assert message in done.err


def test_resigning_at_the_prompt(c4: C4) -> None:
    done = c4("play", "--plain", "--second", "easy", stdin="4\nresign\n")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "o has won: x (human) resigned"
    # The game is over, so another one can start at once.
    assert c4("play", "--plain", "--second", "easy", stdin="quit\n").code == 0


def test_resigning_can_be_undone() -> None:
    for moves in ("44", "445"):  # with the person to move, or the computer
        given_up = game(moves).resigned()
        assert (given_up.winner, given_up.is_over) == ("o", True)
        assert given_up.taken_back() == game(moves)


def test_games_saved_by_older_versions_have_no_ending(tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    write_game(path, GAMES[Ending.CRASH])
    fields = json.loads(path.read_text())
    del fields["failure"]["ending"]
    path.write_text(json.dumps(fields))
    old = read_game(path)
    assert old is not None
    assert old.failure is not None
    assert old.failure.ending is Ending.ERROR
    assert replace(old, failure=None) == replace(GAMES[Ending.CRASH], failure=None)
