"""Players and files from untrusted sources that leave a marker when they run."""

import io
import json
import os
import pickle
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

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

    def bombs(self) -> dict[str, bytes]:
        """Contents of files that run a command if they are read as pickles, by form."""
        bomb = pickle.dumps(Bomb(str(self.marker)))
        torch = io.BytesIO()
        with zipfile.ZipFile(torch, "w") as archive:
            archive.writestr("archive/data.pkl", bomb)
            archive.writestr("archive/version", "3\n")
        objects = np.array([Bomb(str(self.marker))], dtype=object)
        npz, npy = io.BytesIO(), io.BytesIO()
        np.savez(npz, allow_pickle=True, **dict.fromkeys(("planes", "ply", "card", "key"), objects))
        np.save(npy, objects, allow_pickle=True)
        return {
            "pickle": bomb,
            "torch": torch.getvalue(),
            "npz": npz.getvalue(),
            "npy": npy.getvalue(),
        }


@dataclass(frozen=True)
class Bomb:
    """Runs a command when it is unpickled."""

    marker: str

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """The call that unpickling makes."""
        return os.system, (f"echo {{}} > {self.marker}",)
