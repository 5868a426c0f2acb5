"""The texts and the plots of ``docs/learning.md``."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks.page import run_lines, table
from c4core import extras
from c4core.arena.statistics import wilson_interval
from c4core.models.files import Model
from c4core.notation import DEFAULT_BOARD
from cli.reports.figures import percent, percent_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from benchmarks.record import Part

    Figures = Mapping[str, Any]

PARTS: Final = (
    *("cnn", "games", "seeds", "exact", "selfplay"),
    *("matches", "learners", "curve", "opponents"),
)
NOT_MEASURED: Final = "Not measured yet."
REPORTED: Final = (58659, 143, 114, 54076)
"""Brewer 2017: true positives, false negatives, false positives, true negatives."""
REPORTED_SHARES: Final = {"learning-cnn": 0.45, "random": 0.02}
"""The shares of games won against set that Brewer 2017 reports."""
STONES: Final = ((0, 7), (8, 11), (12, 15), (16, 19), (20, 23), (24, 27), (28, 31), (32, 41))
EPOCHS_SHOWN: Final = 8
SETS: Final = ("all", "decisive", "quiet", "quiet_decisive")
"""The sets of positions of a quality (c4core/models/quality.py)."""
QUALITY: Final = (
    "best column | result kept | decisive | quiet | quiet and decisive | wins missed | "
    "blocks missed | processor time a move"
)
COLOURS: Final = ("#2171b5", "#d2560b", "#3a8f4d", "#8f4da8", "#8a6d1f")
FAINT: Final = "#666666"
FEWEST: Final = 50
"""A ply with fewer positions has no point in the plot."""


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The texts of the page."""
    found = {name: part.figures for name, part in parts.items()}
    makers: dict[str, tuple[Callable[[Figures], str], tuple[str, ...]]] = {
        "confusion": (confusion, ("cnn",)),
        "games": (games, ("games",)),
        "seeds": (seeds, ("seeds",)),
        "exact": (exact, ("exact",)),
        "matches": (matches, ("matches",)),
        "selfplay": (selfplay, ("selfplay",)),
        "learners": (learners, ("learners",)),
        "trainings": (trainings, ("learners",)),
        "curve": (curve, ("curve", "learners")),
        "opponents": (opponents, ("opponents",)),
        "data": (data, ("learners",)),
    }
    texts = {
        name: make(found) if all(part in found for part in needed) else NOT_MEASURED
        for name, (make, needed) in makers.items()
    }
    last = max((part.made for part in parts.values()), key=lambda made: made.date)
    commands = [f"{part.made.date}: `{part.made.command}`" for part in parts.values()]
    run = run_lines(
        replace(last, date="", command=""),
        "Training: one thread, beside other work of the machine: the times are the clock's",
        *commands,
    )
    return texts | {"run": run}


def confusion(found: Figures) -> str:
    """The source's network beside the source's figures."""
    part = found["cnn"]
    here = part["confusion"]
    names = ("true_true", "true_false", "false_true", "false_false")
    texts = (
        "player 1 has won, and the network says so",
        "player 1 has won, and it does not say so",
        "player 1 has not won, but it says so",
        "player 1 has not won, and it does not say so",
    )
    rows = [
        [text, f"{reported:,}", f"{here[name]:,}"]
        for text, reported, name in zip(texts, REPORTED, names, strict=True)
    ]
    accuracy = (REPORTED[0] + REPORTED[3]) / sum(REPORTED)
    rows += [
        ["games tested", f"{sum(REPORTED):,}", f"{here['games']:,}"],
        ["accuracy", f"{accuracy:.5f}", f"{here['accuracy']:.5f}"],
        ["accuracy on what it was trained on", "-", f"{part['history'][-1]['accuracy']:.5f}"],
        ["parameters", "3,375", f"{part['parameters']:,}"],
        ["epochs", "100", f"{len(part['history'])}"],
        ["time of training", "-", _minutes(part["history"])],
        ["time to play the games", "-", f"{part['playing_seconds']:.0f} s"],
    ]
    title = f"{part['games']:,} games of set against set, {part['different']:,} different grids"
    return table(" | Brewer 2017 | here", rows, title=title)


def games(found: Figures) -> str:
    """Games against set."""
    rows = []
    for player, marks in found["games"]["marks"].items():
        reported = REPORTED_SHARES.get(player)
        share = f"about {reported:.0%}" if reported else "-"
        rows.append([f"`{player}`", share, *_share_won(marks), _counts(marks)])
    return table("against `set` | Brewer 2017 | games won here | 95% sure | won-lost-drawn", rows)


def seeds(found: Figures) -> str:
    """The source's training with several seeds."""
    rows = []
    for each in found["seeds"]["trainings"]:
        won, sure = _share_won(each["marks"])
        rows.append(each | {"won": won, "sure": sure})
    return table(
        "seed | accuracy | of the last ten epochs | won against `set` | 95% sure",
        rows,
        "{seed} | {accuracy:.5f} | {least:.5f} to {most:.5f} | {won} | {sure}",
        left=0,
    )


def exact(found: Figures) -> str:
    """Shares of best columns by the number of stones."""
    part = found["exact"]
    test = part["test"]
    others = found.get("matches", {}).get("shares", {})
    columns = {"learning-exact": test} | others
    rows = []
    for low, high in (*STONES, (0, 63)):
        positions = sum(ply["positions"] for ply in _between(test, low, high))
        if positions:
            rows.append(
                [
                    "all" if high > STONES[-1][1] else f"{low} to {high}",
                    f"{positions:,}",
                    *(percent(_share(each, low, high, "best_share")) for each in columns.values()),
                    percent(_share(test, low, high, "random_share")),
                ]
            )
    title = (
        f"Share of {test['positions']:,} held-out positions in which the column is a best one; "
        f"{part['positions']:,} to train on, {part['parameters']:,} parameters, "
        f"{len(part['history'])} epochs in {_minutes(part['history'])}; it names the result of "
        f"{percent(test['value_accuracy'])}"
    )
    names = " | ".join(f"`{name}`" for name in columns)
    return table(f"stones | positions | {names} | random column", rows, title=title)


def matches(found: Figures) -> str:
    """Matches of the networks."""
    rows = []
    for each in found["matches"]["matches"]:
        number = each["wins"] + each["losses"] + each["draws"]
        score = (each["wins"] + each["draws"] / 2) / number
        rows.append(
            each | {"games": number, "star": " *" if each["openings"] else "", "score": score}
        )
    return table(
        "A | B | games | A won-lost-drawn | A's score",
        rows,
        "`{a}` | `{b}` | {games:,}{star} | {wins}-{losses}-{draws} | {score:percent}",
        left=2,
    )


def selfplay(found: Figures) -> str:
    """The course of learning from own games."""
    part = found["selfplay"]
    history = part["history"]
    step = max(1, len(history) // EPOCHS_SHOWN)
    chosen = sorted({0, *range(step - 1, len(history), step), len(history) - 1})
    rows = [
        history[index]
        | {
            "games": history[index]["epoch"] * part["games_per_epoch"],
            "minutes": sum(each["seconds"] for each in history[: index + 1]) / 60,
        }
        for index in chosen
    ]
    return table(
        "epoch | own games | time | won against `random` | won against `set`",
        rows,
        "{epoch} | {games:,} | {minutes:.1f} min | {won_random:percent} | {won_set:percent}",
        left=0,
        title=f"{part['parameters']:,} parameters",
    )


def learners(found: Figures) -> str:
    """The means over the seeds: best columns, results kept, and the time of a move."""
    part = found["learners"]
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


def trainings(found: Figures) -> str:
    """Every seed of the learners without search."""
    rows = [
        [
            f"`{each['player']}`",
            str(each["seed"]),
            *quality_cells([each]),
            f"{each['training_seconds'] / 60:.0f} min",
        ]
        for each in found["learners"]["learners"]
        if not each["player"].endswith("-search") and not each["least_ply"]
    ]
    return table(f"player | seed | {QUALITY} | training", rows)


def curve(found: Figures) -> str:
    """The trainings on less data and of smaller networks, and the full one."""
    part, full = found["curve"], found["learners"]
    rows = [
        [
            f"{each['positions']:,}",
            f"{each['architecture']['channels']}, {each['architecture']['blocks']}",
            *quality_cells([each]),
        ]
        for each in part["trainings"]
    ]
    same = ("learning-residual", part["seed"], 0)
    rows += [
        [f"{full['positions']:,}", "32, 4", *quality_cells([each])]
        for each in full["learners"]
        if (each["player"], each["seed"], each["least_ply"]) == same
    ]
    return table(f"positions | channels, blocks | {QUALITY}", rows, left=0)


def opponents(found: Figures) -> str:
    """The matches: won, lost, drawn, in all and of the games that the learner began."""
    part = found["opponents"]
    rows = []
    for each in part["matches"]:
        marks = each["marks"]
        score = (marks.count("w") + marks.count("d") / 2) / len(marks)
        rows.append(
            [
                f"`{each['opponent']}`{' *' if each['openings'] else ''}",
                *map(_counts, (marks, marks[::2], marks[1::2])),
                percent(score),
                _sure(round(score * len(marks)), len(marks)),
            ]
        )
    text = table("opponent | won-lost-drawn | moving first | second | score | 95% sure", rows)
    if part["left_out"]:
        names = ", ".join(f"`{name}`" for name in part["left_out"])
        text += f"\n\nNot played, for want of a model: {names}."
    return text


def data(found: Figures) -> str:
    """The commands that make the data sets of the learners."""
    part = found["learners"]
    lines = (f"$ {each}" for each in (*part["data"], part["test"]))
    return "\n".join(["```console", *lines, "```"])


def quality_cells(measured: Sequence[Figures]) -> list[str]:
    """The means of some measurements, as :data:`QUALITY` has them."""
    qualities = [each["quality"] for each in measured]

    def share(name: str, kind: str) -> str:
        known = [each[name][kind] for each in qualities if each[name][kind] is not None]
        return percent(mean(known) if known else None)

    def missed(kind: str) -> str:
        number, of = (
            mean(each[kind][name] for each in qualities) for name in ("missed", "positions")
        )
        return f"{number:.1f} of {of:,.0f}"

    time = mean(each["move_processor_microseconds"] for each in measured)
    return [
        share("all", "strict"),
        *(share(name, "outcome") for name in SETS),
        missed("wins"),
        missed("blocks"),
        f"{time:,.0f} us",
    ]


def _between(shares: Figures, low: int, high: int) -> list[Figures]:
    return [ply for ply in shares["plies"] if low <= ply["ply"] <= high]


def _share(shares: Figures, low: int, high: int, name: str) -> float:
    """A share over several plies."""
    plies = _between(shares, low, high)
    whole = sum(ply["positions"] for ply in plies)
    return float(sum(ply[name] * ply["positions"] for ply in plies) / whole)


def _share_won(marks: str) -> list[str]:
    """The share of games won, and its confidence interval."""
    won = marks.count("w")
    return [percent(won / len(marks)), _sure(won, len(marks))]


def _sure(won: int, games: int) -> str:
    interval = wilson_interval(won, games)
    return "-" if interval is None else percent_interval(interval)


def _counts(marks: str) -> str:
    return "-".join(str(marks.count(mark)) for mark in "wld")


def _minutes(history: Sequence[Figures]) -> str:
    return f"{sum(entry['seconds'] for entry in history) / 60:.1f} min"


def draw(parts: Mapping[str, Part], directory: Path) -> None:
    """Draw the course and the result of every training that was measured."""
    extras.require(extras.PLOT, click.ClickException)
    from c4core.models.loop import draw_curves  # noqa: PLC0415 (matplotlib is optional)

    found = {name: part.figures for name, part in parts.items()}
    for kind in ("cnn", "exact", "selfplay"):
        if kind in found:
            model = Model(kind, DEFAULT_BOARD, {}, {}, found[kind]["history"], {})
            draw_curves(model, directory / f"learning-{kind}.svg")
    if "games" in found:
        _draw(directory / "learning-games.svg", _draw_games, found)
    if "exact" in found:
        _draw(directory / "learning-plies.svg", _draw_plies, found)


def win_shares(marks: str) -> Iterator[float]:
    """The share of games won after each game; a draw is not a win."""
    won = 0
    for games, mark in enumerate(marks, start=1):
        won += mark == "w"
        yield won / games


def _draw(path: Path, fill: Callable[[Axes, Figures], None], found: Figures) -> None:
    import matplotlib as mpl  # noqa: PLC0415 (optional, and slow to import)

    mpl.use("agg")
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.ticker import PercentFormatter  # noqa: PLC0415

    style: Any = {
        "font.family": "DejaVu Sans",
        "font.size": 9,
        "svg.hashsalt": "c4",
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with mpl.rc_context(style):
        figure = Figure(figsize=(8, 4), layout="constrained", facecolor="white")
        axes = figure.subplots()
        fill(axes, found)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        if axes.get_legend_handles_labels()[0]:  # too few positions may leave nothing to draw
            axes.legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})


def _draw_games(axes: Axes, found: Figures) -> None:
    """Draw the shares of games won against set, and those that Brewer 2017 reports."""
    for (player, marks), colour in zip(found["games"]["marks"].items(), COLOURS, strict=False):
        shares = list(win_shares(marks))
        axes.plot(range(1, len(shares) + 1), shares, color=colour, linewidth=1.4, label=player)
        if player in REPORTED_SHARES:
            axes.axhline(REPORTED_SHARES[player], color=colour, linewidth=0.8, linestyle=":")
    axes.set_xlabel("games played against set; dotted: reported by Brewer 2017")
    axes.set_ylabel("share of games won")
    axes.set_ylim(-0.02, 1.02)


def _draw_plies(axes: Axes, found: Figures) -> None:
    """Draw the shares of best columns by the number of stones on the board."""
    test = found["exact"]["test"]
    shown = {"learning-exact": test, **found.get("matches", {}).get("shares", {})}
    for (name, shares), colour in zip(shown.items(), COLOURS, strict=False):
        _line(axes, shares["plies"], "best_share", colour, name)
    _line(axes, test["plies"], "random_share", FAINT, "a random column")
    axes.set_xlabel("stones on the board")
    axes.set_ylabel("positions in which its column is a best one")
    axes.set_ylim(0, 1.02)


def _line(axes: Axes, plies: Sequence[Figures], name: str, colour: str, label: str) -> None:
    points = [(ply["ply"], ply[name]) for ply in plies if ply["positions"] >= FEWEST]
    axes.plot(*zip(*points, strict=True), color=colour, linewidth=1.4, marker=".", label=label)
