"""``c4 play`` line by line, and its games in other commands."""

import io
import json

from c4core.arena.file_formats import json_line, read_json_games
from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.notation import parse_moves
from cli.commands.play.game import Game, read_seat
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4

ALONE = "play --plain --second human"


def game(moves: str) -> Game:
    return Game(read_seat("human"), read_seat("hard"), 5, columns=parse_moves(moves))


def test_games_against_the_computer_are_reproducible(c4: C4) -> None:
    arguments = ("play", "--plain", "--new", "--seed", "3", "--second", "hard", "--no-store")
    first, second = (c4(*arguments, stdin="4\n4\nundo\n4\n") for _ in range(2))
    assert first.out == second.out
    assert first.out.count("o (hard) plays") == 3
    assert "continue with: c4 play --resume" in first.err


def test_a_hint_is_exact_and_stored(c4: C4) -> None:
    done = c4(*ALONE.split(), "--moves", EASY, stdin="hint\n")
    known = c4("query", "--json", EASY)
    assert known.code == 0
    (row,) = json.loads(known.out)
    assert f": score {row['score']:+d} for o" in done.out
    assert "best: " + ", ".join(map(str, row["best"])) in done.out


def test_lines_that_are_not_text_or_too_long_are_reported(c4: C4) -> None:
    done = c4(*ALONE.split(), stdin=b"4\n\xff\xfe\n" + b"4" * 3000 + b"\nfour\n")
    assert done.code == 1
    bad, long, after, _saved = done.err.splitlines()
    assert bad.startswith("line 2: ")
    assert " is neither a column nor a command" in bad
    assert long.startswith("line 3: a line has at most 1,024 bytes ")
    assert after.startswith("line 4: ")


def test_resigning_is_undone() -> None:
    for moves in ("44", "445"):  # with the person to move, or the computer
        given_up = game(moves).resigned()
        assert (given_up.winner, given_up.is_over) == ("o", True)
        assert given_up.taken_back() == game(moves)


GAMES = {
    Ending.FOUR: game("4343434"),
    Ending.FULL: game("444444562333262232377326666777755511551111"),
    Ending.ILLEGAL: game("4").failed("illegal: column 8 is outside the board", Ending.ILLEGAL),
    Ending.TIME: game("4").failed("time: no answer within 60 s", Ending.TIME),
    Ending.ERROR: game("4").failed("error: no idea", Ending.ERROR),
    Ending.CRASH: game("4").failed("crash: exit status 3: '\x1b[31m'", Ending.CRASH),
    Ending.NONSENSE: game("4").failed("nonsense: answered 'four'", Ending.NONSENSE),
    Ending.RESIGNED: game("44").resigned(),
    Ending.UNFINISHED: game("4435"),
}
"""One game for every ending."""


def test_every_ending_is_imported_exported_and_checked(c4: C4) -> None:
    """Unfinished games are not counted."""
    entries = [kept.entry() for kept in GAMES.values()]
    done = c4("games", "import", "-", stdin="\n".join(map(json_line, entries)))
    assert (done.code, done.err) == (0, f"{len(entries)} games stored as match 1\n")
    exported = list(read_json_games(io.BytesIO(c4("games", "export").out.encode())))
    for again, entry in zip(exported, entries, strict=True):
        assert isinstance(again, GameEntry)
        assert again._replace(match=None, number=None) == entry
    assert c4("db", "check").code == 0
    for number in range(len(entries)):
        assert c4("games", "show", f"1:{number}").code == 0
    report = json.loads(c4("games", "report", "1", "--judge", "none", "--json").out)
    assert report["games"] == len(entries) - 1
    (draw,) = c4("games", "list", "--winner", "none", "--jsonl").objects
    assert draw["ending"] == "full"
    (row,) = c4("games", "list", "--ending", "unfinished", "--jsonl").objects
    assert (row["winner"], row["moves"]) == (None, "4435")
    replayed = c4("games", "replay", f"1:{row['number']}")
    assert (replayed.code, "cannot be played again" in replayed.err) == (2, True)
