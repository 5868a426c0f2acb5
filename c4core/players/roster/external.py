"""``exec``, ``kaggle``, ``python``: programs as players."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import c4core
from c4core.players import host
from c4core.players.errors import PlayerError
from c4core.players.external import ExternalPlayer
from c4core.players.program_environment import program_environment
from c4core.players.registry import player_of_argument

SOURCE = "yours"


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
