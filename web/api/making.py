"""Create jobs from requests; an existing job for the same work continues."""

from __future__ import annotations

import threading
from typing import IO, TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

from msgspec import UNSET, Meta, UnsetType

from c4core.arrays import wins_now
from c4core.book.numbering import Ranking
from c4core.lines import BadLine, HeadingError, Request, parse_fields, read_csv, read_lines
from web.parameters import (
    AnyMoves,
    OfPosition,
    OnBoard,
    play_any,
    read_board,
)
from web.responses import ApiError, unavailable
from web.running import ORIGIN, web_label
from workers.analyze import job as analysis
from workers.answers.question import Question
from workers.book.build import (
    BookPlan,
    BookPlanError,
    check_plies,
    label as label_of_ply,
)
from workers.book.job import PlyTask, find_job, plan_job
from workers.deep.job import join_or_submit
from workers.deep.task import DeepTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from c4core.notation import BoardSize
    from db.database import Database
    from web.service import Service
    from workers.book.job import Keys

LONGEST_LABEL: Final = 200
LARGEST_PLY: Final = 63

MAX_SLOTS: Final = 10_000_000
"""Maximum number of slots for the positions on a book's last ply. Ply 12 on 7x6 fits; planning it
takes some seconds and 250 MB. Plan larger books with ``c4 book build --detach``, in a separate
process."""

_planning: Final = threading.Lock()


Label = Annotated[
    str,
    Meta(
        max_length=LONGEST_LABEL,
        description="A name for people, shown after 'web: '.",
        extra_json_schema={"pattern": "^[ -~]*$"},
    ),
]


def _read_label(label: str) -> str:
    if not label.isprintable():
        raise ApiError(400, "label must be one line of printable characters", "label")
    return web_label(label)


class LinesParameters(OnBoard):
    """The parameters of a job that is created from the lines of a body."""

    kind: Annotated[Literal["analyze"], Meta(description="The kind of the job.")] = "analyze"
    score_only: Annotated[bool, Meta(description="Leave out the scores of columns.")] = False
    label: Label = ""


class Analyze(OfPosition, tag_field="kind", tag="analyze"):
    """Evaluate one or more positions."""

    positions: Annotated[
        Annotated[list[str | dict[str, Any]], Meta(min_length=1)] | UnsetType,
        Meta(description="Moves, or objects with moves, grid or key, and an optional id."),
    ] = UNSET
    score_only: bool = False
    label: Label = ""


class Deep(OnBoard, tag_field="kind", tag="deep", kw_only=True):
    """Prove the score of one hard position."""

    moves: Annotated[AnyMoves, Meta(description='The moves; "" is the empty board.')]
    weak: bool = False
    label: Label = ""


class MakeBook(OnBoard, tag_field="kind", tag="book", kw_only=True):
    """Build an opening book."""

    plies: Annotated[
        int,
        Meta(ge=0, le=LARGEST_PLY, description="The most stones on the board."),
    ]


class Made(NamedTuple):
    """The job for a request."""

    job_id: int
    is_new: bool
    """False if the job existed already; it continues."""
    submission: analysis.Submission | None = None
    """The number of lines and the bad ones, for a new job of kind ``analyze``."""


def make_job(service: Service, database: Database, asked: Analyze | Deep | MakeBook) -> Made:
    """Create the job that a JSON object describes. Blocking."""
    if isinstance(asked, Analyze):
        return _make_analyze(service, database, asked)
    if isinstance(asked, Deep):
        return _make_deep(service, database, asked)
    return _make_book(database, asked)


def make_of_lines(
    service: Service,
    database: Database,
    file: IO[bytes],
    board: BoardSize,
    asked: LinesParameters,
    *,
    is_table: bool,
) -> Made:
    """Create a job of kind ``analyze`` from the lines of a file. Blocking, in constant memory."""
    read: Callable[..., Iterator[Request | BadLine]] = read_csv if is_table else read_lines
    try:
        return _submit(service, database, read(file, board=board), board, asked)
    except HeadingError as error:
        raise ApiError(400, str(error)) from None


def _make_analyze(service: Service, database: Database, asked: Analyze) -> Made:
    items = asked.positions
    if isinstance(items, UnsetType):
        found = asked.read()
        requests: Iterable[Request | BadLine] = [Request(1, found.position, found.moves)]
        return _submit(service, database, requests, found.board, asked)
    for name in ("grid", "key", "moves"):
        if getattr(asked, name) is not UNSET:
            raise ApiError(400, f"give either positions or {name}", name)
    board = read_board(asked.board)
    requests = (_read_item(item, board, line) for line, item in enumerate(items, start=1))
    return _submit(service, database, requests, board, asked)


def _read_item(item: str | dict[str, Any], board: BoardSize, line: int) -> Request | BadLine:
    """A position of a list: moves as text, or an object as in the line protocol."""
    fields = {"moves": item} if isinstance(item, str) else item
    return parse_fields(fields, board=board, line=line)


def _submit(
    service: Service,
    database: Database,
    requests: Iterable[Request | BadLine],
    board: BoardSize,
    asked: Analyze | LinesParameters,
) -> Made:
    question = Question(columns=not asked.score_only)
    label = _read_label(asked.label)
    try:
        submission = analysis.submit(
            database,
            requests,
            board=board,
            question=question,
            book=service.settings.book,
            topic=ORIGIN,
            label=label,
        )
    except analysis.NoInputError:
        raise ApiError(400, "there are no positions to analyze", "positions") from None
    return Made(submission.job_id, is_new=True, submission=submission)


def _make_deep(service: Service, database: Database, asked: Deep) -> Made:
    position = play_any(asked.moves, read_board(asked.board), "moves").position
    if position.is_over:
        raise ApiError(400, "the game is over: there is nothing to prove", "moves")
    task = DeepTask(position, position.moves or "", asked.weak)
    label = _read_label(asked.label)
    runner = service.runner
    threads = runner.threads if runner is not None and runner.is_local else 1
    return Made(*join_or_submit(database, task, threads=threads, label=label, origin=ORIGIN))


def _make_book(database: Database, asked: MakeBook) -> Made:
    board, plies = read_board(asked.board), asked.plies
    try:
        task = _read_task(board, plies)
        earlier = find_job(database, task)
        if earlier is not None:
            return Made(earlier, is_new=False)
        levels = _levels(task)
    except BookPlanError as error:
        raise ApiError(400, str(error), "plies") from None
    if wins_now(levels[-1], board).all():
        raise ApiError(
            400, f"every position at ply {plies} wins at once: nothing to search", "plies"
        )
    name = web_label(label_of_ply(task))
    return Made(plan_job(database, task, levels, label=name), is_new=True)


def _levels(task: PlyTask) -> list[Keys]:
    """The positions of a book, ply by ply."""
    if not _planning.acquire(blocking=False):
        raise unavailable("another book is being planned; try again in a few seconds", "plies")
    try:
        return BookPlan(task.board, task.ply).levels
    finally:
        _planning.release()


def _read_task(board: BoardSize, plies: int) -> PlyTask:
    check_plies(board, plies)
    slots = Ranking(board, plies).count(plies)
    if slots > MAX_SLOTS:
        raise BookPlanError(
            f"a book to ply {plies} would have up to {slots:,} positions on its last ply, more "
            f"than the server's limit of {MAX_SLOTS:,}: use c4 book build, which has no such limit"
        )
    return PlyTask(board, plies)
