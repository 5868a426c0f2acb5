"""Players and messages from untrusted sources that leave a marker when they run."""

import json
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

PLAYS = """
import json, os, sys
with open({marker!r}, "w") as file:
    json.dump(dict(os.environ), file)
"""

EXEC = """
for line in sys.stdin:
    word, *rest = line.split()
    if word == "c4":
        print("ready trap", flush=True)
    if word == "go":
        print("play", rest[1].split("/")[0].index(".") + 1, flush=True)
"""

KAGGLE = """
def agent(observation, configuration):
    return observation.board.index(0)
"""

PYTHON = """
def choose(position, dice, limits):
    return position.legal_columns()[0]
"""

KINDS = ("exec", "kaggle", "python")


@dataclass(frozen=True)
class Trap:
    """All files are in one directory, in which the commands run."""

    directory: Path

    @property
    def marker(self) -> Path:
        """A file that is created when a trap has run; it holds the environment."""
        return self.directory / "marker"

    @property
    def has_run(self) -> bool:
        return self.marker.exists()

    def environment(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self.marker.read_text())
        return found

    def player(self, kind: str) -> str:
        """The description of a player that plays the leftmost open column."""
        plays = PLAYS.format(marker=str(self.marker))
        code = {"exec": EXEC, "kaggle": KAGGLE, "python": PYTHON}[kind]
        path = self.directory / f"trap_{kind}.py"
        path.write_text(plays + code)
        return {
            "exec": f"exec:{sys.executable} {path}",
            "kaggle": f"kaggle:{path}",
            "python": f"python:{path.stem}:choose",
        }[kind]

    def pickle(self) -> bytes:
        """A message that runs a command if it is read as a pickle."""
        return pickle.dumps(Bomb(str(self.marker)))


@dataclass(frozen=True)
class Bomb:
    """Runs a command when it is unpickled."""

    marker: str

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """The call that unpickling makes."""
        return os.system, (f"echo {{}} > {self.marker}",)
