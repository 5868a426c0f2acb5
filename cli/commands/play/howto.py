"""The text that explains how to play."""

from __future__ import annotations

from typing import Final

from c4core.players.registry import LEVELS

RULES: Final = (
    "Take turns dropping a stone into a column; it falls onto the stones below. The first with "
    "four in a row, horizontal, vertical or diagonal, wins. A full board is a draw. x begins."
)

HINTS: Final = (
    "Hints are exact: the number below a column is the result of that move if both sides then play "
    "perfectly, for the side to move. Above 0 wins, 0 draws, below 0 loses; the larger, the "
    "sooner the win or the later the loss. * is best."
)

PLAYERS: Final = " ".join(
    (
        *(f"{name}: {level.about}" for name, level in LEVELS.items()),
        "perfect: Never makes a mistake.",
        'Every other player of "c4 players list" can also play.',
    )
)

KEPT: Final = 'The game is saved after every move; use "c4 play --resume" to continue it.'

KEYS: Final = (
    ("1 2 3 ..", "play that column; from the tenth on use Shift and its letter"),
    ("left right", "point at a column; Enter, Space or Down plays it"),
    ("mouse", "point, and click; the commands below can be clicked too"),
    ("u", "undo: back to your last move"),
    ("r", "resign and lose the game; u undoes it"),
    ("h", "hints on and off"),
    ("p", "pause the computer; then press Enter for one move"),
    ("n", "a new game, or other players in this one"),
    ("? q", "this page; quit"),
)


def keys() -> str:
    """The keys and their actions, one per line."""
    width = max(len(names) for names, _ in KEYS) + 2
    return "\n".join(f"{names:<{width}}{meaning}" for names, meaning in KEYS)


def paragraphs(*, how: str) -> str:
    """The complete text, one line per paragraph."""
    return f"{RULES}\n\n{how}\n\n{HINTS}\n\n{PLAYERS}\n{KEPT}"
