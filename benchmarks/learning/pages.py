"""The tables of ``docs/learning.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.learning.tables import (
    curve_table,
    learners_table,
    opponents_table,
    seeds_table,
)
from benchmarks.page import machine_line, table, versions_line
from c4core.arena.statistics import wilson_interval
from cli.reports.figures import percent, percent_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.learning.results import Results

NOT_MEASURED: Final = "Not measured yet."
REPORTED: Final = (58659, 143, 114, 54076)
"""Brewer 2017: true positives, false negatives, false positives, true negatives."""
REPORTED_SHARES: Final = {"learning-cnn": "about 45%", "random": "about 2%"}
STONES: Final = ((0, 7), (8, 11), (12, 15), (16, 19), (20, 23), (24, 27), (28, 31), (32, 41))
EPOCHS_SHOWN: Final = 8


def sections(results: Results) -> dict[str, str]:
    """The text for every place of the page, by name."""
    parts = results["parts"]
    makers: dict[str, Callable[[Results], str]] = {
        "run": _run,
        "confusion": _confusion,
        "games": _games,
        "seeds": _seeds,
        "exact": _exact,
        "matches": _matches,
        "selfplay": _selfplay,
        "learners": lambda results: learners_table(results["parts"]["learners"]),
        "trainings": lambda results: seeds_table(results["parts"]["learners"]),
        "curve": lambda results: curve_table(
            results["parts"]["curve"], results["parts"]["learners"]
        ),
        "opponents": lambda results: opponents_table(results["parts"]["opponents"]),
        "data": lambda results: _data(results["parts"]["learners"]),
    }
    needs = {
        "run": (),
        "confusion": ("cnn",),
        "trainings": ("learners",),
        "data": ("learners",),
        "curve": ("curve", "learners"),
    }
    return {
        name: make(results)
        if all(part in parts for part in needs.get(name, (name,)))
        else NOT_MEASURED
        for name, make in makers.items()
    }


def _run(results: Results) -> str:
    return "\n".join(
        [
            machine_line(results["machine"]),
            "- Training: one thread, beside other work of the machine: the times are the clock's",
            versions_line(results["versions"]),
            *(f"- {part['date']}: `{part['command']}`" for part in results["parts"].values()),
        ]
    )


def _confusion(results: Results) -> str:
    part = results["parts"]["cnn"]
    found = part["confusion"]
    here = [found[name] for name in ("true_true", "true_false", "false_true", "false_false")]
    rows = [
        [what, f"{reported:,}", f"{measured:,}"]
        for what, reported, measured in zip(
            (
                "player 1 has won, and the network says so",
                "player 1 has won, and it does not say so",
                "player 1 has not won, but it says so",
                "player 1 has not won, and it does not say so",
            ),
            REPORTED,
            here,
            strict=True,
        )
    ]
    accuracy = (REPORTED[0] + REPORTED[3]) / sum(REPORTED)
    last = part["history"][-1]
    rows += [
        ["games tested", f"{sum(REPORTED):,}", f"{found['games']:,}"],
        ["accuracy", f"{accuracy:.5f}", f"{found['accuracy']:.5f}"],
        ["accuracy on what it was trained on", "-", f"{last['accuracy']:.5f}"],
        ["parameters", "3,375", f"{part['parameters']:,}"],
        ["epochs", "100", f"{len(part['history'])}"],
        ["time of training", "-", _minutes(part["history"])],
        ["time to play the games", "-", f"{part['playing_seconds']:.0f} s"],
    ]
    title = f"{part['games']:,} games of set against set, {part['different']:,} different grids"
    return table(("", "Brewer 2017", "here"), rows, title=title)


def _games(results: Results) -> str:
    rows = []
    for player, marks in results["parts"]["games"]["marks"].items():
        won, games = marks.count("w"), len(marks)
        rows.append(
            [
                f"`{player}`",
                REPORTED_SHARES.get(player, "-"),
                *_share_won(won, games),
                f"{won}-{marks.count('l')}-{marks.count('d')}",
            ]
        )
    headings = ("against `set`", "Brewer 2017", "games won here", "95% sure", "won-lost-drawn")
    return table(headings, rows)


def _seeds(results: Results) -> str:
    rows = [
        [
            str(each["seed"]),
            f"{each['accuracy']:.5f}",
            f"{each['least']:.5f} to {each['most']:.5f}",
            *_share_won(each["marks"].count("w"), len(each["marks"])),
        ]
        for each in results["parts"]["seeds"]["trainings"]
    ]
    headings = ("seed", "accuracy", "of the last ten epochs", "won against `set`", "95% sure")
    return table(headings, rows, left=0)


def _exact(results: Results) -> str:
    parts = results["parts"]
    part = parts["exact"]
    others = parts.get("matches", {}).get("shares", {})
    columns = {"`learning-exact`": part["test"]} | {
        f"`{name}`": each for name, each in others.items()
    }
    rows = []
    for low, high in (*STONES, (0, 63)):
        positions = sum(ply["positions"] for ply in _between(part["test"], low, high))
        if not positions:
            continue
        rows.append(
            [
                "all" if high > STONES[-1][1] else f"{low} to {high}",
                f"{positions:,}",
                *(percent(_share(each, low, high, "best_share")) for each in columns.values()),
                percent(_share(part["test"], low, high, "random_share")),
            ]
        )
    title = (
        f"Share of {part['test']['positions']:,} held-out positions in which the column is a best "
        f"one; {part['positions']:,} to train on, {part['parameters']:,} parameters, "
        f"{len(part['history'])} epochs in {_minutes(part['history'])}; it names the result of "
        f"{percent(part['test']['value_accuracy'])}"
    )
    return table(("stones", "positions", *columns, "random column"), rows, title=title)


def _matches(results: Results) -> str:
    rows = []
    for each in results["parts"]["matches"]["matches"]:
        games = each["wins"] + each["losses"] + each["draws"]
        score = (each["wins"] + each["draws"] / 2) / games
        rows.append(
            [
                f"`{each['a']}`",
                f"`{each['b']}`",
                f"{games:,}{' *' if each['openings'] else ''}",
                f"{each['wins']}-{each['losses']}-{each['draws']}",
                percent(score),
            ]
        )
    headings = ("A", "B", "games", "A won-lost-drawn", "A's score")
    return table(headings, rows, left=2)


def _selfplay(results: Results) -> str:
    part = results["parts"]["selfplay"]
    history = part["history"]
    step = max(1, len(history) // EPOCHS_SHOWN)
    chosen = sorted({0, *range(step - 1, len(history), step), len(history) - 1})
    seconds = 0.0
    rows = []
    for index, entry in enumerate(history):
        seconds += entry["seconds"]
        if index in chosen:
            rows.append(
                [
                    str(entry["epoch"]),
                    f"{entry['epoch'] * part['games_per_epoch']:,}",
                    f"{seconds / 60:.1f} min",
                    percent(entry["won_random"]),
                    percent(entry["won_set"]),
                ]
            )
    headings = ("epoch", "own games", "time", "won against `random`", "won against `set`")
    return table(headings, rows, left=0, title=f"{part['parameters']:,} parameters")


def _data(part: Any) -> str:  # noqa: ANN401
    """The commands that make the data sets of the learners."""
    lines = (f"$ {each}" for each in (*part["data"], part["test"]))
    return "\n".join(["```console", *lines, "```"])


def _between(shares: Any, low: int, high: int) -> list[Any]:  # noqa: ANN401
    return [ply for ply in shares["plies"] if low <= ply["ply"] <= high]


def _share(shares: Any, low: int, high: int, name: str) -> float:  # noqa: ANN401
    """A share over several plies."""
    plies = _between(shares, low, high)
    return float(
        sum(ply[name] * ply["positions"] for ply in plies) / sum(ply["positions"] for ply in plies)
    )


def _share_won(won: int, games: int) -> list[str]:
    """A share of games won, and its confidence interval."""
    interval = wilson_interval(won, games)
    return [percent(won / games), "-" if interval is None else percent_interval(interval)]


def _minutes(history: list[Any]) -> str:
    return f"{sum(entry['seconds'] for entry in history) / 60:.1f} min"
