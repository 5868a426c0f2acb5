"""``c4 review``: find the mistakes in games."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final

import click
from rich.text import Text

from c4core.arena.files import outcome_text
from c4core.evaluation import exact_bounds
from c4core.lines import BadLine
from c4core.notation import column_label
from cli.output import drawing, render
from cli.output.formats import (
    Column,
    check_output,
    check_writable,
    chosen_format,
    formats,
    opened,
    output_file,
    write_rows,
)
from cli.output.render import labels, score_style, score_text
from cli.output.tables import Table, write_facts, write_parts
from cli.positions.games import STDIN, read_games, read_names
from cli.positions.given import hint_at_one, report_bad_line
from cli.reports.tables import short
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, flag, group, number, takes
from cli.shell.process import Exit, echo, run_in_background
from cli.work.job import Backend, JobContext
from workers.answers.lines import bad_line_object
from workers.answers.service import AnswerService, SearchStop
from workers.match.reviews import (
    SIDES,
    Review,
    add_totals,
    move_object,
    percent,
    plan_reviews,
    review_game,
    review_object,
    reviews_of,
)
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from c4core.arena.files import GameEntry
    from c4core.notation import BoardSize
    from cli.output.formats import Format
    from cli.positions.games import GivenGames
    from cli.shell.settings import Settings
    from workers.match.reviews import PlayerTotals, ReviewedMove

EXAMPLES: Final = (
    "c4 review 44444432651631235357535",
    "c4 review 1:0 --plot review.svg",
    "c4 games export 1 | c4 review - --summary",
    "c4 review games.jsonl --output moves.csv",
    "c4 review games.jsonl --detach",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 review``."""

    games: tuple[str, ...] = argument("GAME...", nargs=-1)
    board: BoardSize = parameters.board()
    boards: bool = flag("Draw the board before every move.")
    summary: bool = flag("Write one line per game, then the totals of each player.")
    format_name: str | None = formats(
        table="Tables and boards for people.  [default]",
        json="One JSON array, with an object per game.",
        jsonl="JSON Lines: one object per game.",
        csv="Comma-separated values with a heading; a line per move.",
        parquet="A Parquet file with a row per move.",
    )
    output: str | None = output_file()
    plots: tuple[str, ...] = drawing.plot(
        "Draw the game with its turning points into an .svg or .png; can be given again."
    )
    time_limit: float | None = number(
        parameters.FiniteFloat(0),
        "Time limit per game; moves not judged by then stay open.",
        metavar="SECONDS",
    )
    no_store: bool = parameters.no_store()
    label: str | None = parameters.label("the job.")
    detach: bool = parameters.detach(
        "With files: only create the job that finds the scores, and write its number."
    )
    priority: int | None = parameters.priority()
    engine: Engine = group(Engine)


@click.command(cls=Command, broker=True, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_context
def review(context: click.Context, given: Given) -> None:
    """Review games move by move, using exact scores.

    A GAME is its moves, as in 4453 or "d1 d2 e1 c1", the MATCH:NUMBER of a stored game, a file, or
    - for standard input. A file has one game per line: moves, the objects of "c4 games export", or
    a table (CSV) with the heading "moves".

    "before" is the score of the best column and "after" that of the played one, both for the side
    that moved. "lost" is the difference. "??" changed the result, "?" wins later or loses sooner
    than necessary, "!" was the only move that kept the result in a difficult choice. A "missed win"
    turned a win into a draw or a loss.

    Below each "??", a sentence says how the move loses and why the best column is better. It is
    proven; see docs/reviews.md.

    "kept" is the percentage of a side's moves that kept the result, among moves that could have
    lost it. "best" is the percentage of its moves with no better column, among moves where one was
    worse.

    Positions that are stored, or in the included book, are not searched. For the games of a file, a
    job like that of "c4 analyze" finds the other scores. After Ctrl-C, give the same command again
    to continue. With --broker, workers do the work.
    """
    settings: Settings = context.obj
    chosen = chosen_format(settings, given.format_name, given.output)
    refuse(
        (not given.games, "no game: give moves, MATCH:NUMBER, a file, or - for standard input"),
        (given.games.count(STDIN) > 1, "- can be given only once"),
        (given.summary and given.boards, "--summary and --boards cannot be used together"),
        (given.summary and chosen != "table", "--summary needs --table"),
        (given.boards and chosen != "table", "--boards needs --table"),
        (given.detach and given.no_store, "a detached job needs the database"),
        (given.detach and given.time_limit is not None, "a detached job has no time limit"),
        (given.detach and bool(given.plots), "a detached job draws nothing"),
        (given.detach and given.output is not None, "a detached job writes nothing"),
    )
    check_output(chosen, given.output)
    check_writable(given.output)
    drawing.check_pictures(given.plots)

    hint_at_one(given.games, board=given.board, kind="game")
    named = read_names(context, given.games, given.board)
    refuse((named.has_stored and given.no_store, "a stored game needs the database"))

    with ExitStack() as stack:
        database = None
        if not given.no_store:
            database = stack.enter_context(settings.open_database(create=not named.has_stored))
        found = read_games(named, given.board, database)
        refuse((bool(given.plots) and len(found.games) != 1, "--plot needs exactly one game"))
        backend = Backend.found(settings, given.engine, priority=given.priority)
        if database is not None and given.detach:
            _leave_job(JobContext(settings, database, backend), found, given.label)
            return
        is_large = named.has_files or backend.broker is not None
        reviews: Iterable[Review | BadLine]

        def make_service() -> AnswerService:
            service = AnswerService(database, **vars(given.engine))
            stack.callback(service.close)
            return service

        if database is not None and is_large and given.time_limit is None:
            explains = chosen in ("table", "json", "jsonl") and not given.summary
            reviews = _by_job(
                JobContext(settings, database, backend),
                found,
                given.label,
                make_service() if explains else None,
            )
        else:
            service = make_service()
            reviews = (_reviewed(entry, service, given.time_limit) for entry in found.entries)
        if given.plots:
            reviews = list(reviews)
        with opened(given.output, chosen) as target:
            _write_reviews(reviews, chosen, target, boards=given.boards, summary=given.summary)
        for name in given.plots:
            _draw(reviews, name)
    if len(found.games) < len(found.entries):
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _write_reviews(
    reviews: Iterable[Review | BadLine],
    format_name: Format,
    target: IO[Any] | None,
    *,
    boards: bool,
    summary: bool,
) -> None:
    if format_name in ("json", "jsonl"):
        write_rows(_objects(reviews), format_name, (), target=target)
    elif format_name != "table":
        write_rows(_rows(reviews), format_name, (), names=(*NAMES, *JUDGED), target=target)
    elif summary:
        _write_summary(reviews)
    else:
        _write_text(reviews, boards=boards)


def _draw(reviews: Iterable[Review | BadLine], name: str) -> None:
    for review in reviews:
        if isinstance(review, Review):
            drawing.draw_picture(name, review.picture())


KNOWN = "the scores of all these positions are known"


def _by_job(
    work: JobContext, found: GivenGames, label: str | None, service: AnswerService | None
) -> Iterator[Review | BadLine]:
    """Review games after a job has found the scores; the service explains mistakes."""
    planned = plan_reviews(work.database, found.games, label=label)
    if not planned:
        work.settings.say_if_verbose(KNOWN)
    for job in planned:
        work.settings.say(f"reviewing: {count(job.positions, 'position')} to solve")
        work.finish(job.job_id, makes="the reviews")
    reviews = reviews_of(work.database, found.games, service)
    for entry in found.entries:
        yield entry if isinstance(entry, BadLine) else next(reviews)


def _leave_job(work: JobContext, found: GivenGames, label: str | None) -> None:
    """Create the job, and leave it to other processes."""
    planned = plan_reviews(work.database, found.games, label=label)
    if not planned:
        work.settings.say(f"{KNOWN}: there is nothing left to do")
    for job in planned:
        work.detach(job.job_id, afterwards="writes the reviews")


def _reviewed(
    entry: GameEntry | BadLine, service: AnswerService, time_limit: float | None
) -> Review | BadLine:
    if isinstance(entry, BadLine):
        return entry
    stop = SearchStop()
    return run_in_background(
        partial(review_game, entry, service, budget=time_limit, stop=stop), stop.set
    )


MARK_STYLES: Final = {"??": "bold red", "?": "yellow", "!": "bold green", "": ""}
NAMES: Final = ("game", "match", "number", "board", "ply", "side", "column")
JUDGED: Final = ("before", "after", "loss", "best", "mark", "changes_result", "missed_win")
"""The columns of a judged move in a table of moves."""


def _objects(reviews: Iterable[Review | BadLine]) -> Iterator[dict[str, Any]]:
    """One object per game or bad line."""
    for review in reviews:
        yield bad_line_object(review) if isinstance(review, BadLine) else review_object(review)


def _good(reviews: Iterable[Review | BadLine]) -> Iterator[tuple[int, Review]]:
    """Number the games and bad lines from 1; yield the games, and report the bad lines."""
    for place, review in enumerate(reviews, start=1):
        if isinstance(review, BadLine):
            report_bad_line(review)
        else:
            yield place, review


def _write_text(reviews: Iterable[Review | BadLine], *, boards: bool) -> None:
    """Write games for people: the moves, and the board at each turning point."""
    for place, (_, review) in enumerate(_good(reviews)):
        if place:
            echo()
        _write_game(review, boards=boards)


def _write_summary(reviews: Iterable[Review | BadLine]) -> None:
    """Write one line per game, then the totals of each player."""
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
    totals: dict[str, PlayerTotals] = {}
    write_rows(_summaries(reviews, totals), "table", columns)
    if totals:
        echo()
        _write_totals(totals)


def _write_totals(totals: Mapping[str, PlayerTotals]) -> None:
    rows = [
        (
            _short(name),
            *map(str, (player.games, player.won, player.drawn, player.lost)),
            percent(player.accuracy),
            percent(player.best_share),
            str(player.blunders),
        )
        for name, player in sorted(totals.items())
    ]
    headings = ("player", "games", "won", "drawn", "lost", "kept", "best", "??")
    write_parts([Table(headings, rows)])


def _summaries(
    reviews: Iterable[Review | BadLine], totals: dict[str, PlayerTotals]
) -> Iterator[dict[str, Any]]:
    for index, review in _good(reviews):
        add_totals(totals, review)
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
    for index, review in _good(reviews):
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


def _name(review: Review) -> str:
    game = review.game
    return "" if game.match is None else f"{game.match}:{game.number}"


def _short(description: str | None) -> str:
    return "?" if description is None else short(description)


def _write_game(review: Review, *, boards: bool) -> None:
    game = review.game
    facts = {"game": _name(review)} if _name(review) else {}
    facts |= {
        side: _short(name)
        for side, name in zip(SIDES, (game.first, game.second), strict=True)
        if name
    }
    facts["result"] = f"{outcome_text(game.winner, game.ending)}, {game.ending}"
    facts["moves"] = "(unknown)" if game.moves is None else game.moves
    for name, share in (("kept", review.accuracy), ("best", review.best_share)):
        facts[name] = ", ".join(f"{side} {percent(share(side))}" for side in SIDES)
    if review.not_judged:
        facts["not judged"] = f"{review.not_judged} of {len(review.moves)} moves"
    turns = ", ".join(str(ply + 1) for ply in review.turning_points)
    facts["turning points"] = f"{'moves ' if ',' in turns else 'move '}{turns}" if turns else "none"
    write_facts(facts)
    if not review.moves:
        return
    echo()
    _write_moves(review)
    position = game.start
    out = render.console()
    for move in review.moves:
        before, position = position, position.play(move.column)
        if not boards and (move.judged is None or not move.judged.is_blunder):
            continue
        known = None if move.judged is None else exact_bounds(move.judged.scores)
        out.print()
        out.print(_sentence(move))
        for reason in filter(None, (move.reason, move.better)):
            out.print(reason.text)
        out.print(render.board(before, known), end="")
    if boards:
        out.print()
        out.print(render.board(position, None), end="")


def _sentence(move: ReviewedMove) -> Any:
    text = Text(f"{move.ply + 1}. {move.side} plays {column_label(move.column)}")
    judged = move.judged
    if judged is None:
        return text.append(", score unknown")
    if judged.mark:
        text.append(f" {judged.mark}", MARK_STYLES[judged.mark])
    text.append(f": score {score_text(judged.best)} before, {score_text(judged.played)} after")
    if not judged.is_best:
        text.append(f"; best {labels(judged.best_columns)}")
    if judged.is_missed_win:
        text.append("; a missed win")
    return text


def _write_moves(review: Review) -> None:
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
        Column("best", 8, lambda row: labels(row["best"])),
        Column("", 10, lambda row: "missed win" if row["missed"] else ""),
    )
    write_rows(map(_move_row, review.moves), "table", columns)


def _move_row(move: ReviewedMove) -> dict[str, Any]:
    judged = move.judged
    if judged is None:
        unknown = dict.fromkeys(("before", "after", "loss"))
        return {"move": move, "mark": "", "best": (), "missed": False, **unknown}
    return {
        "move": move,
        "mark": judged.mark,
        "before": judged.best,
        "after": judged.played,
        "loss": judged.loss,
        "best": judged.best_columns,
        "missed": judged.is_missed_win,
    }
