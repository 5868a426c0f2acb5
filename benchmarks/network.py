"""Train the shipped network: on exact labels, and on its own games against perfect play.

::

    python -m benchmarks network data --output network
    python -m benchmarks network train --data network --device cuda --output n.safetensors
    python -m benchmarks network measure learning-residual:model=n.safetensors --data network

``data`` draws the positions and labels them. ``train`` learns from them, most often from positions
that the network does not know yet. After a part of the steps, each player gets weights of its own.
Between the steps, the network plays games against perfect play, and learns from the positions of
these games, too. ``measure`` asks players in positions that training left out, and lets them
play against perfect play.
"""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from benchmarks.options import WITH_HELP, all_threads_option, seed_option, table_option
from c4core.arrays import are_over
from c4core.book import Book
from c4core.dataset.draw import draw_by_plies
from c4core.dataset.files import write_npz
from c4core.dataset.records import are_quiet, make_records
from c4core.dice import Dice
from c4core.evaluation import NO_SCORE
from c4core.files import atomic_file
from c4core.models.files import Model, read_model, write_model
from c4core.models.labels import ARRAYS, Positions, canonical, near, read_positions
from c4core.models.players import engine_of
from c4core.models.quality import evaluate_player, quality_object
from c4core.notation import DEFAULT_BOARD
from c4core.players.registry import parse_player
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import torch
    from numpy.typing import NDArray
    from torch import nn

    from benchmarks.record import Results
    from c4core.models.torch.courses import ResidualCourse
    from c4core.players import Player

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]
    Choose = Callable[[Sequence[Position]], Sequence[int]]
    """Returns the column that a player plays in each position."""

OPENINGS: Final = 11
"""All positions with at most this many stones are drawn from the book."""
COUNTS: Final = (
    *((12, 12, 12_000), (13, 13, 16_000), (14, 14, 15_000), (15, 15, 30_000), (16, 16, 45_000)),
    *((17, 17, 75_000), (18, 19, 135_000), (20, 25, 185_000), (26, 29, 100_000)),
    *((30, 31, 85_000), (32, 33, 15_000), (34, 35, 10_000), (36, 37, 5_000)),
    *((38, 39, 2_500), (40, 40, 1_000)),
)
"""Quiet positions of random games to learn from: the least and most stones, and the number of
positions for each number of stones."""
OTHERS: Final = 0.15
"""Positions that are not quiet: the share of the book's that is used, and the number from random
games for each quiet one. Without them the network misses wins in one."""
ALWAYS: Final = 7
"""All positions with at most this many stones are learned, even near held-out positions."""
BANDS: Final = ((8, 13), (14, 19), (20, 25), (26, 31))
"""The numbers of stones of held-out positions."""
HELD_OUT: Final = 2000
"""The number of held-out positions in a band; they are quiet."""
SETS: Final = {"validation": 2001, "test": 1001}
"""The held-out sets and their seeds. The recipe was chosen by figures on the validation set."""

BLOCKS: Final = 5
HIDDEN: Final = 64
"""The number of units of a column."""
COPIES: Final = ((11, 2), (19, 5), (25, 4), (DEFAULT_BOARD.cells, 3))
"""The most stones, and the copies of such a position that are drawn from: more where errors are
frequent."""
HARD: Final = 4
"""Quiet and decisive positions are drawn this many times as often as others."""
KNOWN: Final = 0.15
"""The chance that a drawn position is learned if the network surely keeps its result."""
UNKNOWN: Final = 2.0
"""The chance grows by this times the position's last losses of kept results, up to 1."""
SIDES_FROM: Final = 0.4
"""The share of the steps after which each player has weights of its own."""
BATCH: Final = 2048
FROM_GAMES: Final = 256
"""The number of positions of a step that come from the network's own games."""
RATE: Final = 0.035
"""Muon's learning rate."""
ADAM: Final = 0.2
"""Adam's learning rate, as a share of Muon's."""
DECAY: Final = 0.1
"""Muon's weight decay. Without it weights grow, and the network learns more and more slowly."""
LOWEST: Final = 0.02
"""The learning rates fall to this share, and at the end to 0."""
STEPS: Final = 8000
WARM_UP: Final = 300
FALLING: Final = 0.88
"""The share of the steps in which the learning rate falls like a cosine."""
LAST: Final = 0.92
"""The share of the steps after which the learning rate falls to 0."""
WEIGHTS: Final = (0.5, 1.0, 1.0, 2.0)
"""The weights of the losses: best columns, kept results, value, scores."""
CALM: Final = 40
CALM_POLICY: Final = 12
"""Larger activations and policies cost something."""
WATCHED: Final = 256
"""Only this many positions of a step are searched for large activations, to save time."""
STEPS_OF_ROUND: Final = 1500
"""The number of steps between games."""
FIRST_ROUND: Final = 0.05
"""The share of the steps before the first games."""
AS_FIRST: Final = 200
AS_SECOND: Final = 100
EXPLORING: Final = 300
"""The numbers of games of a round; in exploring ones the network moves first."""
EXPLORE: Final = 0.1
"""The share of the network's moves in exploring games that are any column that keeps the result."""
ERROR_COPIES: Final = 16
RECENT_COPIES: Final = 4
"""Errors, and positions of the newest games as first player, are drawn this many times as often."""

data_option = click.option(
    "--data",
    "directory",
    type=click.Path(exists=True, path_type=Path),
    required=True,
    help="The directory of the command data.",
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Train the shipped network, and measure it."""


@main.command()
@click.option("--output", type=click.Path(file_okay=False, path_type=Path), required=True)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Only this share of the positions of random games.",
)
@click.option(
    "--openings",
    type=click.IntRange(0, OPENINGS),
    default=OPENINGS,
    show_default=True,
    help="Most stones of the positions of the book.",
)
@all_threads_option
@table_option(1024)
def data(*, output: Path, share: float, openings: int, threads: int, table_mb: int) -> None:
    """Draw the positions to learn from and the held-out sets, and label them.

    Existing files are kept, so an interrupted command continues when it is given again. The
    held-out sets are parts of a data set, so "c4 learn train" can keep apart from them, too.
    """
    output.mkdir(exist_ok=True)
    solver = Solver(table_mb=table_mb, threads=threads, book=Book.shipped())
    for name, seed in SETS.items():
        plies = [ply for first, last in BANDS for ply in range(first, last + 1)]
        each = HELD_OUT * len(BANDS) // len(plies)
        make(output / f"{name}.npz", solver, (of_games(ply, each, seed=seed) for ply in plies))
    make(output / "openings.npz", solver, (of_book(ply) for ply in range(openings + 1)))
    for first, last, count in COUNTS:
        for ply in range(first, last + 1):
            number = round(share * count)
            keys = (
                of_games(ply, each, seed=1, is_quiet=is_quiet)
                for is_quiet, each in ((True, number), (False, round(OTHERS * number)))
            )
            make(output / f"stones-{ply}.npz", solver, keys)


def make(path: Path, solver: Solver, sets: Iterable[Keys]) -> None:
    """Label positions, and write them like a part of a data set."""
    if path.exists():
        return
    began = time.monotonic()
    keys = np.concatenate(list(sets))
    records = recorded(keys, solver.analyze_many(keys).scores)
    with atomic_file(path) as beside:
        write_npz(beside, records, card="{}")
    click.echo(f"{path.name}: {len(keys):,} positions, {time.monotonic() - began:.0f} s", err=True)


def of_games(ply: int, count: int, *, seed: int, is_quiet: bool = True) -> Keys:
    """Positions of random games with this many stones, all of them quiet, or none."""

    def keep(keys: Keys) -> NDArray[np.bool_]:
        are_kept: NDArray[np.bool_] = are_quiet(keys, DEFAULT_BOARD) == is_quiet
        return are_kept

    return draw_by_plies(DEFAULT_BOARD, ply, ply, count, seed, keep=keep).keys


def of_book(ply: int) -> Keys:
    """The quiet positions of the book with this many stones, and a share of the others."""
    with Book.shipped() as book:
        keys = next(
            keys for at, (keys, _) in enumerate(book.levels(), book.info.first_ply) if at == ply
        )
    keys = keys[~are_over(keys, DEFAULT_BOARD)]
    drawn = np.random.default_rng(ply).random(len(keys)) < OTHERS
    return keys[are_quiet(keys, DEFAULT_BOARD) | drawn | (ply <= ALWAYS)]


def read(*paths: Path) -> Positions:
    """The positions of files that :func:`data` made."""
    return concatenated([read_positions(path.parent, path.stem) for path in paths])


def recorded(keys: Keys, scores: Scores) -> dict[str, Any]:
    """The columns of a data set with these canonical keys, and the scores of their columns."""
    return make_records(keys, scores, board=DEFAULT_BOARD, seed=1, representations=("planes",))


def labelled(keys: Keys, scores: Scores) -> Positions:
    """Positions with these canonical keys, and the scores of their columns."""
    records = recorded(keys, scores)
    return Positions(**{name: records[name] for name in ARRAYS}, board=DEFAULT_BOARD)


def concatenated(sets: Sequence[Positions]) -> Positions:
    """Sets of positions one after another; a position may occur several times."""
    arrays = {name: np.concatenate([getattr(each, name) for each in sets]) for name in ARRAYS}
    return Positions(**arrays, board=DEFAULT_BOARD)


def held_out(directory: Path) -> Positions:
    """The positions of all held-out sets."""
    return read(*(directory / f"{name}.npz" for name in SETS))


def apart(positions: Positions, others: Positions) -> Positions:
    """The positions that are neither among the others nor next to one, and all early ones."""
    is_apart = ~near(positions, others) | (positions.ply <= ALWAYS)
    return positions.take(np.flatnonzero(is_apart))


def copies_of(positions: Positions) -> NDArray[np.intp]:
    """The number of copies of each position that are drawn from."""
    most, times = np.array(COPIES).T
    are_hard = positions.is_decisive & are_quiet(positions.keys, DEFAULT_BOARD)
    copies: NDArray[np.intp] = times[np.searchsorted(most, positions.ply)]
    return copies * np.where(are_hard, HARD, 1)


@main.command()
@data_option
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.option("--device", default="cpu", show_default=True, help="PyTorch's device, as cuda.")
@click.option("--steps", type=click.IntRange(1), default=STEPS, show_default=True)
@click.option("--batch", type=click.IntRange(16), default=BATCH, show_default=True)
@click.option(
    "--rate",
    "highest",
    type=click.FloatRange(0, min_open=True),
    default=RATE,
    show_default=True,
    help="The highest learning rate of Muon.",
)
@click.option(
    "--start",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Begin with this network; missing blocks and units are added.",
)
@seed_option
@all_threads_option
@table_option(1024)
def train(
    *,
    directory: Path,
    output: Path,
    device: str,
    steps: int,
    batch: int,
    highest: float,
    start: Path | None,
    seed: int,
    threads: int,
    table_mb: int,
) -> None:
    """Train a network; from random weights, this takes one to three hours on two cores."""
    import torch  # noqa: PLC0415 (slow to import)

    from c4core.models.torch.courses import ResidualCourse  # noqa: PLC0415
    from c4core.models.torch.playing import quality_of_network  # noqa: PLC0415

    torch.set_num_threads(threads)
    validation, others = read(directory / "validation.npz"), held_out(directory)
    files = [directory / "openings.npz", *sorted(directory.glob("stones-*.npz"))]
    learned = concatenated([apart(read(path), others) for path in files])

    def course_of(positions: Positions) -> ResidualCourse:
        return ResidualCourse(
            positions,
            validation,
            blocks=BLOCKS,
            hidden=HIDDEN,
            batch=batch,
            rate=highest,
            seed=seed,
            precision="bfloat16" if has_bfloat16(device) else "float32",
            device=device,
        )

    course = course_of(learned)
    if start is not None:
        known = read_model(start)
        if "sides" in known.architecture:
            split(course)
        begin_with(course.network, known.weights)
    began = time.monotonic()

    def trained(figures: Mapping[str, float]) -> Model:
        seconds = round(time.monotonic() - began, 1)
        return Model(
            kind=course.kind,
            board=course.board,
            architecture=course.architecture,
            settings=course.settings | {"steps": steps},
            history=[{"epoch": 1, **figures, "seconds": seconds}],
            weights=course.weights(),
            optimizer={},
        )

    def validated() -> Mapping[str, float]:
        return quality_of_network(course.network, course.kind, validation, mirrors=False).figures

    games = Games(Solver(table_mb=table_mb, threads=threads, book=Book.shipped()), others, seed)
    drawn = Drawn(course, np.repeat(np.arange(len(learned)), copies_of(learned)), seed)
    from_games = batch * FROM_GAMES // BATCH
    own: Drawn | None = None
    weights = torch.tensor(WEIGHTS, device=device)
    optimizer, excess = Optimizer(course.network), watched(course.network)
    for step in range(steps):
        if step >= SIDES_FROM * steps and "sides" not in course.architecture:
            split(course)
            optimizer, excess = Optimizer(course.network), watched(course.network)
        excess.clear()
        if own is None:
            losses = drawn.losses(batch)
        else:
            own.course.network = course.network  # split() replaced it
            share = from_games / batch
            losses = drawn.losses(batch - from_games) * (1 - share) + own.losses(from_games) * share
        optimizer.learn((losses * weights).sum() + sum(excess), highest * rate(step, steps))
        if step >= FIRST_ROUND * steps and step % (STEPS_OF_ROUND * BATCH // batch) == 0:
            model = trained(validated())
            write_model(output, model)
            told = games.round(engine_of(model, output).choose)
            own = Drawn(course_of(games.positions()), games.copies(), seed + step)
            click.echo(f"step {step:,}: {told}; {model.history[-1]}", err=True)
    write_model(output, trained(validated()))


def has_bfloat16(device: str) -> bool:
    """Whether a device multiplies numbers of type bfloat16; some processors only emulate it."""
    import torch  # noqa: PLC0415 (slow to import)

    known = torch.cpu.get_capabilities()
    return device != "cpu" or bool(known.get("amx_bf16") or known.get("avx512_bf16"))


class Optimizer:
    """Muon (Jordan 2024) for the matrices of a network, and Adam for biases and last layers."""

    def __init__(self, network: nn.Module) -> None:
        import torch  # noqa: PLC0415 (slow to import)

        self._parameters = dict(network.named_parameters())
        self._learned: dict[str, torch.Tensor] = {}
        for name, parameter in self._parameters.items():
            if parameter.dim() > 1 and name.split(".")[-2] not in {"policy", "value", "score"}:
                weights = outputs_first(parameter.detach())
                self._learned[name] = weights.view(len(weights), -1)  # the parameter's memory
        muon = torch.optim.Muon(self._learned.values(), weight_decay=DECAY)
        others = {
            name: each for name, each in self._parameters.items() if name not in self._learned
        }
        adam = torch.optim.Adam(others.values())
        self._learned |= others
        self._optimizers: dict[torch.optim.Optimizer, float] = {muon: 1.0, adam: ADAM}

    def learn(self, loss: torch.Tensor, rate: float) -> None:
        """Make one step that lowers the loss, with this learning rate of Muon."""
        import torch  # noqa: PLC0415 (slow to import)

        gradients = torch.autograd.grad(loss, list(self._parameters.values()))
        for name, gradient in zip(self._parameters, gradients, strict=True):
            learned = self._learned[name]
            learned.grad = outputs_first(gradient).reshape(learned.shape)
        for optimizer, share in self._optimizers.items():
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            optimizer.step()


def outputs_first(weights: torch.Tensor) -> torch.Tensor:
    """Weights in the order of their memory; the channels of convolutions are last there."""
    return weights.movedim(1, -1) if weights.dim() > 3 else weights  # noqa: PLR2004


def without_side(name: str) -> str:
    """The name of a layer or of its weights, without the side."""
    return re.sub(r"^sides\.\d+\.", "", name)


def split(course: ResidualCourse) -> None:
    """Give each player weights of its own, which begin as copies."""
    import torch  # noqa: PLC0415 (slow to import)
    from torch.nn.utils import convert_conv2d_weight_memory_format  # noqa: PLC0415

    from c4core.models.torch.networks import new_network  # noqa: PLC0415

    course.architecture["sides"] = 2
    network = new_network(course.kind, course.board, course.architecture, seed=0)
    begin_with(network, course.weights())
    convert_conv2d_weight_memory_format(network, torch.channels_last)
    course.network = network.to(course.device)


def begin_with(network: nn.Module, weights: Mapping[str, NDArray[np.generic]]) -> None:
    """Copy weights to a network that may be larger; at first, nothing uses its new parts.

    If only the network has sides, all sides get the same weights.
    """
    import torch  # noqa: PLC0415 (slow to import)

    for full_name, parameter in network.state_dict().items():
        name = full_name if full_name in weights else without_side(full_name)
        if name not in weights:  # a new block, whose last layer has only zeros
            if name.endswith("outer.bias"):
                parameter.zero_()
            continue
        given = torch.from_numpy(weights[name].copy())
        if name.endswith("mixing.weight"):  # a column's units, and then their means
            halves = zip(parameter.chunk(2, 1), given.chunk(2, 1), strict=True)
        else:
            halves = zip((parameter,), (given,), strict=True)
        for half, known in halves:
            if known.dim() > 1:
                half[: len(known)] = 0  # known outputs do not use new inputs
            half[tuple(slice(size) for size in known.shape)] = known


def watched(network: nn.Module) -> list[torch.Tensor]:
    """The penalties of all later outputs of a network's layers, until the list is cleared.

    The player computes in integers, which hold activations up to 127. Without penalties, training
    lets activations and policies grow, until the player's columns differ from the network's.
    """
    found: list[torch.Tensor] = []

    def of_layer(_layer: object, _inputs: object, output: torch.Tensor) -> None:
        if not len(output):  # no position of this side
            return
        large = (output[:WATCHED].float() - CALM).relu()
        found.append(3 * large.mean() + 0.004 * (large - CALM / 2).relu().flatten(1).sum(1).mean())

    def of_policy(_layer: object, _inputs: object, output: torch.Tensor) -> None:
        if len(output):
            found.append(0.05 * (output.float().abs() - CALM_POLICY).relu().mean())

    for full_name, layer in network.named_modules():
        name = without_side(full_name)
        if name.startswith(("first", "column", "mixing", "blocks.")) and "outer" not in name:
            layer.register_forward_hook(of_layer)
        elif name == "policy":
            layer.register_forward_hook(of_policy)
    return found


class Drawn:
    """Positions of a course that are drawn at random, unknown ones more often.

    Args:
        rows: the indices of the positions; one that occurs twice is drawn twice as often.
    """

    def __init__(self, course: ResidualCourse, rows: NDArray[np.intp], seed: int) -> None:
        import torch  # noqa: PLC0415 (slow to import)

        self.course = course
        self._rows = torch.from_numpy(rows)
        self._chances = torch.full((int(rows.max()) + 1,), 0.5)
        self._generator = torch.Generator().manual_seed(seed)

    def losses(self, count: int) -> torch.Tensor:
        """The mean losses of this many positions; half of them are mirrored."""
        import torch  # noqa: PLC0415 (slow to import)

        candidates = round(count / KNOWN)
        places = torch.randint(len(self._rows), (candidates,), generator=self._generator)
        rows = self._rows[places]
        is_drawn = torch.rand(candidates, generator=self._generator) < self._chances[rows]
        rows = torch.cat([rows[is_drawn], rows[~is_drawn]])[:count]
        mirrored = torch.rand(count, generator=self._generator) < 0.5  # noqa: PLR2004
        device = self.course.device
        losses = self.course.losses(rows.to(device), mirrored.to(device))
        found = (KNOWN + UNKNOWN * losses[1].detach().cpu()).clamp(max=1)
        self._chances[rows] = (self._chances[rows] + found) / 2
        return losses.mean(1)


def rate(step: int, steps: int) -> float:
    """The learning rate of a step, counted from 0, as a share of the highest."""
    done = step / steps
    share = max(LOWEST, (1 + math.cos(math.pi * min(1.0, done / FALLING))) / 2)
    if done > LAST:
        share = LOWEST * (1 - done) / (1 - LAST)
    return share * min(1.0, (step + 1) / WARM_UP)


@dataclass(frozen=True, slots=True)
class Played:
    """Games of a player against perfect play."""

    results: tuple[int, ...]
    """1, 0 or -1 for each game: the player wins, draws or loses."""
    lengths: tuple[int, ...]
    """The number of stones at the end of each game."""
    seen: frozenset[int]
    """The canonical keys of the positions in which the player moved."""
    wrong: frozenset[int]
    """The keys of the positions in which the player's column did not keep the result."""


class Perfect:
    """Perfect play, which remembers all scores; it chooses among equal columns at random."""

    def __init__(self, solver: Solver, seed: int) -> None:
        self.scores: dict[int, Scores] = {}
        """The scores of all columns, by canonical key, in the canonical orientation."""
        self._solver = solver
        self._random = np.random.default_rng(seed)

    def play(
        self, choose: Choose, *, games: int, moves_first: bool, explore: float = 0.0
    ) -> Played:
        """Play games, all at the same time, so that every position is asked for once.

        Args:
            choose: the player.
            games: the number of games.
            moves_first: whether the player moves first.
            explore: the share of its moves that are replaced by any column that keeps the result.
                If it is above 0, a game ends at the player's first error.
        """
        alive = dict.fromkeys(range(games), Position())
        ended: dict[int, tuple[int, int]] = {}
        seen, wrong = set[int](), set[int]()
        while alive:
            self._learn({position.canonical_key for position in alive.values()})
            is_player = (next(iter(alive.values())).ply % 2 == 0) == moves_first
            chosen: dict[int, int] = {}
            if is_player:
                asked = {position.key: position for position in alive.values()}
                chosen = dict(zip(asked, choose(list(asked.values())), strict=True))
            after: dict[int, Position] = {}
            for game, position in alive.items():
                scores = self._of(position)
                best = int(scores.max())
                columns = np.flatnonzero(scores == best)
                if is_player:
                    column = chosen[position.key]
                    seen.add(position.canonical_key)
                    keeping = np.flatnonzero(
                        (scores != NO_SCORE) & (np.sign(scores) == np.sign(best))
                    )
                    if column not in keeping:
                        wrong.add(position.canonical_key)
                        if explore:
                            ended[game] = (int(np.sign(scores[column])), position.ply)
                            continue
                    if explore and self._random.random() < explore:
                        column = int(self._random.choice(keeping))
                else:
                    column = int(self._random.choice(columns))
                position = position.play(column)  # noqa: PLW2901
                if position.is_over:
                    won = 1 if is_player else -1
                    ended[game] = (0 if position.winner is None else won, position.ply)
                else:
                    after[game] = position
            alive = after
        results, lengths = zip(*(ended[game] for game in range(games)), strict=True)
        return Played(results, lengths, frozenset(seen), frozenset(wrong))

    def _learn(self, keys: set[int]) -> None:
        new = np.array(sorted(keys - self.scores.keys()), dtype=np.uint64)
        if len(new):
            self.scores.update(
                zip(new.tolist(), self._solver.analyze_many(new).scores, strict=True)
            )

    def _of(self, position: Position) -> Scores:
        """The scores of a position's columns."""
        scores = self.scores[position.canonical_key]
        return scores if position.key == position.canonical_key else scores[::-1]


class Games:
    """Positions from a network's games against perfect play.

    Args:
        others: the held-out positions; no position next to one is learned.
    """

    def __init__(self, solver: Solver, others: Positions, seed: int) -> None:
        self._perfect = Perfect(solver, seed)
        self._others = others
        self._seen, self._wrong, self._recent = set[int](), set[int](), set[int]()
        self._learned = np.empty(0, dtype=np.uint64)

    def round(self, choose: Callable[[Position], int]) -> str:
        """Play a round of games; return a report."""

        def all_of(positions: Sequence[Position]) -> list[int]:
            return [choose(position) for position in positions]

        play = self._perfect.play
        first = play(all_of, games=AS_FIRST, moves_first=True)
        second = play(all_of, games=AS_SECOND, moves_first=False)
        explored = play(all_of, games=EXPLORING, moves_first=True, explore=EXPLORE)
        self._seen |= first.seen | second.seen | explored.seen
        self._wrong |= first.wrong | explored.wrong
        self._recent = set(first.seen)
        return (
            f"won {first.results.count(1)} of {AS_FIRST} as first player, with "
            f"{len(first.wrong)} errors; {len(self._seen):,} positions"
        )

    def positions(self) -> Positions:
        """The positions of all rounds that are not near a held-out one."""
        keys = np.array(sorted(self._seen), dtype=np.uint64)
        scores = np.array([self._perfect.scores[key] for key in keys.tolist()])
        found = apart(labelled(keys, scores), self._others)
        self._learned = canonical(found)
        return found

    def copies(self) -> NDArray[np.intp]:
        """The indices of :meth:`positions`; errors and new positions occur several times."""
        wrong, recent = (
            np.flatnonzero(np.isin(self._learned, np.array(sorted(keys), dtype=np.uint64)))
            for keys in (self._wrong, self._recent)
        )
        return np.concatenate(
            [
                np.arange(len(self._learned)),
                np.repeat(wrong, ERROR_COPIES - 1),
                np.repeat(recent, RECENT_COPIES - 1),
            ]
        )


@main.command()
@click.argument("players", nargs=-1, required=True)
@data_option
@click.option("--set", "name", type=click.Choice(list(SETS)), default="test", show_default=True)
@click.option("--sample", type=click.IntRange(1), help="Only this many positions of each band.")
@click.option("--games", type=click.IntRange(1), default=200, show_default=True)
@seed_option
@all_threads_option
@table_option(1024)
@click.pass_obj
def measure(
    results: Results,
    *,
    players: tuple[str, ...],
    directory: Path,
    name: str,
    sample: int | None,
    games: int,
    seed: int,
    threads: int,
    table_mb: int,
) -> None:
    """Measure players on held-out positions, and in games against perfect play.

    The games begin on the empty board. The player plays --games games as first player, and as
    many as second player.
    """
    positions = read(directory / f"{name}.npz")
    perfect = Perfect(Solver(table_mb=table_mb, threads=threads, book=Book.shipped()), seed)
    measured = []
    for description in players:
        spec = parse_player(description)
        with spec.make() as player:
            bands = [
                band_figures(player, positions, first, last, sample=sample) for first, last in BANDS
            ]
            played = [
                perfect.play(answers(player), games=games, moves_first=moves_first)
                for moves_first in (True, False)
            ]
        measured.append(
            {
                "player": spec.text,
                "bands": bands,
                "first": [played[0].results.count(result) for result in (1, 0, -1)],
                "second": [played[1].results.count(result) for result in (1, 0, -1)],
                "stones": [float(np.median(each.lengths)) for each in played],
            }
        )
        click.echo(f"{description}: {measured[-1]}", err=True)
    figures = {"set": name, "games": games, "sample": sample, "players": measured}
    results.keep("learning", f"network-{name}", figures)


def answers(player: Player) -> Choose:
    """The columns of a player in several positions."""
    dice = Dice(0)
    return lambda positions: [player.choose(position, dice) for position in positions]


def band_figures(
    player: Player, positions: Positions, first: int, last: int, *, sample: int | None
) -> dict[str, Any]:
    """The figures of a player for positions with ``first`` to ``last`` stones."""
    band = positions.take(np.flatnonzero((first <= positions.ply) & (positions.ply <= last)))
    if sample is not None:
        band = band.sample(sample, seed=0)
    found = evaluate_player(player, band, mirrors=False)
    return {
        "stones": [first, last],
        "move_processor_microseconds": round(1e6 * found.processor_seconds, 1),
        "quality": {
            kind: each
            for kind, each in quality_object(found.quality).items()
            if kind in ("all", "quiet_decisive")
        },
    }
