"""The program that runs a user's Python code as a player: ``python -m c4core.players.host``.

It uses the line protocol, like every external player. The user's code cannot disturb the protocol:
before it is loaded, standard output is redirected to standard error, and standard input is empty.
"""

from __future__ import annotations

import importlib
import inspect
import operator
import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TextIO

from c4core.dice import Dice
from c4core.notation import BoardSize, parse_board
from c4core.players.player import Limits
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULT_SECONDS: Final = 2.0
"""The time limit in an agent's configuration if a move has none, as in the competition."""

OVERAGE_SECONDS: Final = 60.0


class Struct(dict[str, Any]):
    """A dictionary whose items are also attributes, as Kaggle's agents expect."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value


def observation_of(position: Position) -> Struct:
    """Return a position in Kaggle's form: cells from the top row down, 1 and 2 for the players."""
    marks = {".": 0, "x": 1, "o": 2, "\n": None}
    cells = [marks[character] for character in str(position)]
    return Struct(
        board=[cell for cell in cells if cell is not None],
        mark=1 if position.turn == "x" else 2,
        step=position.ply,
        remainingOverageTime=OVERAGE_SECONDS,
    )


def configuration_of(board: BoardSize, seconds: float | None) -> Struct:
    """Return the rules in Kaggle's form."""
    timeout = DEFAULT_SECONDS if seconds is None else seconds
    return Struct(
        columns=board.width,
        rows=board.height,
        inarow=4,
        episodeSteps=1000,
        actTimeout=timeout,
        timeout=timeout,
        agentTimeout=OVERAGE_SECONDS,
        runTimeout=1200,
    )


def load_kaggle(path: str) -> Callable[[Position, Dice, Limits], object]:
    """Load the agent of a file: the callable ``agent``, or else the last public function."""
    sys.path.insert(0, str(Path(path).parent))
    names = runpy.run_path(path)
    functions = [value for name, value in names.items() if _is_own_function(name, value, path)]
    agent = names.get("agent") if callable(names.get("agent")) else None
    agent = agent or (functions[-1] if functions else None)
    if agent is None:
        raise ValueError(f"{path} has no function agent(observation, configuration)")
    parameters = len(inspect.signature(agent).parameters)

    def choose(position: Position, _: Dice, limits: Limits) -> object:
        given = (observation_of(position), configuration_of(position.board, limits.seconds))
        return agent(*given[:parameters])

    return choose


def _is_own_function(name: str, value: object, path: str) -> bool:
    return (
        inspect.isfunction(value)
        and not name.startswith("_")
        and value.__code__.co_filename == path
    )


def load_python(name: str) -> Callable[[Position, Dice, Limits], object]:
    """Load the callable of ``module:callable``; the module may be in the current directory."""
    sys.path.insert(0, str(Path.cwd()))
    module, _, attribute = name.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if not callable(found):
        raise TypeError(f"{name} cannot be called")
    return found


class Host:
    """Answers the lines of the protocol with the moves of a function."""

    def __init__(self, choose: Callable[[Position, Dice, Limits], object], output: TextIO) -> None:
        self._choose = choose
        self._output = output
        self._board = BoardSize(7, 6)
        self._dice = Dice(0)

    def answer(self, line: str) -> bool:
        """Answer a line. Returns False after ``quit``, else True."""
        words = line.split()
        if words[:1] == ["c4"]:
            self._say("ready")
        elif words[:1] == ["new"]:
            self._board = parse_board(words[1])
            self._dice = Dice(int(words[3]))
        elif words[:1] == ["go"]:
            self._go(*words[1:3])
        return words[:1] != ["quit"]

    def _go(self, seconds: str, grid: str) -> None:
        limits = Limits(None if seconds == "-" else float(seconds))
        position = Position.from_grid(grid, board=self._board)
        try:
            answer = self._choose(position, self._dice, limits)
        except Exception as error:  # noqa: BLE001  (any error of the code is reported)
            self._say(f"fail {_in_a_line(f'{type(error).__name__}: {error}')}")
            return
        column = _column_of(answer)
        # Any other answer is passed on as text, and the game rejects it.
        shown = _in_a_line(repr(answer)) if column is None else column + 1
        self._say(f"play {shown}")

    def _say(self, line: str) -> None:
        self._output.write(line + "\n")
        self._output.flush()


def _column_of(answer: object) -> int | None:
    """Return an answer as an ``int``; None if it is not a whole number, or is a ``bool``."""
    if isinstance(answer, bool) or not isinstance(answer, SupportsIndex):
        return None
    return operator.index(answer)


def _in_a_line(text: str) -> str:
    return " ".join(text.split())[:500]


def main(kind: str, argument: str) -> None:
    """Load the code, and answer until ``quit`` or the end of the input."""
    commands = os.fdopen(os.dup(0), encoding="utf-8")
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    load = load_kaggle if kind == "kaggle" else load_python
    host = Host(load(argument), output)
    for line in commands:
        if not host.answer(line):
            break


if __name__ == "__main__":
    main(*sys.argv[1:])
