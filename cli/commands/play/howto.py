"""The text that explains how to play."""

from __future__ import annotations

from typing import Final

RULES: Final = (
    "Take turns dropping a stone into a column; it falls onto the stones below. The first with "
    "four in a row, across, upright or slanting, wins; a full board is a draw. x begins."
)

HINTS: Final = (
    "Hints are exact: below each column stands what it comes to if both sides play perfectly "
    "from then on, for the side to move. Above 0 wins, 0 draws, below 0 loses; the larger, the "
    "sooner the win or the later the loss. * is best."
)

LEVELS: Final = (
    "easy plays at random, medium looks three moves ahead, hard tries 10,000 lines of play. "
    'Every other player of "c4 players list" plays too; perfect never errs.'
)

KEPT: Final = 'The game is kept after every move; "c4 play --resume" goes on with it.'

KEYS: Final = (
    ("1 2 3 ..", "play that column; from the tenth on Shift and its letter"),
    ("left right", "point at a column; Enter, Space or Down plays it"),
    ("mouse", "point, and click; the commands below can be clicked too"),
    ("u", "undo: back to your last move"),
    ("r", "resign: the game is lost; u takes that back"),
    ("h", "hints on and off"),
    ("p", "pause the computer; Enter then lets it move once"),
    ("n", "a new game, or other players in this one"),
    ("? q", "this page; quit"),
)


def keys() -> str:
    """The keys and what they do, a line each."""
    width = max(len(names) for names, _ in KEYS) + 2
    return "\n".join(f"{names:<{width}}{meaning}" for names, meaning in KEYS)


def paragraphs(*, how: str) -> str:
    """The whole text, a line for each paragraph."""
    return f"{RULES}\n\n{how}\n\n{HINTS}\n\n{LEVELS}\n{KEPT}"
