"""How ``c4 review`` writes reviews: for people, as JSON Lines, or as CSV with a row a move."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from c4core.lines import BadLine
from cli.shell import echo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workers.matches.reviews.reviewed import Review, ReviewedMove

MARK_STYLES: Final = {"??": "bold red", "?": "yellow", "!": "bold green", "": ""}
NAMES: Final = ("game", "match", "number", "board", "ply", "side", "column")
JUDGED: Final = ("before", "after", "loss", "best", "mark", "changes_result")
"""The columns of CSV."""


def write_json(reviews: Iterable[Review | BadLine]) -> None:
    """Write an object for each game; for a bad line one that says what is wrong."""
    from workers.matches.reviews.reviewed import review_object
    from workers.positions.batches import bad_line_object

    for review in reviews:
        bad = isinstance(review, BadLine)
        fields = bad_line_object(review) if bad else review_object(review)  # type: ignore[arg-type]
        sys.stdout.write(json.dumps(fields) + "\n")


def write_csv(reviews: Iterable[Review | BadLine]) -> None:
    """Write a row for each move of each game."""
    from cli.output.formats import write_rows

    write_rows(_rows(reviews), "csv", (), names=(*NAMES, *JUDGED))


def write_text(reviews: Iterable[Review | BadLine], *, boards: bool) -> None:
    """Write games for people: the moves, and the board at each turning point.

    Args:
        reviews: what to write.
        boards: draw the board after every move.
    """
    is_first = True
    for review in reviews:
        if isinstance(review, BadLine):
            _tell(review)
            continue
        if not is_first:
            echo.line()
        is_first = False
        _write_game(review, boards=boards)


def write_summary(reviews: Iterable[Review | BadLine]) -> None:
    """Write a line for each game."""
    from cli.output.formats import Column, write_rows

    columns = (
        Column("game", 8, lambda row: row["game"]),
        Column("x", 14, lambda row: row["x"]),
        Column("o", 14, lambda row: row["o"]),
        Column("result", 10, lambda row: row["result"]),
        Column("x kept", 6, lambda row: row["x_kept"], right=True),
        Column("o kept", 6, lambda row: row["o_kept"], right=True),
        Column("x best", 6, lambda row: row["x_best"], right=True),
        Column("o best", 6, lambda row: row["o_best"], right=True),
        Column("??", 3, lambda row: row["blunders"], right=True),
        Column("turning points", 14, lambda row: row["turns"]),
    )
    write_rows(_summaries(reviews), "table", columns)


def _summaries(reviews: Iterable[Review | BadLine]) -> Iterator[dict[str, Any]]:
    from c4core.arena.files import outcome_text
    from workers.matches.reviews.reviewed import percent

    for index, review in enumerate(reviews, start=1):
        if isinstance(review, BadLine):
            _tell(review)
            continue
        game, turns = review.game, review.turning_points
        yield {
            "game": _name(review) or str(index),
            "x": _short(game.first),
            "o": _short(game.second),
            "result": outcome_text(game.winner, game.ending),
            "x_kept": percent(review.accuracy("x")),
            "o_kept": percent(review.accuracy("o")),
            "x_best": percent(review.best_share("x")),
            "o_best": percent(review.best_share("o")),
            "blunders": str(len(turns)),
            "turns": " ".join(str(ply + 1) for ply in turns),
        }


def _rows(reviews: Iterable[Review | BadLine]) -> Iterator[dict[str, Any]]:
    from workers.matches.reviews.reviewed import move_object

    for index, review in enumerate(reviews, start=1):
        if isinstance(review, BadLine):
            _tell(review)
            continue
        game = review.game
        for move in review.moves:
            fields = move_object(move, game.board)
            place = {
                "game": index,
                "match": game.match,
                "number": game.number,
                "board": str(game.board),
            }
            yield {**place, **{name: fields[name] for name in (*NAMES[4:], *JUDGED)}}


def _tell(bad: BadLine) -> None:
    echo.line(f"Line {bad.line}: {bad.error}", err=True)


def _name(review: Review) -> str:
    game = review.game
    return "" if game.match is None else f"{game.match}:{game.number}"


def _short(description: str | None) -> str:
    from cli.reports.tables import short

    return "?" if description is None else short(description)


def _write_game(review: Review, *, boards: bool) -> None:
    from c4core.arena.files import outcome_text
    from cli.output import render
    from cli.output.tables import write_facts
    from workers.matches.reviews.reviewed import SIDES, percent

    game = review.game
    facts = {"game": _name(review)} if _name(review) else {}
    facts |= {
        side: _short(name)
        for side, name in zip(SIDES, (game.first, game.second), strict=True)
        if name
    }
    facts["result"] = f"{outcome_text(game.winner, game.ending)}, {game.ending}"
    facts["moves"] = "(not known)" if game.moves is None else game.moves
    for name, share in (("kept", review.accuracy), ("best", review.best_share)):
        facts[name] = ", ".join(f"{side} {percent(share(side))}" for side in SIDES)
    turns = ", ".join(str(ply + 1) for ply in review.turning_points)
    facts["turning points"] = f"{'moves ' if ',' in turns else 'move '}{turns}" if turns else "none"
    write_facts(facts)
    if not review.moves:
        return
    echo.line()
    _write_moves(review)
    position = game.start
    out = render.console()
    for move in review.moves:
        before, position = position, position.play(move.column)
        if not boards and (move.judged is None or not move.judged.is_blunder):
            continue
        scores = None if move.judged is None else move.judged.scores
        out.print()
        out.print(_sentence(move))
        out.print(render.board(before, scores), end="")
    if not boards:
        return
    out.print()
    out.print(render.board(position, None), end="")


def _sentence(move: ReviewedMove) -> Any:
    from rich.text import Text

    from c4core.notation import column_label
    from cli.output.render import labels, score_text

    text = Text(f"{move.ply + 1}. {move.side} plays {column_label(move.column)}")
    judged = move.judged
    if judged is None:
        return text.append(", whose score is not known")
    if judged.mark:
        text.append(f" {judged.mark}", MARK_STYLES[judged.mark])
    text.append(f": score {score_text(judged.best)} before, {score_text(judged.played)} after")
    if not judged.is_best:
        text.append(f"; best {labels(judged.best_columns)}")
    return text


def _write_moves(review: Review) -> None:
    """All moves as a table."""
    from c4core.notation import column_label
    from cli.output.formats import Column, write_rows
    from cli.output.render import labels, score_style, score_text

    columns = (
        Column("move", 4, lambda row: f"{row['move'].ply + 1}.", right=True),
        Column("side", 4, lambda row: row["move"].side),
        Column("column", 6, lambda row: column_label(row["move"].column), right=True),
        Column("", 2, lambda row: row["mark"], style=lambda row: MARK_STYLES[row["mark"]]),
        Column(
            "before",
            6,
            lambda row: score_text(row["before"]),
            right=True,
            style=lambda row: score_style(row["before"]),
        ),
        Column(
            "after",
            5,
            lambda row: score_text(row["after"]),
            right=True,
            style=lambda row: score_style(row["after"]),
        ),
        Column("lost", 4, lambda row: str(row["loss"] or ""), right=True),
        Column("best", 4, lambda row: labels(row["best"])),
    )
    write_rows(map(_move_row, review.moves), "table", columns)


def _move_row(move: ReviewedMove) -> dict[str, Any]:
    judged = move.judged
    if judged is None:
        unknown = dict.fromkeys(("before", "after", "loss"))
        return {"move": move, "mark": "", "best": (), **unknown}
    return {
        "move": move,
        "mark": judged.mark,
        "before": judged.best,
        "after": judged.played,
        "loss": judged.loss,
        "best": judged.best_columns,
    }
