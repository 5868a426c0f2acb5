"""A driver for ``c4 play`` without a terminal: it sends keys and clicks and reads the screen."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

from textual.errors import NoWidget
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from c4core.notation import DEFAULT_BOARD, BoardSize, parse_moves
from c4core.players import ANY_PROGRAM
from cli.commands.play.app import PlayApp
from cli.commands.play.board import BoardView
from cli.commands.play.game import Game, read_seat
from cli.commands.play.opponents import GameResources, Scores
from cli.commands.play.screen import Setup
from tests.support.running.waiting import HANG_SECONDS

AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])

QUIET_ROUNDS = 2
"""Rounds in which every part of the screen has handled all its messages."""


def new_game(
    moves: str = "",
    *,
    first: str = "human",
    second: str = "human",
    board: BoardSize = DEFAULT_BOARD,
    seed: int = 1,
) -> Game:
    """A new game between these players."""
    columns = parse_moves(moves, width=board.width)
    x, o = (read_seat(text, programs=ANY_PROGRAM) for text in (first, second))
    return Game(x, o, seed, board, columns)


@dataclass(frozen=True)
class Backend:
    """The actions and observations of a person at the terminal."""

    app: PlayApp
    pilot: Pilot[None]

    async def press(self, *keys: str) -> None:
        """Type keys, one at a time."""
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def click(self, selector: str, *, offset: tuple[int, int] | None = None) -> None:
        """Click a visible widget, in its middle or at an offset."""
        await self.app.animator.wait_until_complete()  # a window may be scrolling
        await self.until(lambda: self._takes_clicks(selector))
        if offset is None:
            await self.pilot.click(selector)
        else:
            await self.pilot.click(selector, offset=offset)
        await self.pilot.pause()

    def _takes_clicks(self, selector: str) -> bool:
        found = self.app.screen.query(selector)
        if not found or not found.first().region.area:
            return False
        if found.first().has_class(
            "-active"
        ):  # for a moment after a click, further clicks are ignored
            return False
        with suppress(NoWidget):
            seen, _ = self.app.get_widget_at(*map(int, found.first().region.center))
            return found.first() in seen.ancestors_with_self
        return False

    async def until(self, happens: Callable[[], bool]) -> None:
        """Wait until a condition holds."""
        async with asyncio.timeout(HANG_SECONDS):
            while not happens():
                await self.pilot.pause(0.02)

    async def until_moves(self, number: int) -> None:
        """Wait until this many moves have been played."""
        await self.until(lambda: len(self.game.columns) == number)

    async def until_shown(self, kind: type[AnyScreen]) -> AnyScreen:
        """Wait until such a dialog is on top and one of its widgets has the focus."""

        def is_shown() -> bool:
            screen = self.app.screen
            is_ready = screen.is_mounted and (not screen.focus_chain or screen.focused is not None)
            return isinstance(screen, kind) and is_ready

        await self.until(is_shown)
        await self.pilot.pause()
        screen = self.app.screen
        assert isinstance(screen, kind)
        return screen

    async def until_closed(self) -> None:
        """Wait until no dialog is open."""
        await self.until(lambda: self.app.screen is self.app.game_screen)
        await self.pilot.pause()

    @property
    def game(self) -> Game:
        return self.app.game

    @property
    def file(self) -> Path:
        """The file in which the game is saved."""
        return self.app.game_screen._setup.file

    @property
    def board(self) -> str:
        drawn = self.app.game_screen.query_one(BoardView).render()
        return drawn.plain

    @property
    def status(self) -> list[str]:
        """The two lines below the board."""
        return self.text("#status").split("\n")

    def text(self, selector: str) -> str:
        """The text of a part of the screen."""
        return str(self.app.game_screen.query_one(selector, Static).content)


@asynccontextmanager
async def hands_on(
    game: Game,
    file: Path,
    *,
    unfinished: Game | None = None,
    animated: bool = False,
    delay: float = 0.0,
    size: tuple[int, int] = (80, 24),
) -> AsyncIterator[Backend]:
    """A program that is running."""
    supplies = GameResources(Scores(None, table_mb=4, threads=1))
    app = PlayApp(game, Setup(file, supplies, delay, animated=animated), unfinished=unfinished)

    async def no_messages(*_seconds: float) -> None:
        """Wait until all messages are handled.

        Textual's own function waits until the process is idle. On a loaded machine this is
        unreliable, and it takes a second while a player thinks.
        """
        quiet = 0
        while quiet < QUIET_ROUNDS and app.is_running:
            await Pilot(app)._wait_for_screen(HANG_SECONDS)
            await asyncio.sleep(0)
            pumps = (app, *app.screen.walk_children(with_self=True))
            quiet = 0 if any(pump.message_queue_size for pump in pumps) else quiet + 1

    with (
        mock.patch("textual.app.wait_for_idle", no_messages),
        mock.patch("textual.pilot.wait_for_idle", no_messages),
    ):
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Backend(app, pilot)
    app.game_screen.leave()


def run(scenario: Coroutine[Any, Any, None]) -> None:
    """Run a test's coroutine."""
    asyncio.run(scenario)


def scenario(
    game: Game | None = None,
    **options: Any,  # noqa: ANN401 (of ``hands_on``)
) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Callable[..., None]]:
    """Give an asynchronous test a running program as its first argument, ``hands``."""

    def decorate(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        _, *wanted = inspect.signature(test).parameters.values()
        path = inspect.Parameter("tmp_path", inspect.Parameter.KEYWORD_ONLY)

        def play(*, tmp_path: Path, **fixtures: object) -> None:
            async def main() -> None:
                file = tmp_path / "play.json"
                async with hands_on(game or new_game(), file, **options) as hands:
                    await test(hands, **fixtures)

            asyncio.run(main())

        play.__name__, play.__doc__, play.__module__ = test.__name__, test.__doc__, test.__module__
        parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in wanted]
        vars(play)["__signature__"] = inspect.Signature([path, *parameters])
        return play

    return decorate
