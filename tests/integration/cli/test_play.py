"""``c4 play``, and its games in other commands."""

import io
import json

import pytest

from c4core.arena.file_formats import read_json_games
from c4core.arena.files import GameEntry
from c4core.players import LEVELS
from c4core.players.errors import PlayerError
from cli.commands.play import HUMAN, read_seat
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4

ALONE = "play --second human"


def test_games_against_the_computer_are_reproducible(c4: C4) -> None:
    arguments = ("play", "--seed", "3", "--second", "hard", "--no-store")
    first, second = (c4(*arguments, stdin="4\n4\nundo\n4\n") for _ in range(2))
    assert first.out == second.out
    assert first.out.count("o (hard) plays") == 3


def test_the_message_at_the_end_continues_the_game(c4: C4) -> None:
    """Every move has a seed of its own, so the players choose the same moves."""
    whole = c4("play", "--seed", "3", "--second", "easy", "--board", "8x7", stdin="4\n5\n6\n")
    begun = c4("play", "--seed", "3", "--second", "easy", "--board", "8x7", stdin="4\n")
    command = begun.err.removeprefix("Continue with: c4 ").split()
    continued = c4(*command, stdin="5\n6\n")
    assert continued.err == whole.err
    assert whole.out.endswith(continued.out)


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
    bad, long, after, _continue = done.err.splitlines()
    assert bad.startswith("line 2: ")
    assert " is neither a column nor a command" in bad
    assert long.startswith("line 3: a line has at most 1,024 bytes ")
    assert after.startswith("line 4: ")


@pytest.mark.parametrize(
    ("moves", "stdin", "ending", "winner", "outcome"),
    [
        ("434343", "4\n", "four", "x", "x has won (human)"),
        ("44", "resign\n", "resigned", "o", "o has won: x (human) resigned"),
        ("4435", "quit\n", "unfinished", None, "x to move (human)"),
        ("4", "", "crash", "x", "x has won: o (exec:false) failed: crash: "),
        (
            "44444456233326223237732666677775551155111",
            "1\n",
            "full",
            None,
            "a draw: the board is full",
        ),
    ],
)
def test_a_game_is_written_and_imported(  # noqa: PLR0917 (a table)
    c4: C4, moves: str, stdin: str, ending: str, winner: str | None, outcome: str
) -> None:
    second = "exec:false" if ending == "crash" else HUMAN
    written = c4("play", "--json", "--moves", moves, "--second", second, stdin=stdin)
    assert written.code == 0
    (fields,) = written.objects
    assert (fields["ending"], fields["winner"]) == (ending, winner)
    assert fields["outcome"].startswith(outcome)
    (entry,) = read_json_games(io.BytesIO(written.out.encode()))
    assert isinstance(entry, GameEntry)
    assert (entry.first, entry.second) == (HUMAN, second)
    assert c4("games", "import", "-", stdin=written.out).code == 0
    (row,) = c4("games", "list", "--jsonl").objects
    assert (row["ending"], row["winner"], row["moves"]) == (ending, winner, fields["moves"])
    assert c4("db", "check").code == 0


def test_undo_takes_back_the_answer_too(c4: C4) -> None:
    done = c4("play", "--second", "easy", "--moves", "44", stdin="3\nundo\nmoves\nundo\nundo\n")
    assert "\n44\n" in done.out
    assert done.err.startswith("there is nothing to undo")


def test_players_are_levels_or_named() -> None:
    assert read_seat(f" {HUMAN} ").spec is None
    for name, level in LEVELS.items():
        seat = read_seat(name)
        assert (seat.name, str(seat.spec)) == (name, level.player)
    with pytest.raises(
        PlayerError, match="neither human, beginner, easy, medium, hard, expert nor a player"
    ):
        read_seat("nobody")
    with pytest.raises(PlayerError, match="parameter depth cannot be 'x'"):
        read_seat("alphabeta:depth=x")
