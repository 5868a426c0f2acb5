"""Certificates: their costs, their play, and a check of the shipped ones.

::

    python -m benchmarks certificates boards           # or some of them: boards 6x5 7x6
    python -m benchmarks certificates boards --rules none 5x5
    python -m benchmarks certificates positions        # or some of them: positions 3246 5113
    python -m benchmarks certificates games
    python -m benchmarks certificates shipped          # compares the bytes; --write replaces them
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.options import WITH_HELP
from benchmarks.page import table
from benchmarks.processes import Usage, run_c4, run_program
from benchmarks.record import ROOT, Part, Results, figures_of
from c4core.arena.game import play_game
from c4core.evaluation import final_score
from c4core.files import atomic_file
from c4core.players import Resources, parse_player
from c4core.players.roster.perfect import shared_solver
from c4core.proof import Certificate
from c4core.proof.certificate import BOARDS, named_file, shipped_file
from c4core.solver import Solver
from workers.answers.question import shipped_book

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.evaluation import Analysis
    from c4core.notation import BoardSize
    from c4core.position import Position, Side

MOST_CELLS: Final = 36
_SIDES: Final = range(4, MOST_CELLS // 4 + 1)
EMPTY: Final = (
    *(f"{width}x{height}" for width in _SIDES for height in _SIDES if width * height <= MOST_CELLS),
    *("6x7", "7x6", "8x5"),
)
"""Empty boards: all with at least four columns and rows and at most 36 squares, and larger ones."""
PLAIN: Final = ("4x4", "5x4", "4x6", "6x4", "5x5", "6x6")
"""Boards that are also proven without rules."""
HARD: Final = (
    *("42236432422", "54545747251", "47453", "41241577", "26745666", "52744774", "457776577"),
    *("717425", "11154", "1571355", "4573226", "432161", "3246", "121143", "5113", "73662"),
    *("1717", "3527", "6112", "4645"),
)
"""The positions of the class begin-hard of ``c4 bench``."""
CHECKER: Final = ROOT / "examples" / "check_certificate.py"
"""A checker in pure Python that shares no code with C4."""
OPPONENTS: Final = ("random", "mcts-uct", "perfect")

COSTS: Final = "positions | bytes | made | memory | checked | in Python"
COSTS_ROW: Final = (
    "{positions:,} | {file_bytes:,} | {make_seconds:.1f} s | {make_mb:,.0f} MB | "
    "{check_seconds:.1f} s | {python_seconds:.1f} s"
)
GAMES: Final = (
    "certificate | against | games | won | drawn | lost | below the bound | forfeited | searches | "
    "microseconds per move"
)
GAMES_ROW: Final = (
    "{certificate} | `{opponent}` | {games:,} | {wins:,} | {draws:,} | {losses:,} | {below:,} | "
    "{forfeits:,} | {searches:,} | {move_microseconds:,.0f}"
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure certificates, and compare or replace the shipped ones."""


@main.command()
@click.option("--rules", type=click.Choice(["all", "none"]), default="all", show_default=True)
@click.argument("names", nargs=-1, metavar="[WxH]...")
@click.pass_obj
def boards(results: Results, *, rules: str, names: tuple[str, ...]) -> None:
    """Prove the exact scores of empty boards: all up to 36 squares, and three larger ones."""
    part = "boards" if rules == "all" else "plain"
    for board in names or (EMPTY if rules == "all" else PLAIN):
        _keep(results, f"{part} {board}", prove(board, rules=rules))


@main.command()
@click.argument("positions", nargs=-1, metavar="[MOVES]...")
@click.pass_obj
def positions(results: Results, *, positions: tuple[str, ...]) -> None:
    """Prove the exact scores of hard positions of 7x6."""
    for moves in positions or HARD:
        _keep(results, f"positions {moves}", prove("7x6", moves))


@main.command()
@click.option("--certificate", default="7x6", show_default=True, help="A file or a board.")
@click.option("--games", "number", type=click.IntRange(1), default=1000, show_default=True)
@click.argument("opponents", nargs=-1)
@click.pass_obj
def games(results: Results, *, certificate: str, number: int, opponents: tuple[str, ...]) -> None:
    """Let the player proof play games against other players."""
    for opponent in opponents or OPPONENTS:
        _keep(results, f"games {certificate} {opponent}", play(certificate, opponent, number))


@main.command()
@click.option("--write", is_flag=True, help="Replace the shipped files.")
def shipped(*, write: bool) -> None:
    """Make the shipped certificates again, and compare the bytes."""
    differing = []
    for board in BOARDS:
        path = shipped_file(board)
        with tempfile.TemporaryDirectory() as directory:
            out = Path(directory) / path.name
            _make(out, str(board))
            made = out.read_bytes()
        is_same = path.exists() and path.read_bytes() == made
        click.echo(f"{path.name}: {len(made):,} bytes, {'the same' if is_same else 'different'}")
        if not is_same:
            differing.append(path.name)
            if write:
                with atomic_file(path) as beside:
                    beside.write_bytes(made)
    if differing and not write:
        raise click.ClickException(f"files that are different now: {', '.join(differing)}")


def prove(board: str, moves: str = "", *, rules: str = "all") -> dict[str, Any]:
    """Make a certificate with one thread in an empty database, and run both checkers on it.

    Seconds are processor time, from the start to the end of a process.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.c4proof"
        made = _make(path, board, moves, rules)
        checked = run_c4("certificate", "verify", str(path), silent=True)
        again = run_program(sys.executable, str(CHECKER), str(path), silent=True)
        data = path.read_bytes()
    said = Certificate(data).info
    return {
        "board": board,
        "moves": moves,
        "score": said.lower,
        "positions": said.positions,  # of both halves, without mirror images
        "file_bytes": said.file_bytes,
        "make_seconds": made.processor_seconds,
        "make_mb": made.peak_mb,
        "check_seconds": checked.processor_seconds,
        "check_mb": checked.peak_mb,
        "python_seconds": again.processor_seconds,
        "python_mb": again.peak_mb,
        "engine_version": said.engine_version,
        "digest": data[-8:].hex(),  # equal for equal files
    }


class CountingAnalyst:
    """Gives the opponent exact scores from the shipped book and a solver, and counts the calls."""

    def __init__(self, board: BoardSize) -> None:
        self.calls = 0
        self._solver = Solver(table_mb=64, book=shipped_book(board))

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """The scores of all columns."""
        self.calls += 1
        return self._solver.analyze(position, time_limit=time_limit)


def play(certificate: str, opponent: str, number: int) -> dict[str, Any]:
    """Play games of ``proof``, and count the games whose score is worse than its bound.

    If the certificate is for both sides, ``proof`` alternates between moving first and second.
    ``searches`` counts the positions that were given to a solver, except by the opponent.
    """
    info = Certificate.open(named_file(certificate)).info
    sides: list[Side] = [info.prover(upper=half.upper) for half in info.halves]
    analyst = CountingAnalyst(info.board)
    proof = parse_player(f"proof:{certificate}").make()
    other = parse_player(opponent).make(Resources(analyst=analyst))
    before = _shared_solver_calls()
    tally = {1: 0, 0: 0, -1: 0}
    below = forfeits = moves = others = 0
    seconds = 0.0
    for index in range(number):
        side, half = sides[index % len(sides)], info.halves[index % len(sides)]
        players = (proof, other) if side == "x" else (other, proof)
        record = play_game(*players, seed=index, start=info.start)
        end = record.final()
        score = final_score(end) if end.turn == side else -final_score(end)
        tally[(score > 0) - (score < 0)] += 1
        below += score < (-half.bound if half.upper else half.bound)
        forfeits += record.is_forfeit
        own = len(record.seconds[0 if record.start.turn == side else 1 :: 2])
        moves += own
        others += record.length - own
        seconds += record.seconds_of(side)
    # Only "perfect" uses a solver, and calls it once for each of its moves.
    asked = others if "analyst" in parse_player(opponent).kind.resources else 0
    return {
        "certificate": certificate,
        "opponent": opponent,
        "games": number,
        "wins": tally[1],
        "draws": tally[0],
        "losses": tally[-1],
        "below": below,
        "forfeits": forfeits,  # games that did not end on the board
        "searches": analyst.calls - asked + _shared_solver_calls() - before,
        "move_microseconds": seconds / moves * 1e6,  # wall-clock time, without loading the file
    }


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/certificates-log.md``."""
    proven = sorted(figures_of(parts, "boards"), key=lambda each: each["positions"])
    engines, processors = (
        ", ".join(sorted({str(each[name]) for each in proven}))
        for name in ("engine_version", "processor")
    )
    hard = sorted(figures_of(parts, "positions"), key=lambda each: each["positions"])
    with_rules = {each["board"]: each for each in proven}
    plain = sorted(figures_of(parts, "plain"), key=lambda each: each["positions"])
    for each in plain:
        for name in ("positions", "file_bytes"):
            each[f"times_{name}"] = each[name] / with_rules[each["board"]][name]
    texts = {
        "positions": table(
            f"position | score | {COSTS}", hard, f"`{{moves}}` | {{score}} | {COSTS_ROW}"
        ),
        "plain": table(
            f"board | {COSTS} | times the positions | times the bytes",
            plain,
            f"{{board}} | {COSTS_ROW} | {{times_positions:.1f}} | {{times_file_bytes:.2f}}",
        ),
        "boards": table(f"board | score | {COSTS}", proven, f"{{board}} | {{score}} | {COSTS_ROW}"),
        "games": table(GAMES, figures_of(parts, "games"), GAMES_ROW, left=2),
        "machine": f"Engine {engines}; {processors}.",
    }
    return {name: f"\n{each}\n" for name, each in texts.items()}


def _keep(results: Results, name: str, figures: dict[str, Any]) -> None:
    click.echo(figures)
    results.keep("certificates", name, figures)


def _make(path: Path, board: str, moves: str = "", rules: str = "all") -> Usage:
    return run_c4(
        *("prove", moves, f"--board={board}", "--threads=1", "--table-mb=64", f"--rules={rules}"),
        *(f"--out={path}", f"--db=sqlite:///{path}.db", "--quiet"),
    )


def _shared_solver_calls() -> int:
    """The number of times that players of this process have used their shared solver."""
    info = shared_solver.cache_info()
    return info.hits + info.misses
