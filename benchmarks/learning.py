"""Train the players that learn from exact scores, and measure their strength.

::

    python -m benchmarks learning learners --data E --data M --test T
    python -m benchmarks learning opponents

Interrupted training is resumed from the model's file. If the training is complete, the model is
only measured. PyTorch is imported only when it is used, because the import takes seconds.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from benchmarks.options import WITH_HELP, seed_option
from benchmarks.page import run_lines, table
from c4core.arena.game import game_seed, match_seed, play_game
from c4core.arena.statistics import wilson_interval
from c4core.book import Book
from c4core.dice import Dice
from c4core.models.files import read_model, write_model
from c4core.models.labels import read_joined, read_positions
from c4core.models.loop import Step, TupleCourse, train
from c4core.models.quality import evaluate_player, quality_object
from c4core.players.player import Resources
from c4core.players.registry import parse_player
from c4core.position import Position
from c4core.solver import Solver
from cli.output.render import percent, percent_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from benchmarks.record import Part, Results
    from c4core.models.files import Model
    from c4core.models.labels import Positions
    from c4core.players import Player

    Figures = Mapping[str, Any]

OPPONENTS: Final = (
    *("stupid", "random", "greedy", "set"),
    *("blog-v1", "blog-v2", "blog-v3", "blog-v4", "blog-v5", "blog-v6"),
    *("alphabeta", "pvs", "minimax-features", "minimax-squares"),
    *("minimax-runs:time_ms=50", "minimax-threats:time_ms=50", "minimax-windows"),
    *("montecarlo-flat", "montecarlo-timed:time_ms=20", "mcts-uct"),
    *("learning-cnn:model={cnn}", "learning-exact:model={exact}"),
    *("learning-selfplay:model={selfplay}", "learning-tuples:model={tuples-1}"),
    "perfect",
)
"""All players that play from any position, without programs and players with stored games."""
EPOCHS: Final = {"residual": 7, "tuples": 6}
TABLE_MB: Final = 256
"""The table size of the solver for perfect play."""
STONES: Final = 4
"""Number of stones in the openings of matches without random choices."""
LATER: Final = 8
"""Test positions with at least this many stones are also measured separately. Training leaves out
test positions and their neighbours, which are most of the positions with fewer stones."""
SETS: Final = ("all", "decisive", "quiet", "quiet_decisive")
"""The kinds of positions that are counted separately (c4core/models/quality.py)."""
QUALITY: Final = (
    "best column | result kept | decisive | quiet | quiet and decisive | wins missed | "
    "blocks missed | processor time per move"
)

_DIRECTORY: Final = click.Path(exists=True, file_okay=False, path_type=Path)
models_option = click.option(
    "--models",
    type=_DIRECTORY,
    default=Path(),
    show_default=True,
    help="The directory of the model files, such as tuples-1.safetensors.",
)


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Train players that learn, and measure their strength."""


@main.command()
@models_option
@click.option(
    "--data",
    type=_DIRECTORY,
    multiple=True,
    required=True,
    help="A data set for training, from c4 dataset build with NPZ files; repeatable.",
)
@click.option(
    "--test",
    type=_DIRECTORY,
    required=True,
    help="A data set whose test part is used to measure; training avoids positions near it.",
)
@click.option(
    "--epochs", type=click.IntRange(1), help="Epochs of every training.  [default: the learner's]"
)
@click.option("--trainings", type=click.IntRange(1), default=3, show_default=True)
@click.option("--depth", type=click.IntRange(1, 12), default=4, show_default=True)
@click.option("--sample", type=click.IntRange(1), default=5000, show_default=True)
@seed_option
@click.pass_obj
def learners(
    results: Results,
    *,
    models: Path,
    data: tuple[Path, ...],
    test: Path,
    epochs: int | None,
    trainings: int,
    depth: int,
    sample: int,
    seed: int,
) -> None:
    """Train the threat network and the n-tuples with several seeds, and measure them.

    Players that search are measured on --sample of the test positions.
    """
    joined = read_joined(data, apart_from=[test])
    tested = read_positions(test, "test")
    found = []
    for kind in EPOCHS:
        for each in range(seed, seed + trainings):
            path = models / f"{kind}-{each}.safetensors"
            model = train_learner(path, kind, joined, seed=each, epochs=epochs)
            about = {
                "seed": each,
                "epochs": len(model.history),
                "training_seconds": round(sum(one["seconds"] for one in model.history), 1),
            }
            measured = measure_learner(path, kind, tested, depth=depth, sample=sample)
            found += [about | one for one in measured]
            click.echo(f"{path.stem}: {quality_cells(measured[:1])}", err=True)
    figures = {
        "data": [_command(each) for each in data],
        "test": _command(test),
        "positions": len(joined[0]),
        "tested": len(tested),
        "depth": depth,
        "sample": sample,
        "learners": found,
    }
    results.keep("learning", "learners", figures, PyTorch=metadata.version("torch"))


@main.command()
@models_option
@click.option("--games", "number", type=click.IntRange(1), default=400, show_default=True)
@click.option("--player", default="learning-residual", show_default=True, help="The learner.")
@click.option("--only", multiple=True, metavar="NAME", help="Only these opponents; repeatable.")
@seed_option
@click.pass_obj
def opponents(
    results: Results, *, models: Path, number: int, player: str, only: tuple[str, ...], seed: int
) -> None:
    """Let a learner play against every other player. Players without a model are left out."""
    names = ("cnn", "exact", "selfplay", "tuples-1")
    files = {name: models / f"{name}.safetensors" for name in names}
    missing = [str(path) for path in files.values() if not path.exists()]
    played, left_out = [], []
    for description in (each.format(**files) for each in OPPONENTS):
        name, _, parameters = description.partition(":")
        if only and name not in only:
            continue
        if parameters.removeprefix("model=") in missing:
            left_out.append(name)
            continue
        played.append(play_opponent(player, description, games=number, seed=seed))
        click.echo(played[-1], err=True)
    results.keep(
        "learning",
        "opponents",
        {"player": player, "matches": played, "left_out": left_out},
        PyTorch=metadata.version("torch"),
    )


@main.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("c4core/data/c4-7x6-residual.safetensors"),
    show_default=True,
    help="The shipped model file.",
)
def ship(*, model: Path, file: Path) -> None:
    """Write a trained model as the shipped model, without the optimizer's state."""
    write_model(file, replace(read_model(model), optimizer={}))


def train_learner(
    path: Path, kind: str, data: tuple[Positions, Positions], *, seed: int, epochs: int | None
) -> Model:
    """Train a learner in one thread, or resume interrupted training."""
    import torch  # noqa: PLC0415 (slow to import)

    from c4core.models.torch.courses import ResidualCourse  # noqa: PLC0415

    torch.set_num_threads(1)

    def report(step: Step) -> None:
        if step.parts == 0:
            click.echo(f"{path.stem} {step.figures}", err=True)

    course = (
        ResidualCourse(*data, seed=seed, precision="bfloat16")
        if kind == "residual"
        else TupleCourse(*data, seed=seed, decay=0.6)
    )
    earlier = read_model(path) if path.exists() else None
    return train(course, path, epochs=epochs or EPOCHS[kind], resume=earlier, tell=report)


def measure_learner(
    path: Path, kind: str, test: Positions, *, depth: int, sample: int
) -> list[dict[str, Any]]:
    """Measure a model alone and with a search, on all test positions and on later ones."""
    later = test.take(np.flatnonzero(test.ply >= LATER))
    alone = f"learning-{kind}:model={path}"
    searching = f"learning-{kind}-search:model={path},depth={depth}"
    found = []
    for player, positions, least_ply in (
        (alone, test, 0),
        (alone, later, LATER),
        (searching, test.sample(sample, seed=0), 0),
        (searching, later.sample(sample, seed=0), LATER),
    ):
        measured = evaluate_player(parse_player(player).make(), positions)
        quality = quality_object(measured.quality)
        found.append(
            {
                "player": player.partition(":")[0],
                "least_ply": least_ply,
                "move_processor_microseconds": round(1e6 * measured.processor_seconds, 1),
                "quality": {name: each for name, each in quality.items() if name != "plies"},
            }
        )
    return found


def play_opponent(player: str, opponent: str, *, games: int, seed: int) -> dict[str, Any]:
    """Play a match in which the players take turns to move first.

    If neither makes random choices, each of them begins once from each of games / 2 openings.
    """
    name = opponent.partition(":model")[0]
    seed = match_seed(seed, player.partition(":")[0], name)
    resources = Resources(Solver(table_mb=TABLE_MB, book=Book.shipped()))
    began = time.perf_counter()
    with parse_player(player).make() as a, parse_player(opponent).make(resources) as b:
        by_chance = a.is_random or b.is_random
        starts: Iterable[Position | None] = (
            [None] * (games // 2) if by_chance else openings(games // 2, seed)
        )
        marks = ""
        for number, start in enumerate(starts):
            for turn, (first, second) in enumerate(((a, b), (b, a))):
                dice = game_seed(seed, 2 * number + turn) if by_chance else 0
                marks += mark_of_game(first, second, a=a, seed=dice, start=start)
    seconds = round(time.perf_counter() - began, 1)
    return {"opponent": name, "marks": marks, "openings": not by_chance, "seconds": seconds}


def openings(count: int, seed: int) -> list[Position]:
    """Different random open positions with :data:`STONES` stones."""
    dice, found = Dice(seed), dict[str, Position]()
    while len(found) < count:
        position = Position()
        for _ in range(STONES):
            position = position.play(dice.pick(position.legal_columns()))
        found.setdefault(str(position.key), position)
    return list(found.values())


def mark_of_game(
    first: Player, second: Player, *, a: Player, seed: int, start: Position | None
) -> str:
    """Play a game; return the mark of its result for player a: w, d or l."""
    record = play_game(first, second, seed=seed, start=start)
    if record.is_forfeit:
        raise RuntimeError(f"{first} - {second}: {record.detail}")
    if record.winner is None:
        return "d"
    return "w" if (record.winner == "x") == (first is a) else "l"


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/learning-log.md``.

    Raises:
        ValueError: a part of the page was not measured yet.
    """
    if missing := {"learners", "opponents", "network-test"} - parts.keys():
        raise ValueError(f"learning was not measured yet: {', '.join(sorted(missing))}")
    found = {name: part.figures for name, part in parts.items()}
    last = max((part.made for part in parts.values()), key=lambda made: made.date)
    learned = found["learners"]
    commands = "\n".join(f"$ {each}" for each in (*learned["data"], learned["test"]))
    return {
        "learners": learners_table(learned),
        "trainings": trainings_table(learned),
        "opponents": opponents_table(found["opponents"]),
        "network": network_table(found["network-test"]),
        "data": f"```console\n{commands}\n```",
        "run": run_lines(
            replace(last, date="", command=""),
            "Training: one thread, on a machine with other load; times are wall-clock times",
            *(f"{part.made.date}: `{part.made.command}`" for part in parts.values()),
        ),
    }


def learners_table(part: Figures) -> str:
    """The means over the seeds: best columns, results kept, and the time per move."""
    by_kind: dict[tuple[str, int], list[Figures]] = {}
    for each in part["learners"]:
        by_kind.setdefault((each["player"], each["least_ply"]), []).append(each)
    rows = [
        [f"`{player}`", f"{least_ply} and more" if least_ply else "all", *quality_cells(each)]
        for (player, least_ply), each in by_kind.items()
    ]
    title = (
        f"{part['tested']:,} held-out positions ({part['sample']:,} of them with a search of "
        f"{part['depth']} plies); {part['positions']:,} to learn from; means of "
        f"{len({each['seed'] for each in part['learners']})} seeds"
    )
    return table(f"player | stones | {QUALITY}", rows, title=title)


def trainings_table(part: Figures) -> str:
    """The results of each seed, for learners without search."""
    rows = [
        [
            f"`{each['player']}`",
            str(each["seed"]),
            *quality_cells([each]),
            f"{each['training_seconds'] / 60:.0f} min",
        ]
        for each in part["learners"]
        if not each["player"].endswith("-search") and not each["least_ply"]
    ]
    return table(f"player | seed | {QUALITY} | training", rows)


def network_table(part: Figures) -> str:
    """The means over the bands of quiet positions, and the games against perfect play."""
    rows = []
    for each in part["players"]:
        bands = [band["quality"] for band in each["bands"]]
        microseconds = mean(band["move_processor_microseconds"] for band in each["bands"])
        rows.append(
            [
                f"`{each['player'].partition(':')[0]}`",
                percent(mean(band["all"]["strict"] for band in bands)),
                percent(mean(band["all"]["outcome"] for band in bands)),
                percent(mean(band["quiet_decisive"]["outcome"] for band in bands)),
                *(percent(band["all"]["outcome"]) for band in bands),
                f"{microseconds:,.0f} us",
                *("-".join(map(str, each[seat])) for seat in ("first", "second")),
                f"{each['stones'][1]:.0f}",
            ]
        )
    ranges = " | ".join("{} to {}".format(*band["stones"]) for band in part["players"][0]["bands"])
    return table(
        f"player | best column | result kept | decisive | {ranges} | processor time per move | "
        "moving first | second | stones",
        rows,
    )


def opponents_table(part: Figures) -> str:
    """The results of the matches: in all games, and by the player that moved first."""
    rows = []
    for each in part["matches"]:
        marks = each["marks"]
        score = (marks.count("w") + marks.count("d") / 2) / len(marks)
        interval = wilson_interval(round(score * len(marks)), len(marks))
        rows.append(
            [
                f"`{each['opponent']}`{' *' if each['openings'] else ''}",
                *map(_counts, (marks, marks[::2], marks[1::2])),
                percent(score),
                percent_interval(interval) if interval else "-",
            ]
        )
    text = table("opponent | won-lost-drawn | moving first | second | score | 95% sure", rows)
    if part["left_out"]:
        names = ", ".join(f"`{name}`" for name in part["left_out"])
        text += f"\n\nNot played because the model is missing: {names}."
    return text


def quality_cells(measured: Sequence[Figures]) -> list[str]:
    """The mean of each column of :data:`QUALITY`."""
    qualities = [each["quality"] for each in measured]

    def share(name: str, kind: str) -> str:
        known = [each[name][kind] for each in qualities if each[name][kind] is not None]
        return percent(mean(known) if known else None)

    def missed(kind: str) -> str:
        number, of = (
            mean(each[kind][name] for each in qualities) for name in ("missed", "positions")
        )
        return f"{number:.1f} of {of:,.0f}"

    microseconds = mean(each["move_processor_microseconds"] for each in measured)
    return [
        share("all", "strict"),
        *(share(name, "outcome") for name in SETS),
        missed("wins"),
        missed("blocks"),
        f"{microseconds:,.0f} us",
    ]


def _counts(marks: str) -> str:
    return "-".join(str(marks.count(mark)) for mark in "wld")


def _command(data: Path) -> str:
    """The command that made a data set."""
    return str(json.loads((data / "card.json").read_text())["command"])
