"""Sources and output of ``c4 query``: the database or a book, and rows of positions."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from c4core.evaluation import final_score
from c4core.notation import column_label, parse_board
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from cli.output.formats import Column, write_object, write_rows
from cli.output.render import score_style, score_text
from cli.shell import echo
from db import evaluations
from db.records.evaluations import Cursor, StoredEvaluation
from workers.answers.lines import stored_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from c4core.book import Book
    from c4core.lines import Request
    from c4core.notation import BoardSize
    from cli.output.formats import Format, Row
    from cli.shell.settings import Settings
    from db.database import Session
    from db.records.evaluations import EvaluationFilter

ROW_NAMES = (
    "board",
    "ply",
    "key",
    "side",
    "score",
    "lower",
    "upper",
    "value",
    "plies",
    "scores",
    "best",
    "nodes",
    "grid",
)
"""The fields of :func:`workers.answers.lines.stored_object`."""

WIDEST_MOVES = 20
"""Maximum width of the moves column; longer moves push the rest of the row to the right."""


def write_count(number: int, format_name: Format, target: IO[Any] | None) -> None:
    """Write the number of matching positions; for people the number alone."""
    if format_name == "json":
        write_object({"count": number}, target)
    elif format_name == "table":
        echo.line(str(number))
    else:
        write_rows([{"count": number}], format_name, (), names=("count",), target=target)


def write_matches(
    settings: Settings,
    found: Iterator[StoredEvaluation],
    board: BoardSize,
    format_name: Format,
    *,
    limit: int | None,
    has_pages: bool,
    zero_based: bool,
    shows_boards: bool,
    nothing: str,
    target: IO[Any] | None,
) -> None:
    """Write matching positions, and say where the next page begins.

    ``has_pages`` is whether ``--after`` can continue in this order; ``nothing`` is the message for
    an empty result.
    """
    last: StoredEvaluation | None = None
    more = False

    def rows() -> Iterator[Row]:
        nonlocal last, more
        for stored in islice(found, limit):
            last = stored
            yield stored_object(stored, zero_based=zero_based)
        more = limit is not None and next(found, None) is not None

    if shows_boards:
        write_boards(rows(), zero_based=zero_based)
    else:
        columns = _columns(board.width, zero_based=zero_based)
        write_rows(rows(), format_name, columns, names=ROW_NAMES, target=target)
    if last is None:
        settings.say(nothing)
    elif more:
        where = f": --after {Cursor(last.ply, last.key)}" if has_pages else " than --limit shows"
        settings.say(f"There are more{where}")


def write_positions(
    settings: Settings,
    asked: Sequence[Request],
    known: Mapping[int, Known],
    format_name: Format,
    *,
    zero_based: bool,
    shows_boards: bool,
    advice: str,
    target: IO[Any] | None,
) -> bool:
    """Write the known facts about positions, in order. Return whether all are known.

    ``known`` is by canonical key; ``advice`` says how to compute unknown positions.
    """
    board = asked[0].position.board
    rows = (
        _asked_row(request, known.get(request.position.canonical_key), zero_based=zero_based)
        for request in asked
    )
    if shows_boards:
        write_boards(rows, zero_based=zero_based)
    else:
        shown = max(5, *(len(request.moves or "") for request in asked))
        moves = Column("moves", min(shown, WIDEST_MOVES), lambda row: row["moves"] or "-")
        columns = _columns(board.width, zero_based=zero_based)
        names = ("moves", "stored", "source", *ROW_NAMES)
        write_rows(rows, format_name, [moves, *columns[:-1]], names=names, target=target)
    missing = sum(request.position.canonical_key not in known for request in asked)
    if missing:
        settings.say(f"{missing:,} of {len(asked):,} not known: {advice}")
    return not missing


def write_boards(rows: Iterator[Row], *, zero_based: bool) -> None:
    """Draw every row's board, with the columns' scores and the facts below it."""
    from rich.text import Text

    from cli.output import render

    out = render.console()
    for number, row in enumerate(rows):
        if number:
            out.print()
        if row.get("moves"):
            out.print(Text(row["moves"], style="bold"))
        board = parse_board(row["board"])
        position = Position.from_grid(row["grid"], width=board.width, height=board.height)
        out.print(render.board(position, row["scores"], zero_based=zero_based))
        to_move = "the game is over" if position.is_over else f"{row['side']} to move"
        facts = [to_move, f"score {_score(row)}"]
        if row["plies"]:
            facts.append(f"over in {render.count(row['plies'], 'move')}")
        out.print(", ".join((*facts, f"key {row['key']}")))


def _asked_row(request: Request, known: Known | None, *, zero_based: bool) -> Row:
    position = request.position
    if known is not None:
        mirrored = position.key != position.canonical_key
        row = stored_object(known.row, mirrored=mirrored, zero_based=zero_based)
    else:
        names = ("score", "lower", "upper", "value", "plies", "scores", "best", "nodes")
        row = {
            "board": str(position.board),
            "ply": position.ply,
            "key": position.canonical_key,
            "side": position.turn,
            **dict.fromkeys(names),
            "grid": str(position),
        }
    source = None if known is None else known.source
    return {"moves": request.moves, "stored": known is not None, "source": source, **row}


def _columns(width: int, *, zero_based: bool) -> tuple[Column, ...]:
    """The table for people; with seven columns it fits into 80 characters."""
    labels = (column_label(column, zero_based=zero_based) for column in range(width))
    heading = "".join(f"{label:>4}" for label in labels)
    return (
        Column("ply", 3, lambda row: str(row["ply"]), right=True),
        Column("side", 4, lambda row: row["side"]),
        Column("score", 8, _score, right=True, style=lambda row: score_style(row["score"])),
        Column("to end", 6, lambda row: _dash(row["plies"]), right=True),
        Column(heading, 4 * width, _scores),
        Column("key", 1, lambda row: str(row["key"])),
    )


def _dash(value: object) -> str:
    return "-" if value is None else str(value)


def _score(row: Row) -> str:
    if row["score"] is not None:
        return score_text(row["score"])
    if row["lower"] is None:
        return "unknown"
    return f"{score_text(row['lower'])}..{score_text(row['upper'])}"  # words: ok


def _scores(row: Row) -> str:
    if row["scores"] is None:
        return ""
    return "".join(f"{score_text(score):>4}" for score in row["scores"])


class Source(NamedTuple):
    """A source of evaluations."""

    name: str
    """The value of ``source`` in answers."""
    stream: Callable[..., Iterator[StoredEvaluation]]
    """Yields matching positions; takes the arguments of :func:`db.evaluations.stream` except the
    session."""
    count: Callable[[EvaluationFilter], int]
    lookup: Callable[[BoardSize, Sequence[int]], dict[int, StoredEvaluation]]


def database_source(session: Session) -> Source:
    """The evaluations stored in the database."""
    return Source(
        "db",
        partial(evaluations.stream, session),
        partial(evaluations.count, session),
        partial(evaluations.lookup, session),
    )


def book_source(book: Book) -> Source:
    """The evaluations in a book, always in the order of ply and key."""
    from workers.book import reading

    return Source(
        "book",
        lambda filters, *, after=None, **_order: reading.stream(book, filters, after),
        partial(reading.count, book),
        lambda _board, keys: reading.lookup(book, keys),
    )


class Known(NamedTuple):
    """The facts about a position, and their source."""

    row: StoredEvaluation
    source: str


@contextmanager
def source_of(settings: Settings, book: Book | None) -> Iterator[Source]:
    """A book if there is one, else the database; closed at the end of the context."""
    if book is not None:
        with book:
            yield book_source(book)
        return
    with settings.open_database() as database, database.read() as session:
        yield database_source(session)


def look_up(
    settings: Settings,
    positions: Sequence[Position],
    *,
    book: Book | None,
    ask_database: bool,
) -> dict[int, Known]:
    """Look up positions of one board; the result is by canonical key.

    Games that are over are scored by the rules. The book is queried next. The database is opened
    only with ``ask_database``, and only if the book does not have all other positions.
    """
    board = positions[0].board
    found = {
        position.canonical_key: Known(_ended(position), "search")
        for position in positions
        if position.is_over
    }
    keys = {position.canonical_key for position in positions}

    def ask(source: Source) -> None:
        rows = source.lookup(board, sorted(keys - found.keys()))
        found.update((key, Known(row, source.name)) for key, row in rows.items())

    if book is not None:
        ask(book_source(book))
    if ask_database and keys - found.keys():
        with source_of(settings, None) as source:
            ask(source)
    return found


def _ended(position: Position) -> StoredEvaluation:
    """The score of a game that is over, by the rules; it is never stored."""
    score = final_score(position)
    return StoredEvaluation(
        key=position.canonical_key,
        width=position.width,
        height=position.height,
        ply=position.ply,
        lower=score,
        upper=score,
        nodes=0,
        engine_version=ENGINE_VERSION,
    )
