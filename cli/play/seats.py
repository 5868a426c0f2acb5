"""Who sits at the board: a person, one of three levels, or any player by its description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.players.errors import PlayerError
from c4core.players.registry import parse_player, player_kinds

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.players.kinds import PlayerSpec

HUMAN: Final = "human"

LEVELS: Final = {
    "easy": "random",
    "medium": "minimax-windows:depth=3",
    "hard": "montecarlo-flat:simulations=500",
}
"""The levels of Huang and Lu (2025), and the players that stand for them."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a side."""

    name: str
    """For people: ``human``, a level, or a player's shortest description."""
    spec: PlayerSpec | None = None
    """The player; None for a person."""

    @property
    def is_human(self) -> bool:
        """Whether somebody at the terminal plays it."""
        return self.spec is None

    @property
    def text(self) -> str:
        """What :func:`read_seat` reads again, also when a player's default changes."""
        if self.spec is None or self.name in LEVELS:
            return self.name
        return self.spec.full

    def check_board(self, board: BoardSize) -> None:
        """Look whether it plays on a board.

        Raises:
            PlayerError: it does not.
        """
        if self.spec is not None:
            self.spec.make().check_board(board)


def read_seat(text: str) -> Seat:
    """Read who plays a side: ``human``, a level, or a player's description.

    Raises:
        PlayerError: it is none of these.
    """
    name = text.strip()
    if name == HUMAN:
        return Seat(HUMAN)
    if name in LEVELS:
        return Seat(name, parse_player(LEVELS[name]))
    try:
        spec = parse_player(name)
    except PlayerError as error:
        if error.player in {kind.name for kind in player_kinds()}:
            raise
        others = ", ".join((HUMAN, *LEVELS))
        raise PlayerError(f"neither {others}, nor a player: {error}", player=name) from None
    return Seat(spec.text, spec)


def choices() -> list[tuple[str, str]]:
    """Who can be chosen from a list: for each what it is, in a line, and its text.

    Players that need more than their name are not among them.
    """
    levels = [(f"{name}: {player.partition(':')[0]}", name) for name, player in LEVELS.items()]
    players = [
        (f"{kind.name}: {kind.summary.rstrip('.')}", kind.name)
        for kind in player_kinds()
        if kind.stands_alone
    ]
    return [("human: somebody at this terminal", HUMAN), *levels, *players]
