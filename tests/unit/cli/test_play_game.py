"""The game of ``c4 play`` as a value, its seats, and the file in which it is saved."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.errors import MoveError
from c4core.notation import BoardSize, parse_moves
from c4core.players import LEVELS, Player
from c4core.players.errors import PlayerError
from cli.commands.play.game import (
    HUMAN,
    Game,
    SavedGameError,
    Seat,
    choices,
    read_game,
    read_seat,
    write_game,
)
from cli.commands.play.opponents import GameResources, Opponents
from cli.commands.play.panels import SessionScore
from tests.support.refusals import refusal

if TYPE_CHECKING:
    from cli.commands.play.opponents import Scores

PERSON = read_seat(HUMAN)
COMPUTER = read_seat("easy")


def game(moves: str = "", first: Seat = PERSON, second: Seat = COMPUTER) -> Game:
    return Game(first, second, 7, columns=parse_moves(moves))


def test_seats_take_turns() -> None:
    assert game().awaits_person
    assert not game().awaits_computer
    assert game("4").awaits_computer
    assert game("4").seat_to_move == COMPUTER
    assert game().played(3) == game("4")
    assert game("44", COMPUTER, COMPUTER).has_person is False
    with pytest.raises(MoveError, match="column 1 is full"):
        game("111111").played(0)


@pytest.mark.parametrize(
    ("moves", "winner", "sentence"),
    [
        ("", None, "x to move (human)"),
        ("4", None, "o to move (easy)"),
        ("1122334", "x", "x has won (human)"),
        ("71122334", "o", "o has won (easy)"),
        ("121212212121343434434343565656656565777777", None, "a draw: the board is full"),
    ],
)
def test_outcome(moves: str, winner: str | None, sentence: str) -> None:
    played = game(moves)
    assert played.winner == winner
    assert played.outcome() == sentence


def test_a_failing_player_loses() -> None:
    played = game("4").failed("time: no answer within 60 s")
    assert played.is_over
    assert played.winner == "x"
    assert played.outcome() == "x has won: o (easy) failed: time: no answer within 60 s"
    assert played.taken_back() == game()


@pytest.mark.parametrize(
    ("first", "second", "moves", "before"),
    [
        (PERSON, COMPUTER, "4435", "44"),  # the answer is undone with the move
        (PERSON, COMPUTER, "443", "44"),  # no answer yet
        (COMPUTER, PERSON, "443", "4"),
        (PERSON, PERSON, "443", "44"),
        (COMPUTER, COMPUTER, "443", "44"),
        (PERSON, COMPUTER, "", None),
        (COMPUTER, PERSON, "4", None),
    ],
)
def test_undo_removes_a_persons_last_move(
    first: Seat, second: Seat, moves: str, before: str | None
) -> None:
    undone = None if before is None else game(before, first, second)
    assert game(moves, first, second).taken_back() == undone


def test_a_move_after_undo_uses_the_same_dice() -> None:
    earlier = game("44").played(2).taken_back()
    assert earlier is not None
    assert earlier.played(2).move_seed == game("44").played(2).move_seed
    assert len({game("44"[:length]).move_seed for length in range(3)}) == 3
    assert game().anew(PERSON, COMPUTER).move_seed != game().move_seed


@pytest.mark.parametrize("text", ["human", "easy", "hard", "perfect", "mcts-uct:iterations=50"])
def test_a_seat_round_trips(text: str) -> None:
    seat = read_seat(f" {text} ")
    assert read_seat(seat.text) == seat
    assert seat.is_human == (text == "human")


def test_unknown_players_are_refused() -> None:
    with pytest.raises(
        PlayerError, match="neither human, beginner, easy, medium, hard, expert nor a player"
    ):
        read_seat("nobody")
    with pytest.raises(PlayerError, match="parameter depth cannot be 'x'"):
        read_seat("alphabeta:depth=x")


def test_every_listed_player_can_play() -> None:
    texts = [text for _, text in choices()]
    assert texts[:6] == ["human", *LEVELS]
    assert {"perfect", "blog-v6", "set"} <= set(texts)
    assert "exec" not in texts
    for text in texts:
        read_seat(text)


def test_results_count_finished_games() -> None:
    score = SessionScore()
    for moves in ("4", "1122334", "71122334"):
        score = score.counting(game(moves))
    assert str(score) == "x 1, o 1, drawn 0"


def test_a_saved_game_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "play.json"
    assert read_game(path) is None
    kept = Game(
        read_seat("perfect:blunder=0.1"), PERSON, -5, BoardSize(12, 4), parse_moves("cC1", width=12)
    )
    write_game(path, kept)
    assert read_game(path) == kept
    failed = kept.failed("crash: it is gone")
    write_game(path, failed)
    assert read_game(path) == failed
    assert list(tmp_path.iterdir()) == [path]


GOOD = {
    "format": "c4-play",
    "version": 1,
    "board": "7x6",
    "first": "human",
    "second": "easy",
    "seed": 1,
    "moves": "44",
}


def test_bad_saved_games_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    path = tmp_path / "other"
    changes: list[dict[str, object]] = [
        {"format": "pgn"},
        {"version": 2},
        {"moves": None},
        {"seed": True},
        {"board": "7"},
        {"second": "me"},
        {"moves": "48"},
        {"moves": "4" * 7},
        {"failure": None},
        {"failure": {"loser": "x"}},
        {"failure": {"loser": "z", "reason": ""}},
    ]
    texts = ["", "\x00\xff", "[" * 100_000, "[" * 60_000, "[]"]
    texts += [json.dumps(GOOD | change) for change in changes]
    texts.append(json.dumps({name: value for name, value in GOOD.items() if name != "first"}))
    said = {}
    for text in texts:
        path.write_bytes(text.encode("latin-1"))
        said[text[:200]] = refusal(read_game, path, error=SavedGameError, hiding=tmp_path)
    assert said == snapshot


def test_every_player_is_closed_even_if_one_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def fail(what: str) -> None:
        told.append(what)
        raise RuntimeError(what)

    monkeypatch.setattr(Player, "end", lambda _player, result: fail(result))
    monkeypatch.setattr(Player, "close", lambda _player: fail("close"))
    scores = cast("Scores", None)  # random needs none
    opponents = Opponents(GameResources(scores))
    opponents.choose(game("", COMPUTER, COMPUTER))
    opponents.choose(game("4", COMPUTER, COMPUTER))
    opponents.end(game("4343434", COMPUTER, COMPUTER))
    assert told == ["win", "close", "loss", "close"]
