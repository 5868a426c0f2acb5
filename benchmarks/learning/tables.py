"""The tables of ``docs/learning.md`` about learners that play without PyTorch."""

from __future__ import annotations

from statistics import mean
from typing import TYPE_CHECKING, Any, Final

from benchmarks.page import table
from c4core.arena.statistics import wilson_interval
from cli.reports.figures import percent, percent_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SETS: Final = ("all", "decisive", "quiet", "quiet_decisive")
"""The sets of positions of a quality (c4core/models/quality.py)."""

HEADINGS: Final = (
    "best column",
    "result kept",
    "decisive",
    "quiet",
    "quiet and decisive",
    "wins missed",
    "blocks missed",
    "processor time a move",
)


def learners_table(part: Mapping[str, Any]) -> str:
    """The means over the seeds, in Markdown: best columns, results kept, and the time of a move."""
    rows = []
    kinds = dict.fromkeys((each["player"], each["least_ply"]) for each in part["learners"])
    for player, least_ply in kinds:
        of_player = [
            each
            for each in part["learners"]
            if (each["player"], each["least_ply"]) == (player, least_ply)
        ]
        stones = f"{least_ply} and more" if least_ply else "all"
        rows.append([f"`{player}`", stones, *learners_row(of_player)])
    return table(
        ("player", "stones", *HEADINGS),
        rows,
        left=1,
        title=f"{part['tested']:,} held-out positions ({part['sample']:,} of them with a search of "
        f"{part['depth']} plies); {part['positions']:,} to learn from; means of "
        f"{len({each['seed'] for each in part['learners']})} seeds",
    )


def seeds_table(part: Mapping[str, Any]) -> str:
    """Every seed of the learners without search."""
    rows = [
        [
            f"`{each['player']}`",
            str(each["seed"]),
            *learners_row([each]),
            f"{each['training_seconds'] / 60:.0f} min",
        ]
        for each in part["learners"]
        if not each["player"].endswith("-search") and not each["least_ply"]
    ]
    return table(("player", "seed", *HEADINGS, "training"), rows, left=1)


def curve_table(part: Mapping[str, Any], full: Mapping[str, Any]) -> str:
    """The trainings on less data and of smaller networks, and the full one."""
    rows = [
        [
            f"{each['positions']:,}",
            f"{each['architecture']['channels']}, {each['architecture']['blocks']}",
            *learners_row([each]),
        ]
        for each in part["trainings"]
    ]
    same = [
        each
        for each in full["learners"]
        if (each["player"], each["seed"], each["least_ply"])
        == ("learning-residual", part["seed"], 0)
    ]
    rows += [[f"{full['positions']:,}", "32, 4", *learners_row([each])] for each in same]
    return table(("positions", "channels, blocks", *HEADINGS), rows, left=0)


def learners_row(measured: Sequence[Mapping[str, Any]]) -> list[str]:
    """The means of some measurements, as :data:`HEADINGS` has them."""
    qualities = [each["quality"] for each in measured]
    shares = [[quality[name] for quality in qualities] for name in SETS]
    time = mean(each["move_processor_microseconds"] for each in measured)
    return [
        percent(_mean(shares[0], "strict")),
        *(percent(_mean(share, "outcome")) for share in shares),
        *(
            f"{mean(quality[kind]['missed'] for quality in qualities):.1f} of "
            f"{mean(quality[kind]['positions'] for quality in qualities):,.0f}"
            for kind in ("wins", "blocks")
        ),
        f"{time:,.0f} us",
    ]


def _mean(shares: Sequence[Mapping[str, Any]], name: str) -> float | None:
    known = [share[name] for share in shares if share[name] is not None]
    return mean(known) if known else None


def opponents_table(part: Mapping[str, Any]) -> str:
    """The matches: won, lost, drawn, in all and of the games that the learner began."""
    rows = []
    for each in part["matches"]:
        marks = each["marks"]
        score = (marks.count("w") + marks.count("d") / 2) / len(marks)
        interval = wilson_interval(round(score * len(marks)), len(marks))
        rows.append(
            [
                f"`{each['opponent']}`{' *' if each['openings'] else ''}",
                _counts(marks),
                _counts(marks[::2]),
                _counts(marks[1::2]),
                percent(score),
                "-" if interval is None else percent_interval(interval),
            ]
        )
    headings = ("opponent", "won-lost-drawn", "moving first", "second", "score", "95% sure")
    found = table(headings, rows)
    if part["left_out"]:
        names = ", ".join(f"`{name}`" for name in part["left_out"])
        found += f"\n\nNot played, for want of a model: {names}."
    return found


def _counts(marks: str) -> str:
    return "-".join(str(marks.count(mark)) for mark in "wld")
