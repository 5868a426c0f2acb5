"""``exec``, ``kaggle``, ``python``: programs as players. No program is started without consent."""

import os
import re
import shlex
import shutil
import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import c4core
from c4core.dice import Dice
from c4core.players import host
from c4core.players.errors import Failing, PlayerError, PlayerFailure
from c4core.players.parameters import Resource
from c4core.players.player import NO_LIMITS, NO_PROGRAM, Consent, GameStart, Limits, Player
from c4core.players.program import DEFAULT_SECONDS, Program, program_environment
from c4core.players.registry import player_of_argument
from c4core.position import Position

SOURCE = "yours"

_ANSWER = re.compile(r"play (-?[0-9]{1,9})")


@dataclass(slots=True)
class _Seat:
    """The process of a player, which starts when a game begins."""

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
    _seat: _Seat = field(default_factory=_Seat, init=False, repr=False, compare=False)

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


class _Hosted(ExternalPlayer):
    """Python code that a host runs in a process of its own."""

    def command(self) -> Sequence[str]:
        """The host and the code that it runs."""
        # Unbuffered, so that the code's output comes before the error message that ends it.
        return (sys.executable, "-u", "-m", host.__name__, self.kind.name, self.argument)

    def environment(self) -> Mapping[str, str]:
        """The environment, with the path to this process's modules, the host among them."""
        inherited = program_environment()
        places = [str(Path(c4core.__file__).parents[1]), inherited.get("PYTHONPATH", "")]
        return inherited | {"PYTHONPATH": os.pathsep.join(filter(None, places))}


@player_of_argument("exec", "COMMAND", source=SOURCE)
class Exec(ExternalPlayer):
    """Any program that speaks the line protocol on its standard input and output."""

    def __post_init__(self) -> None:
        """Check that the program exists."""
        super().__post_init__()
        try:
            words = shlex.split(self.argument)
        except ValueError as error:
            raise PlayerError(
                f"player exec: the command {self.argument!r} cannot be read: {error}",
                player="exec",
            ) from None
        if not words or shutil.which(words[0]) is None:
            raise PlayerError(
                f"player exec: no program is called {words[0] if words else ''!r}", player="exec"
            )

    def command(self) -> Sequence[str]:
        """The program and its arguments."""
        return shlex.split(self.argument)


@player_of_argument("kaggle", "FILE.py", source=SOURCE)
class Kaggle(_Hosted):
    """A Kaggle ConnectX agent: agent(observation, configuration) in a Python file."""

    def __post_init__(self) -> None:
        """Check that the file exists."""
        super().__post_init__()
        if not os.path.isfile(self.argument):  # noqa: PTH113 (a path's raises where it is too long)
            raise PlayerError(f"player kaggle: there is no file {self.argument}", player="kaggle")


@player_of_argument("python", "module:callable", source=SOURCE)
class Python(_Hosted):
    """A Python callable that takes (position, dice, limits) and returns a 0-based column."""

    def __post_init__(self) -> None:
        """Check that the argument names a module and a callable."""
        super().__post_init__()
        module, colon, name = self.argument.partition(":")
        if not (colon and module and name.isidentifier()):
            raise PlayerError(
                f"player python: {self.argument!r} is not module:callable", player="python"
            )
