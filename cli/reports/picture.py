"""Charts of matches. Needs matplotlib.

One match: player A's results over time, and the points that moves gave away. Several matches: a map
of scores between all players, and the points that moves gave away. Blue is good for the player,
orange for its opponent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator, PercentFormatter

from c4core.arena.judging import Accuracy
from c4core.arena.statistics import wilson_interval
from cli.output import drawing, render
from cli.output.drawing import BAD, FAINT, GOOD, INK
from cli.reports.tables import add_results, short, tournament_standings
from db.records.matches import Seats
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from c4core.arena.statistics import Tally
    from workers.match.report import MatchReport

SCORES: Final = LinearSegmentedColormap.from_list("scores", [*BAD[::-1], "#f2f2f2", *GOOD])
LINES: Final = (GOOD[1], BAD[1], "#3a8f4d", "#8f4da8", "#8a6d1f", "#c23b6a", "#4a4a4a")

DARK: Final = 0.27
"""Text is white in fields whose score differs from 0.5 by more than this."""

FEWEST_MOVES: Final = 5
"""A mean over fewer moves is not drawn."""

MAX_POINTS: Final = 2000

MAX_LINES: Final = 7
"""Maximum number of curves in one plot; more would be hard to distinguish."""

STYLE: Final = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,
}


def draw_match(report: MatchReport, paths: Sequence[Path]) -> None:
    """Draw a match into files; their suffixes name the formats."""
    judged = report.judged_games > 0
    with drawing.figure(11 if judged else 6.5, 4.4, paths, style=STYLE) as figure:
        figure.suptitle(_match_title(report), fontsize=10)
        axes = figure.subplots(1, 2 if judged else 1, squeeze=False)[0]
        _draw_course(axes[0], report)
        if judged:
            players = {"A": report.a.plies, "B": report.b.plies}
            _draw_losses(axes[1], players)


def draw_tournament(reports: Sequence[MatchReport], paths: Sequence[Path]) -> None:
    """Draw several matches into files."""
    players = _accuracies(reports)
    rows, columns, field = score_map(reports)
    wide = max(5.0, 2.6 + 0.62 * len(columns))
    high = max(4.0, 1.9 + 0.5 * len(rows))
    with drawing.figure(wide + (5.5 if players else 0), high, paths, style=STYLE) as figure:
        axes = figure.subplots(
            1, 2 if players else 1, squeeze=False, width_ratios=[wide, 5.5] if players else [1]
        )[0]
        _draw_map(axes[0], rows, columns, field, is_square=_is_square(reports))
        if players:
            _draw_losses(axes[1], players)


def course_of(results: np.ndarray[Any, Any]) -> tuple[Any, Any, Any, Any]:
    """Player A's share of decisive games over time, with its interval.

    ``results`` are 1, 0 or -1, one per game. Returns game numbers, shares, lower and upper ends,
    from the first decisive game on.
    """
    wins, losses = np.cumsum(results == 1), np.cumsum(results == -1)
    decided = wins + losses
    step = max(1, len(results) // MAX_POINTS)
    chosen = [*range(0, len(results), step)]
    if len(results) and chosen[-1] != len(results) - 1:
        chosen.append(len(results) - 1)
    numbers, shares, lows, highs = [], [], [], []
    for index in chosen:
        interval = wilson_interval(int(wins[index]), int(decided[index]))
        if interval is not None:
            numbers.append(index + 1)
            shares.append(wins[index] / decided[index])
            lows.append(interval.low)
            highs.append(interval.high)
    return np.array(numbers), np.array(shares), np.array(lows), np.array(highs)


def score_map(
    reports: Sequence[MatchReport],
) -> tuple[list[str], list[str], dict[tuple[str, str], Tally]]:
    """The rows and columns of a map of scores, and the results in its fields.

    With fixed seats, a row is a first mover and a column its opponent, in the order of their
    matches. Otherwise all players are both rows and columns, the best first, and a match fills two
    fields.
    """
    field: dict[tuple[str, str], Tally] = {}
    is_square = _is_square(reports)
    for report in reports:
        a, b = short(report.a.description), short(report.b.description)
        results = report.a.results
        add_results(field, (a, b), results)
        if is_square and a != b:
            add_results(field, (b, a), results.reversed())
    if is_square:
        players = [short(standing.player) for standing in tournament_standings(reports)]
        return players, players, field
    rows = list(dict.fromkeys(a for a, _ in field))
    columns = list(dict.fromkeys(b for _, b in field))
    return rows, columns, field


def _is_square(reports: Sequence[MatchReport]) -> bool:
    return any(report.match.terms.seats is not Seats.FIXED for report in reports)


def _accuracies(reports: Sequence[MatchReport]) -> dict[str, Mapping[int, Accuracy]]:
    players: dict[str, dict[int, Accuracy]] = {
        short(standing.player): {} for standing in tournament_standings(reports)
    }
    for report in reports:
        for player in (report.a, report.b):
            plies = players[short(player.description)]
            for ply, accuracy in player.plies.items():
                plies[ply] = plies.get(ply, Accuracy()) + accuracy
    return {player: plies for player, plies in players.items() if plies}


def _draw_course(axes: Axes, report: MatchReport) -> None:
    numbers, shares, lows, highs = course_of(report.course)
    axes.axhline(0.5, color=FAINT, linewidth=0.8, linestyle=":")
    axes.fill_between(numbers, lows, highs, color=GOOD[1], alpha=0.18, linewidth=0)
    axes.plot(numbers, shares, color=GOOD[1], linewidth=1.4)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlim(1, max(report.games, 2))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_xlabel("games played")
    axes.set_ylabel("decisive games won by A")
    results = render.tally(report.a.results)
    axes.set_title(
        f"A {results}, two-sided P {render.chance(report.p_two_sided)}; shaded: 95% interval",
        fontsize=9,
        color=FAINT,
    )


def _draw_losses(axes: Axes, players: Mapping[str, Mapping[int, Accuracy]]) -> None:
    shown = list(players.items())[:MAX_LINES]
    for (name, plies), colour in zip(shown, LINES, strict=False):
        points = [
            (ply, accuracy.mean_loss)
            for ply, accuracy in plies.items()
            if accuracy.moves >= FEWEST_MOVES
        ]
        total = sum(plies.values(), Accuracy())
        label = f"{name}: {render.mean(total.mean_loss)} a move"
        axes.plot(*zip(*points, strict=True), marker=".", color=colour, linewidth=1.2, label=label)
    axes.set_ylim(bottom=-0.02 * axes.get_ylim()[1])
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("stones on the board")
    axes.set_ylabel("points given away by a move")
    if axes.get_lines():
        axes.legend(frameon=False, fontsize=8)
    left_out = len(players) - len(shown)
    title = f"Judged by exact scores{f'; {left_out} players left out' if left_out else ''}"
    axes.set_title(title, fontsize=9, color=FAINT)


def _draw_map(
    axes: Axes,
    rows: Sequence[str],
    columns: Sequence[str],
    field: Mapping[tuple[str, str], Tally],
    *,
    is_square: bool,
) -> None:
    scores = np.full((len(rows), len(columns)), np.nan)
    for (row, column), results in field.items():
        if results.score is not None:
            scores[rows.index(row), columns.index(column)] = results.score
    axes.imshow(scores, cmap=SCORES, vmin=0, vmax=1, aspect="auto")
    for (row, column), score in np.ndenumerate(scores):
        if not np.isnan(score):
            colour = "white" if abs(score - 0.5) > DARK else INK
            text = f"{100 * score:.0f}"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=8)
    axes.set_xticks(range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    if is_square:
        axes.set_title("Score of the row's player, in percent", fontsize=9.5)
    else:
        axes.set_title("Score of the row's player, who moves first, in percent", fontsize=9.5)


def _match_title(report: MatchReport) -> str:
    a, b = short(report.a.description), short(report.b.description)
    return f"A {a}, B {b}: {count(report.games, 'game')}, {report.distinct:,} different"
