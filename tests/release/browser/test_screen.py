"""``c4 play`` on the screen: a program types, clicks and reads the display."""

import asyncio
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input, Select

from c4core import Position, Solver
from c4core.notation import BoardSize
from cli.commands.play.board import BoardView
from cli.commands.play.game import read_game, read_seat
from cli.commands.play.panels import HowToPlay, NewGame, Unfinished
from tests.support.boards.play import Backend, hands_on, new_game, run, scenario
from tests.support.boards.play_picture import picture
from tests.support.running.command_line import ROOT


@pytest.fixture
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@scenario(new_game(second="easy"))
async def test_digits_play_the_computer_answers_and_undo_takes_back_both(hands: Backend) -> None:
    assert hands.status[0] == "x to move (human)"
    await hands.press("4")
    await hands.until_moves(2)
    assert hands.game.moves[0] == "4"
    before = hands.game
    await hands.press("4")
    await hands.until_moves(4)
    after = hands.game
    assert read_game(hands.file) == after
    await hands.press("u")
    assert hands.game == before
    assert read_game(hands.file) == before
    await hands.press("4")
    await hands.until_moves(4)
    assert hands.game == after  # the same dice
    await hands.press("u", "u", "u")
    assert hands.game.moves == ""
    assert hands.status[1] == "There is nothing to undo."


@scenario()
async def test_arrows_point_and_enter_plays(hands: Backend) -> None:
    await hands.press("left", "left", "enter", "right", "space", *["right"] * 5, "down")
    assert hands.game.moves == "237"


@scenario()
async def test_the_mouse_points_and_plays(hands: Backend) -> None:
    board = hands.app.game_screen.query_one(BoardView)
    place = board.place
    assert place is not None
    for column in (6, 0, 3):
        x = place.left + column * place.cell_width + 1
        await hands.pilot.hover(BoardView, offset=(x, 5))
        assert board.pointer == column
        await hands.click("BoardView", offset=(x, 5))
    assert hands.game.moves == "714"
    await hands.click("BoardView", offset=(0, 5))  # beside the board
    assert hands.game.moves == "714"


@scenario(new_game("44444556"))
async def test_hints_are_exact(hands: Backend) -> None:
    await hands.press("h")
    await hands.until(lambda: "score" in hands.status[1] and "comp" not in hands.status[1])
    position = Position(hands.game.moves)
    scores = Solver().analyze(position).scores
    shown = hands.board.split("\n")[-1].replace("*", "").split()
    assert [None if text == "." else int(text) for text in shown] == list(scores)
    best = max(score for score in scores if score is not None)
    assert f": score {best:+d} for x" in hands.status[1]
    await hands.press("2")  # the suggestions follow the game
    await hands.until(lambda: hands.status[1].startswith("o to move, "))
    await hands.press("h")
    assert hands.status[1] == ""
    assert hands.board.split("\n")[-1].strip() == ""


@scenario(new_game(board=BoardSize(9, 6)), size=(100, 30))
async def test_a_search_for_a_hint_is_given_up_when_somebody_moves(hands: Backend) -> None:
    # The empty board of this size takes hours.
    await hands.press("h")
    assert hands.status[1] == "computing the exact scores ..."
    await hands.press("h", "4")
    assert hands.game.moves == "4"
    scores = hands.app.game_screen._setup.supplies.scores
    await hands.until(lambda: not scores._searching)


@scenario(new_game("112233"))
async def test_the_winning_four_and_the_results_are_shown(hands: Backend) -> None:
    assert hands.text("#results") == "games: x 0, o 0, drawn 0"
    await hands.press("4")
    assert hands.status[0].startswith("x has won (human)")
    assert hands.board.count("◆xx◆") == 4
    assert hands.text("#results") == "games: x 1, o 0, drawn 0"
    await hands.press("5")
    assert hands.status[1] == "The game is over."
    await hands.press("u")
    assert hands.text("#results") == "games: x 0, o 0, drawn 0"
    assert "◆◆" not in hands.board
    await hands.press("4", "n")
    await hands.until_shown(NewGame)
    await hands.press("enter")
    await hands.until_moves(0)
    assert hands.text("#results") == "games: x 1, o 0, drawn 0"


@scenario(new_game("1111114"))
async def test_moves_are_listed_and_mistakes_are_told(hands: Backend) -> None:
    listed = hands.text("#moves").split("\n")
    assert [line.split() for line in listed] == [
        ["moves"],
        *([f"{number}.", "1", "1"] for number in (1, 2, 3)),
        ["4.", "4"],
    ]
    await hands.press("1")
    assert hands.status == ["o to move (human)", "Column 1 is full."]
    await hands.press("8", "x")  # no column, no command
    assert hands.game.moves == "1111114"


@scenario()
async def test_how_to_play(hands: Backend) -> None:
    await hands.press("question_mark")
    await hands.until_shown(HowToPlay)
    await hands.press("4")  # not for the board
    await hands.press("escape")
    await hands.until_closed()
    assert hands.game.columns == ()


@scenario(new_game("44"))
async def test_other_players_sit_down(hands: Backend) -> None:
    await hands.press("n")
    dialog = await hands.until_shown(NewGame)
    await hands.click("#first")
    await hands.press("down", "enter")
    await hands.until(lambda: dialog.query_one("#first", Select).value == "beginner")
    await hands.click("#go-on")
    await hands.until_moves(3)  # the game continues, and the computer plays x
    assert hands.game.moves.startswith("44")
    seats = ["x", "●", "beginner", ">", "o", "●", "human"]
    await hands.until(lambda: hands.text("#players").split() == seats)
    await hands.press("n")
    await hands.until_shown(NewGame)
    await hands.press("escape")
    await hands.until_closed()
    assert len(hands.game.columns) == 3


@scenario(new_game("44"))
async def test_any_player_can_be_typed(hands: Backend) -> None:
    await hands.press("n")
    dialog = await hands.until_shown(NewGame)
    await hands.click("#second-text")
    text = dialog.query_one("#second-text", Input)
    await hands.until(lambda: hands.app.focused is text)
    await hands.press(*"pvs:depth=x")
    await hands.until(lambda: text.value == "pvs:depth=x")
    await hands.click("#new")
    await hands.until(lambda: "depth" in str(dialog.query_one("#mistake").render()))
    assert "parameter depth cannot be 'x'" in str(dialog.query_one("#mistake").render())
    await hands.until(lambda: hands.app.focused is text)
    await hands.press("backspace", "3")
    await hands.until(lambda: text.value == "pvs:depth=3")
    await hands.click("#new")
    await hands.until(lambda: hands.game.moves == "")
    assert hands.game.second == read_seat("pvs:depth=3")
    await hands.press("n")  # the player is now in the list
    dialog = await hands.until_shown(NewGame)
    assert dialog.query_one("#second", Select).value == hands.game.second.text


@pytest.mark.parametrize(("button", "moves"), [("#resume", "4455"), ("#new", "")])
@scenario(unfinished=new_game("4455", second="hard"))
async def test_an_unfinished_game(hands: Backend, button: str, moves: str) -> None:
    await hands.until_shown(Unfinished)
    await hands.click(button)
    await hands.until(lambda: hands.game.moves == moves)
    assert hands.game.second == read_seat("hard" if moves else "human")


@scenario(new_game(first="set", second="easy"), delay=3600)
async def test_players_play_by_themselves_and_wait_when_told_to(hands: Backend) -> None:
    screen = hands.app.game_screen

    def is_waiting() -> bool:
        """Whether no move is being chosen and none is due."""
        return screen._thinking is None and screen._wait is None

    await hands.until_moves(1)
    await hands.until(lambda: not is_waiting())  # the program sleeps for an hour
    await hands.press("p")
    assert is_waiting()
    await hands.press("enter")
    await hands.until_moves(2)
    await hands.pilot.pause()
    assert is_waiting()
    screen._setup = replace(screen._setup, delay=0)
    await hands.press("p")
    await hands.until(lambda: hands.game.is_over)
    assert read_game(hands.file) == hands.game


def program(answer: str) -> str:
    """A player that runs this command for each move."""
    loop = f"while read word rest; do case $word in go) {answer};; esac; done"
    return f"exec:sh -c {shlex.quote(f'read hello; echo ready; {loop}')}"


@scenario(new_game(second=program("touch thinking; exec sleep 600")))
async def test_undo_ends_a_program_that_thinks(hands: Backend, in_a_folder: Path) -> None:
    await hands.press("1")
    await hands.until((in_a_folder / "thinking").exists)
    assert "is thinking" in hands.status[0]
    await hands.press("2")
    assert hands.status[1] == "It is not your turn."
    program = thinking_program(hands)
    await hands.press("u")
    assert hands.game.moves == ""
    assert hands.status[0] == "x to move (human)"
    await hands.until(lambda: not program.is_running)


def thinking_program(hands: Backend):  # noqa: ANN201 (the player's own process, for inspection)
    (player,) = hands.app.game_screen._opponents._players.values()
    return player._seat.program


@scenario(new_game(second="random"))
async def test_a_machine_that_has_run_out_of_something_loses_nobody_the_game(
    hands: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise MemoryError("no memory for a tree")

    with monkeypatch.context() as patch:
        patch.setattr("c4core.players.roster.simple.Random.choose", fail)
        await hands.press("4")
        await hands.until(lambda: "paused" in hands.status[0])
    assert hands.game.failure is None
    await hands.press("p")
    await hands.until_moves(2)


@scenario(animated=True)
async def test_stones_fall_and_land_at_once_when_somebody_plays_on(
    hands: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = hands.app.game_screen.query_one(BoardView)
    with monkeypatch.context() as patch:
        patch.setattr("cli.commands.play.board.ROW_SECONDS", 60)
        await hands.press("4")
        assert board._look.falling is not None
    await hands.press("4", "4")
    assert hands.game.moves == "444"
    await hands.until(lambda: board._look.falling is None)


@scenario(size=(80, 11))
async def test_a_small_terminal_has_the_board_only_or_says_so(hands: Backend) -> None:
    assert "needs 21 x 9 characters" in hands.board
    await hands.pilot.resize_terminal(80, 24)
    await hands.until(lambda: "▐████▌" in hands.board)
    assert hands.app.game_screen.query_one("SidePanel").display
    await hands.pilot.resize_terminal(40, 20)
    await hands.until(lambda: not hands.app.game_screen.query_one("SidePanel").display)
    assert "▗▄▄▄▖" in hands.board


def test_an_unwritable_file_does_not_end_the_game(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with hands_on(new_game(), tmp_path / "gone" / "play.json") as hands:
            await hands.press("4", "4")
            assert hands.game.moves == "44"
            (first, *_) = hands.app._notifications
            assert "The game is not saved" in first.message

    run(scenario())


def test_the_picture_in_the_documents_is_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    kept = (ROOT / "docs" / "play.svg").read_text(encoding="utf-8")
    drawn = asyncio.run(picture())
    words = re.compile(r"<text[^>]*>([^<]*)</text>")
    assert words.findall(drawn) == words.findall(kept), (
        "python -m tests.support.boards.play_picture > docs/play.svg"
    )
    assert "url(" not in re.sub(r"url\(#", "", kept)  # nothing is loaded from elsewhere
