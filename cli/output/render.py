"""Boards, scores, numbers and sentences for people.

Stones are the letters of the grid text, in colour if the terminal has colours. So a board copied
as text keeps the sides apart and can be read again.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.text import Text

from c4core.evaluation import bounds_text, plies_to_end, value_between
from c4core.notation import column_label
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.arena.statistics import Elo, Interval, Tally
    from c4core.estimate import Estimate
    from c4core.evaluation import ColumnBounds
    from c4core.position import Position
    from workers.answers.question import Answer

SIDE_STYLES = {"x": "bold red", "o": "bold yellow"}
MARGIN = "  "

MAX_SECONDS = 1e12
"""30,000 years. A longer time comes from a damaged database, and could have hundreds of digits."""

NOTHING = "-"
"""The text of a number that is not known."""

LEAST_P = 1e-6
"""A smaller p-value is shown as "less than" this."""

P_DIGITS = 3
"""Digits of a p-value after the decimal point; small values have more."""

FEW_SECONDS = 1e-5
"""Shorter times need a digit after the decimal point."""

VALUE_STYLES = {"win": "green", "draw": "yellow", "loss": "red"}
GUESS_STYLE = "italic cyan"


class _Screen(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Raise an error: rich would end the program with its own exit code."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """A console that writes text as it is: no markup, no highlighting, no wrapping.

    Texts from files and databases must be ``printable``.
    """
    return _Screen(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)


def can_write(text: str) -> bool:
    """Whether standard output's encoding has these characters."""
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def board(
    position: Position,
    bounds: ColumnBounds | None,
    estimate: Estimate | None = None,
    *,
    zero_based: bool = False,
) -> Text:
    """Draw a board with column labels and, below them, scores. A four is in capitals.

    ``bounds`` belong to the columns' scores, for the side to move. Without ``bounds``, the line is
    left out. A column whose result is open shows its share of ``estimate``.
    """
    shares = (None,) * position.width if estimate is None else estimate.columns
    cells = [] if bounds is None else list(map(column_text, bounds, shares))
    cell = max(3, *(len(text) + 1 for text, _ in cells)) if cells else 3
    four = set(position.winning_squares())
    text = Text()
    for row in reversed(range(position.height)):
        text.append(MARGIN)
        for column in range(position.width):
            side = position.stone_at(column, row)
            text.append(" " * (cell - 1))
            if side is None:
                text.append(".", "dim")
            elif (column, row) in four:
                text.append(side.upper(), f"{SIDE_STYLES[side]} underline")
            else:
                text.append(side, SIDE_STYLES[side])
        text.append("\n")
    text.append(MARGIN)
    for column in range(position.width):
        text.append(f"{column_label(column, zero_based=zero_based):>{cell}}", "dim")
    if bounds is not None:
        best = max((pair[1] for pair in bounds if pair is not None), default=None)
        text.append("\n" + MARGIN)
        for pair, (shown, style) in zip(bounds, cells, strict=True):
            is_best = pair is not None and pair[0] == best
            text.append(f"{shown:>{cell}}", f"bold {style}" if is_best else style)
    text.append("\n")
    return text


def column_text(pair: tuple[int, int] | None, share: float | None = None) -> tuple[str, str]:
    """The text under a column with these bounds or this guess, and its style."""
    if pair is None:
        return ".", "dim"
    lower, upper = pair
    if lower < 0 < upper and share is not None:
        return f"~{100 * share:.0f}", GUESS_STYLE
    value = value_between(lower, upper)
    return bounds_text(lower, upper), "dim" if value is None else VALUE_STYLES[value]


def score_text(score: int | None) -> str:
    """A score with its sign; a dot for None."""
    if score is None:
        return "."
    return f"{score:+d}" if score else "0"


def score_style(score: int | None) -> str:
    """The colour of a score: green for wins, yellow for draws, red for losses."""
    if score is None:
        return "dim"
    return VALUE_STYLES["win" if score > 0 else "loss" if score < 0 else "draw"]


def result_sentence(position: Position, answer: Answer) -> Text:
    """One sentence: who wins, when, and the score.

    ``x to move, x wins in 29 moves: score +4 for x``
    """
    if position.winner is not None:
        return Text(f"{position.winner} has won", style="bold")
    if position.is_over:
        return Text("a draw: the board is full", style="bold")
    mover = position.turn
    winner = {"win": mover, "loss": "o" if mover == "x" else "x"}.get(answer.value or "")
    outcome = "not solved yet" if answer.value is None else "a draw"
    score = answer.score
    if winner is not None:
        outcome = f"{winner} wins"
        if score is not None:
            plies = plies_to_end(score, position.ply, position.board)
            outcome += f" in {count(plies, 'move')}"
    shown = score_text(score)
    if score is None:
        shown = f"between {score_text(answer.lower)} and {score_text(answer.upper)}"
    style = f"bold {VALUE_STYLES[answer.value]}" if answer.value else "bold"
    return Text(f"{mover} to move, {outcome}: score {shown} for {mover}", style=style)


def guess(position: Position, answer: Answer, estimate: Estimate | None) -> Text | None:
    """A guess of the result, marked as a guess; None if the answer proves the result.

    ``Guess, not proven: x is favoured (x: ~72 %)`` or
    ``Published score, not proven by this search: -2 for x``
    """
    if estimate is None or answer.value is not None:
        return None
    mover = position.turn
    other = "o" if mover == "x" else "x"
    if estimate.published is not None:
        score = f"{score_text(estimate.published)} for {mover}"
        return Text(f"Published score, not proven by this search: {score}", style=GUESS_STYLE)
    outcome = "too close to call"
    if estimate.favoured is not None:
        outcome = f"{mover if estimate.favoured == 'win' else other} is favoured"
    share = f"{mover}: ~{100 * estimate.share:.0f} %"
    return Text(f"Guess, not proven: {outcome} ({share})", style=GUESS_STYLE)


def labels(columns: Iterable[int], *, zero_based: bool = False) -> str:
    """Column labels for people: ``3, 4``."""
    return ", ".join(column_label(column, zero_based=zero_based) for column in columns)


def duration(seconds: float) -> str:
    """Format a time with about three digits: ``34 µs``, ``1.20 s``, ``2:05:10``.

    An impossible time, which a damaged database may have, is a dash.
    """
    if not abs(seconds) < MAX_SECONDS:  # also true for NaN
        return "-"
    if seconds < 1e-3:  # noqa: PLR2004
        return f"{seconds * 1e6:.0f} {'µs' if can_write('µ') else 'us'}"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    if seconds < 60:  # noqa: PLR2004
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def effort(answer: Answer) -> str:
    """The cost of an answer's search, or its source."""
    if answer.source == "db":
        return "known from the database"
    if answer.source == "book":
        return "known from the book"
    return f"{count(answer.nodes, 'node')} in {duration(answer.seconds)}"


def percent(share: float | None) -> str:
    """Format a share: ``61.2%``."""
    return NOTHING if share is None else f"{100 * share:.1f}%"


def percent_interval(interval: Interval) -> str:
    """Format an interval of shares: ``79.8 to 92.9%``."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"


def chance(p: float | None) -> str:
    """Format a p-value with two significant digits: ``0.027``, ``0.000044``, ``< 0.000001``."""
    if p is None:
        return NOTHING
    if p < LEAST_P:
        return f"< {LEAST_P:.6f}"
    digits = max(P_DIGITS, 1 - math.floor(math.log10(p)))
    return f"{p:.{digits}f}"


def elo(value: Elo | None) -> str:
    """Format an Elo difference with its interval: ``+330 (+250 to +433)``."""
    if value is None:
        return NOTHING
    if math.isinf(value.difference):
        return f"{signed(value.difference)} (one side has won everything)"
    return f"{signed(value.difference)} ({signed(value.low)} to {signed(value.high)})"


def signed(difference: float) -> str:
    """Format an Elo difference: ``+330``, ``-12``, ``0``, ``+inf``."""
    if math.isinf(difference):
        return "+inf" if difference > 0 else "-inf"
    return f"{round(difference):+d}" if round(difference) else "0"


def tally(results: Tally) -> str:
    """Format wins, losses and draws: ``12-86-2``."""
    return f"{results.wins}-{results.losses}-{results.draws}"


def mean(value: float | None, digits: int = 2) -> str:
    """Format a mean."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def span(seconds: float | None) -> str:
    """Format a time, which may be less than a microsecond."""
    if not seconds:
        return NOTHING
    if seconds < FEW_SECONDS:
        return f"{seconds * 1e6:.2g} {duration(0).partition(' ')[2]}"
    return duration(seconds)


def rate(value: float | None) -> str:
    """Format a rate with about three digits."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"  # noqa: PLR2004
