"""Who sits at the board: a person, one of three levels, or any player by its description."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from c4core.players.consent import NO_PROGRAM, Consent
from c4core.players.errors import PlayerError
from c4core.players.levels import LEVELS
from c4core.players.registry import parse_player, player_kinds

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec

HUMAN: Final = "human"


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays a side."""

    name: str
    """For people: ``human``, a level, or a player's shortest description."""
    spec: PlayerSpec | None = None
    """The player; None for a person."""
    programs: Consent = field(default=NO_PROGRAM, compare=False)
    """Whether it may be started, where it is a program."""

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
        """What :func:`read_seat` reads again, also when a player's default changes."""
        if self.spec is None or self.name in LEVELS:
            return self.name
        return self.spec.full

    @property
    def description(self) -> str:
        """Who it is to others: ``human``, or a player with every parameter."""
        return self.name if self.spec is None else self.spec.full

    def check_consent(self) -> None:
        """Look whether the player may be started, if it is a program.

        Raises:
            ProgramRefusedError: it may not.
        """
        if self.is_program:
            self.programs.check(self.text)

    def check_board(self, board: BoardSize) -> None:
        """Look whether it plays on a board.

        Raises:
            PlayerError: it does not.
        """
        if self.spec is not None:
            self.spec.make().check_board(board)


def read_seat(text: str, *, programs: Consent = NO_PROGRAM) -> Seat:
    """Read who plays a side: ``human``, a level, or a player's description.

    Args:
        text: the description.
        programs: which players that are programs may be started: any, where the person at the
            terminal has written it.

    Raises:
        PlayerError: it is none of these.
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
