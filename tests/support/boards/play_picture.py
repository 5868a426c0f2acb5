"""The picture in docs/play.md: ``python -m tests.support.boards.play_picture > docs/play.svg``.

Textual draws it from a real game on a screen of 80 x 24 characters.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path
from typing import Final

from c4core.notation import DEFAULT_BOARD, parse_moves
from cli.commands.play.app import PlayApp
from cli.commands.play.game import Game, read_seat
from cli.commands.play.opponents import GameResources, Scores
from cli.commands.play.screen import Setup

MOVES: Final = "4475544754554222"
"""The moves before the picture; x is to move."""

LOOK_SECONDS: Final = 0.05

_FONT: Final = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Textual's picture would load a font from the web; the reader's own font replaces it."""


def main() -> None:
    """Write the picture to standard output."""
    sys.stdout.write(asyncio.run(picture()))


async def picture() -> str:
    """The screen of a game with hints, as SVG."""
    game = Game(
        read_seat("human"), read_seat("hard"), 1, DEFAULT_BOARD, parse_moves(MOVES, width=7)
    )
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "play.json"
        supplies = GameResources(Scores(None, table_mb=16, threads=1))
        app = PlayApp(game, Setup(file, supplies, 0.0, animated=False))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("h")
            while not app.game_screen.is_hinted:
                await pilot.pause(LOOK_SECONDS)
            drawn = app.export_screenshot(title="c4 play")
        app.game_screen.leave()
    return _FONT.sub("", drawn).replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas") + "\n"


if __name__ == "__main__":
    main()
