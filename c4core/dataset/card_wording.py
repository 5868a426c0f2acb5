"""The sentences of a data card."""

from __future__ import annotations

from typing import Final

LABELS: Final = (
    "Scores and column scores are exact, proven by search or taken from an opening book, for the "
    "side to move. With n stones on the board and W*H squares, a win at once is "
    "(W*H + 1 - n) // 2, with each further stone of the winner one less; 0 is a draw, a loss the "
    "negative."
)
SPLIT_RULE: Final = (
    "A position's part follows by a hash from the seed and its canonical key, which it shares with "
    "its mirror image and its transpositions: none of these is in two parts, and with the same "
    "seed and shares a position is in the same part of every data set."
)
TOGETHER_RULE: Final = (
    "Positions that are linked by single moves, directly or through others of the data set, are in "
    "the same part. It follows by a hash from the seed and the smallest canonical key among them. "
    "Mirror images and transpositions have the same key: none of these is in two parts."
)
ORIENTATION: Final = (
    "Which of the two mirror images is shown follows from the seed and the canonical key by a "
    "hash, half and half."
)
ORDER: Final = "Shuffled: in the order of a hash of the seed and the canonical key."

NEIGHBOURS: Final = {
    "keep": "Neighbours (a position and one that a single move leads to) may be in different "
    "parts: the table counts the positions with a neighbour in another part.",
    "together": "Neighbours (a position and one that a single move leads to) are in the same part.",
    "drop": "Of neighbours (a position and one that a single move leads to) in different parts, "
    "that in train was left out, or else that in validation.",
}

SAMPLING: Final = {
    "plies": "Random games from the empty board; every column that is not full is equally likely. "
    "As many positions of each number of stones as possible.",
    "play": "Random games from the empty board; every column that is not full is equally likely. "
    "One position of each game, any with equal chance.",
    "strong": "Games of perfect play with errors from the empty board: a best column, any with "
    "equal chance, or in a given share of the moves (blunder) one that is not best. All positions "
    "of the games; each different one is equally likely to be chosen.",
    "games": "Stored games. All their positions; each different one is equally likely to be "
    "chosen.",
    "book": "The positions of an opening book, each equally likely to be chosen.",
    "file": "The positions of a file, each different one equally likely to be chosen. Their labels "
    "were made anew; those of the file were compared with them.",
}

_MIRRORED: Final = (
    "Of two mirror images one is in the data set. Programs that are to know both have to mirror "
    "positions themselves."
)
_PERFECT: Final = (
    "The labels suppose perfect play of both sides. They do not say which column is hardest to "
    "answer for a person or a weak program."
)
_RANDOM: Final = (
    "Positions of random games are unlike those of games between people or good programs: many "
    "are won at once or lost soon. Measure programs on quiet and decisive positions as well."
)
_STRONG: Final = (
    "Positions of one game are alike, and many have neighbours in the data set. Early positions "
    "are few."
)
_KNOWN: Final = (
    "How the positions came into their source is not known here: its bias is that of the data set."
)
_SOURCE_LIMITS: Final = {
    "plies": (_RANDOM,),
    "play": (_RANDOM,),
    "strong": (_STRONG,),
    "games": (_STRONG, _KNOWN),
    "book": ("A book ends after some plies: there are no later positions.",),
    "file": (_KNOWN,),
}
_QUIET: Final = "Positions with a win in one or a forced block were left out before the draw."
_DECISIVE: Final = (
    "Positions whose columns all have the same result were left out after the labels."
)


def limitations(kind: str, *, quiet: bool, decisive: bool) -> list[str]:
    """What a data set is not good for, a sentence or two each.

    Args:
        kind: how its positions were found.
        quiet: whether only quiet positions were taken.
        decisive: whether only decisive ones.
    """
    filters = [*([_QUIET] if quiet else ()), *([_DECISIVE] if decisive else ())]
    return [*_SOURCE_LIMITS.get(kind, ()), _MIRRORED, _PERFECT, *filters]
