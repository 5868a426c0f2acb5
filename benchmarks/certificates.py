"""Certificates: what they cost, how they play, and the shipped ones made again.

::

    python -m benchmarks certificates boards           # or some: boards 6x5 7x6
    python -m benchmarks certificates positions        # begin-hard of c4 bench
    python -m benchmarks certificates plain            # without rules
    python -m benchmarks certificates narrow           # boards with fewer than four columns or rows
    python -m benchmarks certificates tampered
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
from benchmarks.page import table, text
from benchmarks.processes import Usage, run_c4, run_program
from benchmarks.record import Part, Results, figures_of
from c4core.arena.game import play_game
from c4core.book import Book
from c4core.book.book import shipped_files
from c4core.errors import BoardError
from c4core.files import atomic_file
from c4core.notation import BoardSize, check_board, parse_board
from c4core.players import Resources, parse_player
from c4core.players.roster.perfect import shared_solver
from c4core.position import Position
from c4core.proof import Certificate, Prover, make
from c4core.proof.certificate import BOARDS, named_file, shipped_file
from c4core.solver import Solver
from cli.measuring import shipped_set
from tests.support.certificates import (
    CHECKER,
    CLAIMS,
    Verdicts,
    independent_checker,
    score_of,
    verdicts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from c4core.evaluation import Analysis
    from c4core.position import Side

MOST_CELLS: Final = 36
MOST_NARROW_CELLS: Final = 18
"""Some narrow boards with more squares, such as 12x3, take longer than all others together."""
LEAST_SIDE: Final = 4
"""A board with fewer columns or rows is narrow."""
LARGE: Final = ("6x7", "7x6", "8x5")
PLAIN: Final = ("4x4", "5x4", "4x6", "6x4", "5x5", "6x6", "7x5")
OPPONENTS: Final = ("random", "mcts-uct", "perfect")

COSTS: Final = "positions | bytes | made | memory | checked | memory | in Python | memory"
COSTS_ROW: Final = (
    "{positions:,} | {file_bytes:,} | {make_seconds:.1f} s | {make_mb:,.0f} MB | "
    "{check_seconds:.1f} s | {check_mb:,.0f} MB | {python_seconds:.1f} s | {python_mb:,.0f} MB"
)
GAMES: Final = (
    "certificate | against | games | won | drawn | lost | below the bound | forfeited | searches | "
    "microseconds a move"
)
GAMES_ROW: Final = (
    "{certificate} | `{opponent}` | {games:,} | {wins:,} | {draws:,} | {losses:,} | {below:,} | "
    "{forfeits:,} | {searches:,} | {move_microseconds:,.0f}"
)
NARROW: Final = (
    "The other {boards} boards of up to {cells} squares have fewer than {side} columns or rows. "
    "Both checkers accept the certificates of all of them: {positions:,} positions, {file_bytes:,} "
    "bytes; the largest is that of {largest}, {largest_bytes:,} bytes "
    "(`python -m benchmarks certificates narrow`)."
)
TAMPERED: Final = (
    "Of {files:,} changed files the checker of C4 accepted {accepted:,}, the other "
    "{independently:,}, both of them the same {both:,}; a search says that the claims of {true:,} "
    "of these are true."
)

boards_argument = click.argument("names", nargs=-1, metavar="[WxH]...")


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure certificates, and make the shipped ones."""


@main.command()
@boards_argument
@click.pass_obj
def boards(results: Results, *, names: tuple[str, ...]) -> None:
    """Prove the exact scores of empty boards: all of up to 36 squares, and three larger ones."""
    for board in names or (*map(str, _boards(narrow=False)), *LARGE):
        _keep(results, f"boards {board}", prove(board))


@main.command()
@click.option("--only", type=click.IntRange(1), help="Prove only the position of this number.")
@click.pass_obj
def positions(results: Results, *, only: int | None) -> None:
    """Prove the exact scores of the positions of begin-hard."""
    hard = shipped_set()["begin-hard"]
    for position in hard if only is None else hard[only - 1 : only]:
        found = prove("7x6", position.moves)
        if found["score"] != position.score:
            raise click.ClickException(f"{position.moves}: {found['score']}, not {position.score}")
        _keep(results, f"positions {position.moves}", found)


@main.command()
@boards_argument
@click.option("--python/--no-python", default=True, help="Run the checker in pure Python, too.")
@click.pass_obj
def plain(results: Results, *, names: tuple[str, ...], python: bool) -> None:
    """Prove the exact scores of empty boards without any rule."""
    for board in names or PLAIN:
        _keep(results, f"plain {board}", prove(board, rules="none", python=python))


@main.command()
@click.pass_obj
def narrow(results: Results) -> None:
    """Prove and check the exact scores of all boards with few columns or rows."""
    checker = independent_checker()
    sizes: dict[BoardSize, int] = {}
    proven = 0
    for board in _boards(narrow=True):
        start = Position(width=board.width, height=board.height)
        data = make(start, prover=Prover(table_mb=64))
        proven += Certificate(data).check().info.positions
        checker.check(data)
        sizes[board] = len(data)
    largest = max(sizes, key=lambda board: sizes[board])
    figures = {
        "boards": len(sizes),
        "positions": proven,
        "file_bytes": sum(sizes.values()),
        "largest": str(largest),
        "largest_bytes": sizes[largest],
    }
    _keep(results, "narrow", figures)


@main.command()
@click.option("--files", type=click.IntRange(1), default=10_000, show_default=True)
@click.pass_obj
def tampered(results: Results, *, files: int) -> None:
    """Change certificates of small boards, and run both checkers on them."""
    found = [verdicts(claim, files // len(CLAIMS)) for claim in CLAIMS]
    sums = {name: sum(getattr(each, name) for each in found) for name in Verdicts.__slots__}
    _keep(results, "tampered", sums)


@main.command()
@click.option("--certificate", default="7x6", show_default=True, help="Its file, or a board.")
@click.option("--games", "number", type=click.IntRange(1), default=1000, show_default=True)
@click.argument("opponents", nargs=-1)
@click.pass_obj
def games(results: Results, *, certificate: str, number: int, opponents: tuple[str, ...]) -> None:
    """Play games of the proof against other players."""
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
            _make(out, str(board), "", "all")
            made = out.read_bytes()
        is_same = path.exists() and path.read_bytes() == made
        click.echo(f"{path.name}: {len(made):,} bytes, {'the same' if is_same else 'different'}")
        if not is_same:
            differing.append(path.name)
            if write:
                with atomic_file(path) as beside:
                    beside.write_bytes(made)
    if differing and not write:
        raise click.ClickException(f"made differently now: {', '.join(differing)}")


def prove(
    board: str, moves: str = "", *, rules: str = "all", python: bool = True
) -> dict[str, Any]:
    """Make a certificate with one thread in an empty database, and run both checkers on it.

    Seconds are processor time, from the start of a process to its end.
    """
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "a.c4proof"
        made = _make(path, board, moves, rules)
        checked = run_c4("certificate", "verify", str(path), silent=True)
        again = (
            run_program(sys.executable, str(CHECKER), str(path), silent=True) if python else None
        )
        data = path.read_bytes()
    said = Certificate(data).info
    return {
        "board": board,
        "moves": moves,
        "rules": rules,
        "table_mb": 64,
        "score": said.lower,
        "positions": said.positions,  # of both halves, without mirror images
        "file_bytes": said.file_bytes,
        "make_seconds": made.processor_seconds,
        "make_mb": made.peak_mb,
        "check_seconds": checked.processor_seconds,
        "check_mb": checked.peak_mb,
        "python_seconds": again and again.processor_seconds,
        "python_mb": again and again.peak_mb,
        "engine_version": said.engine_version,
        "digest": data[-8:].hex(),  # equal for equal files
    }


class CountingAnalyst:
    """Exact scores for the opponent, by the shipped book and a solver; it counts its calls."""

    def __init__(self, board: BoardSize) -> None:
        books = [book for book in map(Book.open, shipped_files()) if book.info.board == board]
        self.calls = 0
        self._solver = Solver(table_mb=64, book=next(iter(books), None))

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """The scores of all columns."""
        self.calls += 1
        return self._solver.analyze(position, time_limit=time_limit)


def play(certificate: str, opponent: str, number: int) -> dict[str, Any]:
    """Play games of ``proof``: is its score ever worse than its bound?

    If the certificate is for both sides, the proof moves first and second in turn. ``searches``
    counts the positions that a solver was asked about, without those that the opponent asked for.
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
        score = score_of(record, side)
        tally[(score > 0) - (score < 0)] += 1
        below += score < (-half.bound if half.upper else half.bound)
        forfeits += record.is_forfeit
        own = len(record.seconds[0 if record.start.turn == side else 1 :: 2])
        moves += own
        others += record.length - own
        seconds += record.seconds_of(side)
    # No player but "perfect" has a search that is a solver's; each of its moves is one question.
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
        "move_microseconds": seconds / moves * 1e6,  # wall-clock time; the file is loaded before
    }


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The texts of ``docs/certificates.md``."""
    proven = {
        kind: sorted(figures_of(parts, kind), key=lambda each: (each["positions"], each["moves"]))
        for kind in ("boards", "positions", "plain")
    }
    ruled = {each["board"]: each for each in proven["boards"]}
    plain_rows = [
        each | {f"{name}_times": _times(each, ruled, name) for name in ("positions", "file_bytes")}
        for each in proven["plain"]
    ]
    everything = [each for rows in proven.values() for each in rows]
    engines, processors = (
        ", ".join(sorted({str(each[name]) for each in everything}))
        for name in ("engine_version", "processor")
    )
    limits = {"cells": MOST_NARROW_CELLS, "side": LEAST_SIDE}
    texts = {
        "boards": table(
            f"board | score | {COSTS}", proven["boards"], f"{{board}} | {{score}} | {COSTS_ROW}"
        ),
        "positions": table(
            f"position | score | {COSTS}",
            proven["positions"],
            f"`{{moves}}` | {{score}} | {COSTS_ROW}",
        ),
        "plain": table(
            f"board | {COSTS} | times the positions | times the bytes",
            plain_rows,
            f"{{board}} | {COSTS_ROW} | {{positions_times:.1f}} | {{file_bytes_times:.2f}}",
        ),
        "narrow": "\n".join(
            text(NARROW, each | limits | {"largest": parse_board(each["largest"])})
            for each in figures_of(parts, "narrow")
        ),
        "tampered": "\n".join(text(TAMPERED, each) for each in figures_of(parts, "tampered")),
        "games": table(GAMES, figures_of(parts, "games"), GAMES_ROW, left=2),
        "machine": f"Engine {engines}; {processors}.",
    }
    return {name: f"\n{each}\n" for name, each in texts.items()}


def _keep(results: Results, name: str, figures: dict[str, Any]) -> None:
    click.echo(figures)
    results.keep("certificates", name, figures)


def _make(path: Path, board: str, moves: str, rules: str) -> Usage:
    return run_c4(
        *("prove", moves, f"--board={board}", f"--rules={rules}", "--threads=1", "--table-mb=64"),
        *(f"--out={path}", f"--db=sqlite:///{path}.db", "--quiet"),
    )


def _boards(*, narrow: bool) -> Iterator[BoardSize]:
    """The boards that the engine takes, narrow ones (up to 18 squares) or the others (up to 36)."""
    most = MOST_NARROW_CELLS if narrow else MOST_CELLS
    for width in range(1, most + 1):
        for height in range(1, most // width + 1):
            try:
                board = check_board(width, height)
            except BoardError:
                continue
            if (min(board) < LEAST_SIDE) == narrow:
                yield board


def _shared_solver_calls() -> int:
    """How often players of this process have taken the solver that they share."""
    info = shared_solver.cache_info()
    return info.hits + info.misses


def _times(each: Mapping[str, Any], ruled: Mapping[str, Mapping[str, Any]], name: str) -> Any:  # noqa: ANN401
    """A figure without rules in multiples of the one with rules; None if that is missing."""
    with_rules = ruled.get(each["board"])
    return with_rules and each[name] / with_rules[name]
