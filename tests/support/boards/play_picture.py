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

from tests.support.boards.play import hands_on, new_game

MOVES: Final = "4475544754554222"
"""The moves before the picture; x is to move."""

_FONT: Final = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""Textual's picture would load a font from the web; the reader's own font replaces it."""


async def picture() -> str:
    """The screen of a game with hints, as SVG."""
    with tempfile.TemporaryDirectory() as directory:
        async with hands_on(new_game(MOVES, second="hard"), Path(directory) / "play.json") as hands:
            await hands.press("h")
            await hands.until(lambda: hands.app.game_screen.is_hinted)
            drawn = hands.app.export_screenshot(title="c4 play")
    return _FONT.sub("", drawn).replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas") + "\n"


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(picture()))
