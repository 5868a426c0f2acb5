"""The base class of players that are programs. It asks the program for moves.

No program is started without consent.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from c4core.dice import Dice
from c4core.players.consent import NO_PROGRAM, Consent
from c4core.players.errors import Failing, PlayerFailure
from c4core.players.parameters import Resource
from c4core.players.player import NO_LIMITS, GameStart, Limits, Player
from c4core.players.program import DEFAULT_SECONDS, Program
from c4core.position import Position

_ANSWER = re.compile(r"play (-?[0-9]{1,9})")


@dataclass(slots=True)
class Seat:
    """The process of a player, which is started when a game begins."""

    program: Program | None = None


@dataclass(frozen=True)
class ExternalPlayer(Player):
    """A player in a process of its own: if the program fails, only the player fails.

    Attributes:
        argument: the name of the program.
        programs: which programs may be started.
    """

    argument: str
    programs: Annotated[Consent, Resource()] = field(
        default=NO_PROGRAM, kw_only=True, compare=False, repr=False
    )
    _seat: Seat = field(default_factory=Seat, init=False, repr=False, compare=False)

    is_random = True  # it may be
    reads_files = True
    is_program = True

    @abstractmethod
    def command(self) -> Sequence[str]:
        """The program and its arguments."""

    def environment(self) -> Mapping[str, str] | None:
        """The environment of the program; None for what every program gets."""
        return None

    def begin(self, game: GameStart) -> None:
        """Start the program if it is not running, and tell it about the game.

        Raises:
            ProgramRefusedError: there is no consent to start it.
        """
        self.programs.check(self.kind.spec_of(self).full)
        if self._seat.program is None:
            self._seat.program = Program(self.command(), environment=self.environment())
        self._seat.program.start(game.stop)
        self._seat.program.tell(f"new {game.board} {game.side} {game.seed}")

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """Ask the program for a column."""
        if self._seat.program is None:
            self.begin(GameStart(position.board, position.turn, dice.below(2**31), limits.stop))
        program = self._seat.program
        assert program is not None  # noqa: S101  (begin has made it)
        seconds = "-" if limits.seconds is None else f"{limits.seconds:.3f}"
        program.tell(f"go {seconds} {str(position).replace(chr(10), '/')}")
        answer = program.hear(
            DEFAULT_SECONDS if limits.seconds is None else limits.seconds + limits.grace,
            limits.stop,
        )
        if answer.startswith("fail"):
            raise PlayerFailure(Failing.ERROR, answer.removeprefix("fail").strip())
        match = _ANSWER.fullmatch(answer)
        if match is None:
            program.kill()  # its next lines may be out of step; the next game starts a new process
            raise PlayerFailure(Failing.NONSENSE, f"answered {answer[:200]!r}")
        return int(match[1]) - 1

    def end(self, result: str) -> None:
        """Tell the program how the game ended, if it is still running."""
        if self._seat.program is not None and self._seat.program.is_running:
            self._seat.program.tell(f"end {result}")

    def abandon(self) -> None:
        """Kill the program."""
        if self._seat.program is not None:
            self._seat.program.kill()

    def close(self) -> None:
        """End the program."""
        if self._seat.program is not None:
            self._seat.program.stop()
            self._seat.program = None
