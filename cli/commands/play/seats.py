"""Seats: who plays a side, a person, one of three levels, or a player by its description."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from c4core.players.errors import PlayerError
from c4core.players.player import NO_PROGRAM, Consent
from c4core.players.registry import LEVELS, parse_player, player_kinds

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec

HUMAN: Final = "human"


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a side."""

    name: str
    """The name that people see: ``human``, a level, or a player's shortest description."""
    spec: PlayerSpec | None = None
    """The player; None for a person."""
    programs: Consent = field(default=NO_PROGRAM, compare=False)
    """Which programs may be started."""

    @property
    def is_human(self) -> bool:
        """Whether somebody at the terminal plays it."""
        return self.spec is None

    @property
    def is_program(self) -> bool:
        """Whether the player is a program."""
        return self.spec is not None and self.spec.kind.cls.is_program

    @property
    def text(self) -> str:
        """A text that :func:`read_seat` reads as the same seat, even when defaults change."""
        if self.spec is None or self.name in LEVELS:
            return self.name
        return self.spec.full

    @property
    def description(self) -> str:
        """The full description: ``human``, or a player with every parameter."""
        return self.name if self.spec is None else self.spec.full

    def check_consent(self) -> None:
        """Check that the player may be started, if it is a program.

        Raises:
            ProgramRefusedError: it may not be started.
        """
        if self.is_program:
            self.programs.check(self.text)

    def check_board(self, board: BoardSize) -> None:
        """Check that the player plays on a board.

        Raises:
            PlayerError: it does not play there.
        """
        if self.spec is not None:
            self.spec.make().check_board(board)


def read_seat(text: str, *, programs: Consent = NO_PROGRAM) -> Seat:
    """Read who plays a side: ``human``, a level, or a player's description.

    Args:
        text: the description.
        programs: which programs may be started; any if the person at the terminal typed the text.

    Raises:
        PlayerError: the text is none of these.
    """
    name = text.strip()
    if name == HUMAN:
        return Seat(HUMAN)
    if name in LEVELS:
        return Seat(name, parse_player(name))
    try:
        spec = parse_player(name)
    except PlayerError as error:
        if error.player in {kind.name for kind in player_kinds()}:
            raise
        others = ", ".join((HUMAN, *LEVELS))
        raise PlayerError(f"neither {others}, nor a player: {error}", player=name) from None
    return Seat(spec.text, spec, programs)


def choices() -> list[tuple[str, str]]:
    """The choices of a list: for each a line for people, and the text that names it.

    Players that need more than their name are left out.
    """
    levels = [(f"{name}: {player.partition(':')[0]}", name) for name, player in LEVELS.items()]
    players = [
        (f"{kind.name}: {kind.summary.rstrip('.')}", kind.name)
        for kind in player_kinds()
        if kind.stands_alone
    ]
    return [("human: somebody at this terminal", HUMAN), *levels, *players]
