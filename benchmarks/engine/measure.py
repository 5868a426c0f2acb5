"""Measure the speed of the solver, alone and compared with other solvers.

::

    python -m benchmarks engine run --only classes --only boards
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from benchmarks.engine import pages
from benchmarks.engine.solvers import (
    C4,
    BitBully,
    Contender,
    Entry,
    InProcess,
    Measurement,
    Program,
    Run,
    compare,
)
from benchmarks.options import WITH_HELP, failures
from c4core import Position, Solver, parse_board
from c4core.notation import DEFAULT_BOARD
from c4core.solved import SOLVED
from cli.measuring import CLASSES, ScoredPosition, lap, read_scored, shipped_set, thread_counts
from workers.configuration import usable_cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from benchmarks.record import Results
    from c4core.batch import BatchAnalysis, BatchEvaluation

    Keys = NDArray[np.uint64]
    Call = Callable[[Keys], BatchEvaluation | BatchAnalysis]

SHIPPED: Final = "the positions that ship with the program"
KEPT: Final = "kept from one position of a class to the next, empty at the start of each pass"
OWN: Final = C4.name
BEGIN: Final = "begin-medium"
HARD: Final = "begin-hard"

ALL: Final = 1_000_000
"""More positions than any class has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of positions and of repetitions.

    Some rivals need minutes for positions that take this engine seconds. They get only the first
    positions of a class. The engine is also timed on these alone, for a comparison on the same
    positions.
    """

    repeats: int = 5
    """Repetitions for this engine."""
    rival_repeats: int = 3
    positions: dict[str, int] = field(default_factory=lambda: {HARD: 100})
    """Maximum number of positions per class for this engine; no limit without an entry."""
    rival_positions: dict[str, int] = field(default_factory=lambda: {BEGIN: 50, HARD: 10})
    """Maximum number of positions per class for the other solvers."""
    rival_columns: int = 10
    """Number of positions in which the other solvers score all columns."""
    boards: tuple[str, ...] = ("7x5", "6x6", "5x8", "6x7", "8x5")
    """Empty boards besides 7x6."""
    long_repeats: int = 3
    """Repetitions of cases that take this engine many seconds."""
    batch: int = ALL
    hard: int = 20
    """Number of hard positions that several threads search one by one."""

    def share(self, name: str, *, rival: bool = False) -> int:
        """The maximum number of positions of a class that a solver gets."""
        own = self.positions.get(name, ALL)
        return min(own, self.rival_positions.get(name, ALL)) if rival else own


FULL: Final = Plan()
QUICK: Final = Plan(
    repeats=3,
    rival_repeats=1,
    positions=dict.fromkeys(CLASSES, 50) | {BEGIN: 10, HARD: 2},
    rival_positions={BEGIN: 5, HARD: 1},
    rival_columns=1,
    boards=("7x5",),
    long_repeats=1,
    batch=50,
    hard=2,
)
"""A plan to test all measurements in a minute; its figures mean little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """The measurements: a method for each of :data:`benchmarks.engine.pages.GROUPS`."""

    plan: Plan
    scored: Mapping[str, Sequence[ScoredPosition]]
    """The positions of each class."""
    own: C4
    in_process: Sequence[InProcess] = ()
    programs: Sequence[Contender] = ()
    long: bool = False
    """Whether the rivals also solve the empty 7x6 board once, which takes them minutes."""
    table_mb: int = 8
    most_threads: int = 1

    def classes(self) -> Iterator[Measurement]:
        """Time every class: the engine on all positions, and all solvers on fewer positions."""
        rivals = [*self.in_process, *self.programs]
        for name, scored in self.scored.items():
            share = scored[: self.plan.share(name)]
            rival_share = scored[: self.plan.share(name, rival=True)] if rivals else []
            together = rivals if len(share) == len(rival_share) else []
            passes = [(each.name, each.solve) for each in (self.own, *rivals)]
            yield from self._passes("classes", name, share, passes[: len(together) + 1])
            if rival_share and not together:
                yield from self._passes("classes", name, rival_share, passes)

    def _passes(
        self,
        group: str,
        case: str,
        scored: Sequence[ScoredPosition],
        passes: Iterable[tuple[str, Callable[[Sequence[str]], Run]]],
    ) -> list[Measurement]:
        """Time solvers in turn on the positions of a class; the first solver is this engine."""
        games = [position.moves for position in scored]
        plan = self.plan
        entries = [
            Entry(name, partial(run, games), plan.repeats if index == 0 else plan.rival_repeats)
            for index, (name, run) in enumerate(passes)
        ]
        return compare(group, case, [position.score for position in scored], entries)

    def boards(self) -> Iterator[Measurement]:
        """Solve empty boards, exactly and for win, draw or loss, each with an empty table."""
        own, repeats = self.own, self.plan.long_repeats
        for name in (*self.plan.boards, pages.STANDARD):
            entries = [Entry(OWN, partial(solve_board, own, name), repeats)]
            if self.long and name == pages.STANDARD:
                rivals = (*self.in_process, *self.programs)
                entries += [Entry(rival.name, partial(rival.solve, [""]), 1) for rival in rivals]
            yield from compare("boards", name, [SOLVED[parse_board(name)].score], entries)
        weakly = Entry(OWN, partial(solve_board, own, pages.STANDARD, weak=True), repeats)
        case = f"{pages.STANDARD}, win, draw or loss"
        yield from compare("boards", case, [SOLVED[DEFAULT_BOARD].score], [weakly])

    def columns(self) -> Iterator[Measurement]:
        """Score all columns of the positions of three classes, and of the empty board."""
        for name in ("middle-easy", "begin-easy", "middle-medium"):
            scored = self.scored.get(name, ())[: self.plan.share(name)]
            if scored:
                solvers = (self.own, *self.in_process)
                passes = [(solver.name, solver.run_columns) for solver in solvers]
                yield from self._passes("columns", name, scored, passes[:1])
                if self.in_process:
                    shared = scored[: self.plan.rival_columns]
                    yield from self._passes("columns", name, shared, passes)
        entry = Entry(OWN, lambda: self.own.run_columns([""]), self.plan.long_repeats)
        yield from compare("columns", pages.EMPTY_BOARD, [SOLVED[DEFAULT_BOARD].score], [entry])

    def batches(self) -> Iterator[Measurement]:
        """Time ``solve_many`` for every class and ``analyze_many`` for the easy ones."""
        solver = Solver(table_mb=self.table_mb)
        for name in self.scored:
            calls: list[tuple[str, Call]] = [("solve_many", solver.solve_many)]
            if name.endswith("-easy"):
                calls.append(("analyze_many", solver.analyze_many))
            share = self._batch_of(name)
            scores = [position.score for position in share]
            for what, call in calls:
                entry = Entry(
                    OWN, partial(run_batch, solver, call, keys_of(share)), self.plan.repeats
                )
                yield from compare("batches", f"{what}, {name}", scores, [entry])

    def threads(self) -> Iterator[Measurement]:
        """Time a batch, and hard positions one by one, with 1, 2, 4 and more threads in turn."""
        solvers = [
            Solver(table_mb=self.table_mb, threads=number)
            for number in thread_counts(self.most_threads)
        ]
        if batch := self._batch_of(BEGIN):
            keys = keys_of(batch)
            runs = [partial(run_batch, solver, solver.solve_many, keys) for solver in solvers]
            yield from self._by_threads(f"a batch, {BEGIN}", batch, solvers, runs)
        if hard := self.scored.get(HARD, ())[: self.plan.hard]:
            positions = [Position(moves) for moves, _ in hard]
            runs = [partial(run_one_by_one, solver, positions) for solver in solvers]
            yield from self._by_threads(f"one position at a time, {HARD}", hard, solvers, runs)

    def _by_threads(
        self,
        case: str,
        scored: Sequence[ScoredPosition],
        solvers: Sequence[Solver],
        runs: Sequence[Callable[[], Run]],
    ) -> list[Measurement]:
        entries = [
            Entry(OWN, run, self.plan.long_repeats, solver.threads)
            for solver, run in zip(solvers, runs, strict=True)
        ]
        return compare("threads", case, [position.score for position in scored], entries)

    def _batch_of(self, name: str) -> Sequence[ScoredPosition]:
        return self.scored.get(name, ())[: min(self.plan.batch, self.plan.share(name))]


def solve_board(own: C4, name: str, *, weak: bool = False) -> Run:
    """Solve an empty board; a weak solve gives only the sign of the score."""
    position = Position(board=name)
    own.solver.clear()
    evaluation, took = lap(lambda: own.solver.solve(position, weak=weak))
    score = evaluation.score
    if weak:
        score = {"win": 1, "draw": 0, "loss": -1}.get(evaluation.value or "")
    if score is None:
        raise RuntimeError(f"the empty board {name} was not solved")
    return Run([score], took, evaluation.nodes)


def keys_of(scored: Sequence[ScoredPosition]) -> Keys:
    """The keys of positions."""
    return np.array([Position(moves).key for moves, _ in scored], dtype=np.uint64)


def run_batch(solver: Solver, call: Call, keys: Keys) -> Run:
    """Solve a batch with an empty table."""
    solver.clear()
    found, took = lap(lambda: call(keys))
    return Run(found.lower.tolist(), took, int(found.nodes.sum()))


def run_one_by_one(solver: Solver, positions: Sequence[Position]) -> Run:
    """Solve positions one after the other; the table is empty at the start."""
    solver.clear()
    found, took = lap(lambda: [solver.solve(position) for position in positions])
    return Run([answer.lower for answer in found], took, sum(answer.nodes for answer in found))


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the speed of the solver, alone and compared with other solvers."""


@main.command()
@click.option(
    "--positions",
    "directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory of CLASS.txt files, lines 'moves score'.  [default: the shipped positions]",
)
@click.option(
    "--only",
    "groups",
    multiple=True,
    type=click.Choice(pages.GROUPS),
    help="Measure only these groups; repeatable.",
)
@click.option(
    "--program",
    "commands",
    multiple=True,
    metavar="NAME=COMMAND",
    help="Another solver, which reads moves and writes 'moves score' lines; repeatable.",
)
@click.option(
    "--quick", is_flag=True, help="Only test that everything runs; the figures mean little."
)
@click.option(
    "--long",
    is_flag=True,
    help="Let the rivals also solve the empty board, which takes each of them minutes.",
)
@click.option("--table-mb", type=click.IntRange(1), default=8, show_default=True)
@click.option("--threads", type=click.IntRange(1), help="Maximum threads.  [default: all cores]")
@click.pass_obj
def run(
    results: Results,
    /,
    *,
    directory: Path | None,
    groups: tuple[str, ...],
    commands: tuple[str, ...],
    quick: bool,
    threads: int | None,
    table_mb: int,
    long: bool,
) -> None:
    """Run the measurements, and store the figures after every case."""
    in_process = [BitBully()] if find_spec("bitbully") else []
    if not in_process:
        click.echo("bitbully is not measured; to install it: pip install bitbully", err=True)
    with failures(OSError, ValueError):
        scored = shipped_set() if directory is None else read_directory(directory)
    bench = Bench(
        plan=QUICK if quick else FULL,
        scored=scored,
        own=C4(table_mb),
        in_process=in_process,
        programs=[_program(command) for command in commands],
        most_threads=threads or usable_cores(),
        table_mb=table_mb,
        long=long,
    )
    figures: dict[str, Any] = {
        "positions": SHIPPED if directory is None else directory.name,
        "table": KEPT,
        "measurements": [],
    }
    solvers = [bench.own, *in_process, *bench.programs]
    versions = {solver.name: solver.version for solver in solvers}
    for group in groups or pages.GROUPS:
        for measurement in getattr(bench, group)():
            figures["measurements"].append(asdict(measurement))
            results.keep("engine", "run", figures, **versions)
            click.echo(pages.line(measurement), err=True)
    if wrong := sum(each["wrong"] for each in figures["measurements"]):
        raise click.ClickException(f"{wrong} wrong answers")


def read_directory(directory: Path) -> dict[str, list[ScoredPosition]]:
    """Read ``CLASS.txt`` for every class: lines of ``moves score``."""
    paths = {name: directory / f"{name}.txt" for name in CLASSES}
    classes = {
        name: read_scored(path.read_text(encoding="ascii").splitlines())
        for name, path in paths.items()
        if path.exists()
    }
    if not classes:
        raise FileNotFoundError(f"{directory} has none of the files {', '.join(CLASSES)} (.txt)")
    return classes


def _program(text: str) -> Program:
    name, equals, command = text.partition("=")
    if not equals or not name:
        raise click.BadParameter(f"{text!r} is not NAME=COMMAND", param_hint="--program")
    return Program(name, command)
