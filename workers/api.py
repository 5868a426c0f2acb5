"""Functions that do what the commands do: books, matches, data sets, reviews, many positions.

``docs/python.md`` has examples. All functions block; ``asyncio.to_thread`` calls one from a
coroutine. Rows are dictionaries with one column for each score, for ``pandas.DataFrame(rows)``.
In them, as in all JSON and CSV, columns count from 1; attributes such as ``Analysis.best`` count
from 0.

The functions that take ``work`` run jobs; :class:`Work` lists these keyword arguments. Books,
matches and data sets continue the job that an interrupted call has left in the database.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, Unpack

from c4core.arena.file_formats import game_of_moves
from c4core.dataset.lots import Shares
from c4core.errors import C4Error, PositionError
from c4core.evaluation import COLUMN_FACTS, column_name
from c4core.lines import BadLine, Request, parse_position, read_csv, read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.players.player import Consent
from c4core.players.registry import program_of
from c4core.position import Position
from db import evaluations
from db.database import Database
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState
from db.records.matches import MatchTerms, Seats
from workers.analyze.job import submit
from workers.answers.lines import as_row, stored_object
from workers.answers.question import Question
from workers.answers.service import AnswerService
from workers.book.build import BookPlan, ScoreSource, write_scored
from workers.celery.broker import Broker
from workers.core.follow import (
    JobFollower,
    LocalRunner,
    iterate_units,
    read_job,
    why_not_done,
)
from workers.core.kinds import lane_of_job, unit_objects
from workers.dataset.making import find_and_label
from workers.dataset.sources import Order
from workers.errors import BrokerUrlError, NotSolvedError
from workers.match.job import job_of_matches, matches_of, players_of, settle_matches
from workers.match.judging import Judging, judging_jobs, read_report
from workers.match.reviews import review_game

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from c4core.book.layout import BookInfo
    from c4core.dataset.card import Card
    from c4core.evaluation import Value
    from c4core.notation import BoardLike, BoardSize
    from db.records.jobs import JobInfo
    from workers.match.report import MatchReport
    from workers.match.reviews import Review

    Row = dict[str, Any]
    Stored = Database | str | os.PathLike[str]


class Work(TypedDict, total=False):
    """The place and the resources of jobs."""

    database: Stored | None
    """A database, its URL or its file; by default, a temporary file."""
    broker: str | None
    """The URL of the broker whose workers do the work; by default, threads of this process do."""
    threads: int
    """The number of these threads; 1 by default."""
    table_mb: int
    """The size of their transposition table in megabytes; 64 by default."""
    progress: Callable[[JobInfo], None] | None
    """Called a few times a second with the progress of the present job."""


Errors = Literal["raise", "none"]
"""``raise``: a row that cannot be read raises its error. ``none``: it has no score, and the reason
as ``error``."""

_FACTS: Final = dict(zip(COLUMN_FACTS, ("scores", "column_lower", "column_upper"), strict=True))


def analyze_many(
    positions: Iterable[object],
    *,
    board: BoardLike = DEFAULT_BOARD,
    zero_based: bool = False,
    errors: Errors = "raise",
    time_limit: float | None = None,
    node_limit: int | None = None,
    **work: Unpack[Work],
) -> list[Row]:
    """Score every column of each position; return one row for each position.

    Args:
        positions: positions in any form that :meth:`c4core.Position.parse` reads.
        board: the board of all positions.
        zero_based: whether the moves, and ``best`` in the rows, count columns from 0.
        errors: whether an unreadable position raises an error.
        time_limit: seconds for each position; then a row may have bounds instead of a score.
        node_limit: maximum number of nodes searched for each position.
        work: as in :class:`Work`.

    Raises:
        C4Error: with ``errors="raise"``, a position cannot be read.
        NotSolvedError: the job was cancelled.
    """
    size = _size(board)
    asked = (_request(value, size, line, zero_based) for line, value in enumerate(positions, 1))
    question = Question(time_limit=time_limit, node_limit=node_limit)
    return _answer(asked, size, question, work, errors=errors, zero_based=zero_based)


def solve_many(
    positions: Iterable[object],
    *,
    board: BoardLike = DEFAULT_BOARD,
    zero_based: bool = False,
    errors: Errors = "raise",
    weak: bool = False,
    time_limit: float | None = None,
    node_limit: int | None = None,
    **work: Unpack[Work],
) -> list[Row]:
    """Score each position, without its columns, which is faster.

    With ``weak``, only win, draw or loss is proven. The rest is as in :func:`analyze_many`.
    """
    size = _size(board)
    asked = (_request(value, size, line, zero_based) for line, value in enumerate(positions, 1))
    question = Question(columns=False, weak=weak, time_limit=time_limit, node_limit=node_limit)
    return _answer(asked, size, question, work, errors=errors, zero_based=zero_based)


def analyze_file(
    file: str | os.PathLike[str],
    *,
    format: Literal["lines", "csv", "c4solver"] | None = None,  # noqa: A002 (the option's name)
    board: BoardLike = DEFAULT_BOARD,
    zero_based: bool = False,
    errors: Errors = "raise",
    time_limit: float | None = None,
    **work: Unpack[Work],
) -> list[Row]:
    """Score every column of the positions in a file, as ``c4 analyze`` does.

    ``format`` is ``csv`` by default if the name of the file ends in ``.csv``, else ``lines``. The
    rest is as in :func:`analyze_many`.
    """
    size, path = _size(board), Path(file)
    is_table = format == "csv" if format else path.suffix.lower() == ".csv"
    question = Question(time_limit=time_limit)
    with path.open("rb") as stream:
        if is_table:
            asked = read_csv(stream, board=size, zero_based=zero_based)
        else:
            is_classic = format == "c4solver"
            asked = read_lines(stream, board=size, zero_based=zero_based, classic=is_classic)
        return _answer(asked, size, question, work, errors=errors, zero_based=zero_based)


def query(
    database: Stored,
    *,
    board: BoardLike = DEFAULT_BOARD,
    ply: int | str | None = None,
    score: int | str | None = None,
    value: Value | None = None,
    limit: int | None = None,
) -> list[Row]:
    """Find stored evaluations, by ply and key, as ``c4 query`` does.

    Args:
        database: a database, its URL or its file.
        board: the board.
        ply: number of stones, or a range such as ``"4..8"``.
        score: score of the side to move, or a range such as ``"..-1"``.
        value: the proven outcome for the side to move.
        limit: maximum number of rows.
    """
    plies, scores = _range(ply, "ply"), _range(score, "score")
    filters = EvaluationFilter(
        board=_size(board),
        min_ply=plies[0],
        max_ply=plies[1],
        min_score=scores[0],
        max_score=scores[1],
        value=value,
    )
    with _opened(database, create=False) as opened, opened.read() as session:
        found = islice(evaluations.stream(session, filters, limit=limit), limit)
        return [_with_columns(stored_object(row)) for row in found]


def review(
    moves: str,
    *,
    board: BoardLike = DEFAULT_BOARD,
    time_limit: float | None = None,
    database: Stored | None = None,
    threads: int = 1,
    table_mb: int = 64,
) -> Review:
    """Judge every move of a game, as ``c4 review`` does.

    ``moves`` are in any form that ``docs/positions.md`` lists. ``time_limit`` is in seconds for the
    complete game; moves that are not judged by then stay without a judgement.
    """
    game = game_of_moves(moves, _size(board))
    with ExitStack() as stack:
        opened = None if database is None else stack.enter_context(_opened(database))
        service = AnswerService(opened, threads=threads, table_mb=table_mb)
        stack.callback(service.close)
        return review_game(game, service, budget=time_limit)


def build_book(
    board: BoardLike,
    plies: int,
    path: str | os.PathLike[str],
    **work: Unpack[Work],
) -> BookInfo:
    """Write a book of all positions with up to ``plies`` stones, as ``c4 book build`` does.

    Args:
        board: the board.
        plies: the number of stones of the deepest positions.
        path: the file; it is replaced.
        work: as in :class:`Work`.
    """
    book = BookPlan(_size(board), plies)
    with _working(work) as (database, finish):
        levels = book.scored(ScoreSource(database, finish))
        return write_scored(book.board, levels, os.fspath(path))


def play_match(
    a: str,
    b: str,
    *,
    games: int = 100,
    board: BoardLike = DEFAULT_BOARD,
    start: str = "",
    seed: int = 0,
    seats: Literal["fixed", "alternate", "random"] = "fixed",
    judge: bool = False,
    **work: Unpack[Work],
) -> MatchReport:
    """Play a match of two players, store its games, and return its report.

    Args:
        a: a player as in ``docs/players.md``. Naming a program is consent to start it.
        b: the other player.
        games: the number of games.
        board: the board.
        start: the moves that all games begin with.
        seed: the seed of everything random: the same arguments give the same games.
        seats: who moves first: always ``a``, both in turn, or a player drawn for each game.
        judge: whether to judge the moves by exact scores.
        work: as in :class:`Work`.
    """
    terms = MatchTerms(
        player_a=a,
        player_b=b,
        games=games,
        seats=Seats(seats),
        seed=seed,
        start=Position.parse(start, board=board),
    )
    judging = Judging(games=None if judge else 0, least_ply=None)
    programs = Consent.to(filter(None, map(program_of, players_of([terms]))))
    with _working(work, programs) as (database, finish):
        job_id = job_of_matches(database, [terms])
        finish(job_id)
        (match,) = matches_of(database, job_id)
        settle_matches(database, [match])
        for job in judging_jobs(database, [match], judging):
            if job is not None:
                finish(job.job_id)
        return read_report(database, match, judging)


def make_dataset(
    directory: str | os.PathLike[str],
    *,
    count: int,
    board: BoardLike = DEFAULT_BOARD,
    plies: int | str | None = None,
    source: str = "plies",
    seed: int = 1,
    split: str = "80/10/10",
    formats: Iterable[str] = ("npz",),
    only: Iterable[Literal["quiet", "decisive"]] = (),
    replace: bool = False,
    **work: Unpack[Work],
) -> Card:
    """Write a data set of positions with exact labels; return its card.

    Args:
        directory: the directory of the files; it is created.
        count: the number of positions.
        board: the board.
        plies: number of stones, or a range such as ``"18..30"``; any number by default.
        source: ``plies``, ``play``, ``strong``, ``games`` or ``book``, as in ``c4 dataset build``.
        seed: the seed of everything random: the same arguments give the same files.
        split: shares of train, validation and test.
        formats: some of ``npz``, ``parquet`` and ``jsonl``.
        only: take only quiet positions, or decisive ones.
        replace: whether to replace another data set in the directory.
        work: as in :class:`Work`.
    """
    size = _size(board)
    first, last = _range(plies, "plies")
    order = Order(
        source=source,
        board=size,
        first_ply=first or 0,
        last_ply=size.cells - 1 if last is None else last,
        matches=(),
        book=None,
        count=count,
        seed=seed,
        shares=Shares.parse(split),
        formats=tuple(formats),
        representations=("planes",),
        quiet="quiet" in only,
        decisive="decisive" in only,
    )
    path = Path(directory)
    path.mkdir(exist_ok=True)
    with _working(work) as (database, finish):
        labelled, _ = find_and_label(
            database, order, finish, job_of=lambda draft: draft.job(database)
        )
        return labelled.write(path, replace=replace)


def _size(board: BoardLike) -> BoardSize:
    return Position(board=board).board


def _range(asked: int | str | None, name: str) -> tuple[int | None, int | None]:
    """Read a number, or a range such as ``4..8``, ``4..`` or ``..8``."""
    if asked is None or isinstance(asked, int):
        return asked, asked
    first, dots, last = asked.partition("..")
    try:
        ends = [int(end) if end else None for end in (first, last if dots else first)]
    except ValueError:
        raise ValueError(f'{name} is a number or a range such as "4..8", not {asked!r}') from None
    return ends[0], ends[1]


def _request(value: object, board: BoardSize, line: int, zero_based: bool) -> Request | BadLine:  # noqa: FBT001 (private)
    if isinstance(value, Position):
        if value.board != board:
            return BadLine(line, f"the position is on {value.board}, not on {board}", "board")
        return Request(line, value, value.moves)
    try:
        return replace(parse_position(value, board, zero_based=zero_based), line=line)
    except C4Error as error:
        return BadLine(line, str(error), "moves")


def _answer(
    lines: Iterable[Request | BadLine],
    board: BoardSize,
    question: Question,
    work: Work,
    *,
    errors: Errors,
    zero_based: bool,
) -> list[Row]:
    asked = list(lines)
    bad = next((line for line in asked if isinstance(line, BadLine)), None)
    if bad is not None and errors == "raise":
        raise PositionError(f"position {bad.line}: {bad.error}", field=bad.field)
    if not asked:
        return []
    with _working(work) as (database, finish):
        job = submit(database, asked, board=board, question=question, zero_based=zero_based)
        done = finish(job.job_id)
        units = iterate_units(database, job.job_id)
        return [_with_columns(as_row(row)) for unit in units for row in unit_objects(done, unit)]


def _with_columns(row: Mapping[str, Any]) -> Row:
    """A row with one column for each score."""
    flat = {name: value for name, value in row.items() if name not in _FACTS.values()}
    best = flat.get("best")
    flat["best"] = " ".join(map(str, best)) if best else None
    for fact, name in _FACTS.items():
        for column, value in enumerate(row.get(name) or ()):
            flat[column_name(fact, column)] = value
    return flat


@contextmanager
def _opened(database: Stored, *, create: bool = True) -> Iterator[Database]:
    """The database; it is closed at the end if it is opened here."""
    if isinstance(database, Database):
        yield database
        return
    with Database.open(os.fspath(database), create=create) as opened:
        yield opened


@contextmanager
def _working(
    work: Work, programs: Consent | None = None
) -> Iterator[tuple[Database, Callable[[int], Any]]]:
    """The database, and a function that works on one of its jobs until it is done."""
    stored, url = work.get("database"), work.get("broker")
    if stored is None and url is not None:
        raise BrokerUrlError("workers need a database that they can open: give database=")
    with ExitStack() as stack:
        if stored is None:
            stored = Path(stack.enter_context(TemporaryDirectory(prefix="c4-")), "c4.db")
        database = stack.enter_context(_opened(stored))
        broker = None if url is None else Broker(url)
        if broker is not None:
            stack.callback(broker.close)

        def finish(job_id: int) -> Any:  # noqa: ANN401 (callers take any function of a number)
            if broker is not None:
                runner = JobFollower(database, job_id)
                broker.wake(lane_of_job(read_job(database, job_id).priority))
            else:
                runner = LocalRunner(
                    database,
                    job_id,
                    threads=work.get("threads", 1),
                    table_mb=work.get("table_mb", 64),
                    programs=programs or Consent(),
                )
            with runner:
                job = runner.wait(work.get("progress"))
            if job.state is not JobState.DONE:
                raise NotSolvedError(why_not_done(job))
            return job

        yield database, finish
