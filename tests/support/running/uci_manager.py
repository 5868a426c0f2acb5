"""A manager of UCI engines for the variant ``cfour``, which follows the rules of cutechess-cli.

It checks what cutechess-cli checks: the greeting, the variant, legal moves, and legal moves in
``pv``. It has its own rules of the game. Only an engine that hangs exceeds its time.
"""

import re
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.boards.reference import Columns, has_won, side_to_move
from tests.support.running.waiting import HANG_SECONDS

WIDTH, HEIGHT = 7, 6
VARIANT = "cfour"
EMPTY: Columns = ("",) * WIDTH


def drops(board: Columns) -> dict[str, Columns]:
    """The legal moves, and the boards after them."""
    side = side_to_move(board)
    if has_won(board, "x") or has_won(board, "o"):
        return {}
    return {
        f"P@{'abcdefg'[index]}{len(column) + 1}": (
            *board[:index],
            column + side,
            *board[index + 1 :],
        )
        for index, column in enumerate(board)
        if len(column) < HEIGHT
    }


def fen(board: Columns) -> str:
    """A board as cutechess writes it."""
    rows = []
    for row in reversed(range(HEIGHT)):
        squares = "".join(column[row] if row < len(column) else "." for column in board)
        stones = squares.translate(str.maketrans("xo", "Pp"))
        rows.append(re.sub(r"\.+", lambda run: str(len(run[0])), stones))
    stones = "".join(board)
    each = WIDTH * HEIGHT // 2
    pockets = "P" * (each - stones.count("x")) + "p" * (each - stones.count("o"))
    side = "w" if side_to_move(board) == "x" else "b"
    return f"{'/'.join(rows)}[{pockets or '-'}] {side} - - 0 {len(stones) // 2 + 1}"


@dataclass
class Engine:
    """An engine's process, and all lines to (``>``) and from (``<``) it."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    def send(self, line: str) -> None:
        """Write a line at once."""
        assert self.process.stdin is not None
        self.lines.append(f"> {line}")
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def until(self, word: str) -> list[str]:
        """Read lines until one begins with a word; an engine that hangs is killed."""
        assert self.process.stdout is not None
        hang = threading.Timer(HANG_SECONDS, self.process.kill)
        hang.start()
        found: list[str] = []
        while not found or found[-1].split(maxsplit=1)[:1] != [word]:
            line = self.process.stdout.readline()
            assert line, f"the engine ended or hung before {word}: {self.lines[-5:]}"
            found.append(line.rstrip("\n"))
            self.lines.append(f"< {found[-1]}")
        hang.cancel()
        return found

    def ping(self) -> None:
        """Wait until the engine has read everything."""
        self.send("isready")
        self.until("readyok")


@contextmanager
def managed(process: subprocess.Popen[str]) -> Iterator[Engine]:
    """Greet an engine, check its variants, and end it."""
    with process:
        engine = Engine(process)
        engine.send("uci")
        (variants,) = (line for line in engine.until("uciok") if "UCI_Variant type combo" in line)
        assert VARIANT in re.findall(r" var (\S+)", variants)
        engine.ping()
        yield engine
        engine.send("quit")
        rest, errors = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, rest, errors) == (0, "", "")


@dataclass(frozen=True)
class Game:
    """A finished game."""

    columns: str
    """All moves from the empty board on, as columns from 1."""
    result: str
    """``1-0``, ``0-1`` or ``1/2-1/2``."""
    scores: tuple[str, ...]
    """The engines' exact scores before their moves, such as ``mate 5``."""
    plies: tuple[int, ...]
    """The plies to the end that the engines reported with their scores."""


def play(
    engines: Sequence[Engine], opening: str, go: str, *, as_fen: bool, clock: int = 600_000
) -> Game:
    """Play a game.

    Args:
        engines: White and Black; may be the same engine.
        opening: columns from 1 that are played first.
        go: the line for a search; ``{w}`` and ``{b}`` are the clocks in milliseconds.
        as_fen: whether the opening is sent as a FEN; otherwise it is sent as moves.
        clock: milliseconds for each side. A clock that has run out does not end the game.
    """
    board, moves = EMPTY, list[str]()
    for column in opening:
        moves.append(f"P@{'abcdefg'[int(column) - 1]}{len(board[int(column) - 1]) + 1}")
        board = drops(board)[moves[-1]]
    begin, first = (f"fen {fen(board)}", len(moves)) if as_fen else ("startpos", 0)
    for engine in engines:
        engine.send(f"setoption name UCI_Variant value {VARIANT}")
        engine.send("ucinewgame")
        engine.ping()
    clocks, scores, plies = [clock, clock], list[str](), list[int]()
    while legal := drops(board):
        side = len(moves) % 2
        engine = engines[side]
        then = ["moves", *moves[first:]] if moves[first:] else []
        engine.send(" ".join(["position", begin, *then]))
        engine.ping()
        begun = time.monotonic()
        engine.send(go.format(w=clocks[0], b=clocks[1]))
        *infos, best = engine.until("bestmove")
        clocks[side] = max(1, clocks[side] - round((time.monotonic() - begun) * 1000))
        move = best.split()[1]
        assert move in legal, f"illegal move {move} in {fen(board)}"
        for info in infos:
            if told := re.fullmatch(r"info depth (\d+) score (\S+ -?\d+) .*pv (.+)", info):
                plies.append(int(told[1]))
                scores.append(told[2])
                _follow(board, told[3].split())
        board = legal[move]
        moves.append(move)
    columns = "".join(str("abcdefg".index(move[2]) + 1) for move in moves)
    result = "1-0" if has_won(board, "x") else "0-1" if has_won(board, "o") else "1/2-1/2"
    return Game(columns, result, tuple(scores), tuple(plies))


def _follow(board: Columns, line: Sequence[str]) -> None:
    for move in line:
        legal = drops(board)
        assert move in legal, f"illegal move {move} in pv {line}"
        board = legal[move]
