"""Questions about positions, their answers, and the answers in opening books.

An answer from a book takes a few microseconds. It comes before the database is even opened, so
nothing here imports the database (:mod:`workers.answers.find`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from c4core.book import Book
from c4core.errors import BookBoardError, BookError
from c4core.evaluation import (
    Analysis,
    Bounded,
    Evaluation,
    best_columns,
    combine_bounds,
    exact_bounds,
    exact_scores,
)
from c4core.files import check_regular_file

if TYPE_CHECKING:
    from c4core.evaluation import ColumnBounds
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.records.evaluations import StoredEvaluation
    from db.records.jobs import Json


@dataclass(frozen=True, slots=True)
class Question:
    """The question about each position of a batch.

    Raises:
        ValueError: both ``columns`` and ``weak`` are set; columns have no weak scores.
    """

    columns: bool = True
    """Whether the score of every column is needed, not only the position's own."""
    weak: bool = False
    """Whether win, draw or loss is enough."""
    time_limit: float | None = None
    """Seconds for one position, over all attempts; None for no limit. A unit that is handed back
    keeps the time spent. If the process was killed or the unit cancelled, the limit starts
    again."""
    node_limit: int | None = None
    """Maximum number of nodes searched for one position; None for no limit."""

    def __post_init__(self) -> None:
        """Reject an impossible combination."""
        if self.columns and self.weak:
            raise ValueError("weak scores are given for positions, not for their columns")

    @property
    def is_limited(self) -> bool:
        """Whether an answer may stay open because a limit was reached."""
        return self.time_limit is not None or self.node_limit is not None

    def left_after(self, nodes: int, seconds: float) -> tuple[float | None, int | None]:
        """The rest of the time limit and of the node limit after this effort."""
        time_limit, node_limit = self.time_limit, self.node_limit
        return (
            None if time_limit is None else max(0.0, time_limit - seconds),
            None if node_limit is None else max(0, node_limit - nodes),
        )

    def is_answered_by(self, known: StoredEvaluation) -> bool:
        """Whether a stored evaluation answers the question without a search."""
        if self.columns and known.scores is None:
            return False
        if self.weak:
            return Evaluation(known.lower, known.upper).value is not None
        return known.lower == known.upper

    def as_params(self) -> Json:
        """The job parameters for this question, without unused options."""
        limits = {"time_limit": self.time_limit, "node_limit": self.node_limit}
        return {
            "score_only": not self.columns,
            **({"weak": True} if self.weak else {}),
            **{name: limit for name, limit in limits.items() if limit is not None},
        }

    @classmethod
    def from_params(cls, params: Json) -> Question:
        """Read the question from a job's parameters."""
        return cls(
            columns=not params["score_only"],
            weak=params.get("weak", False),
            time_limit=params.get("time_limit"),
            node_limit=params.get("node_limit"),
        )


EVERYTHING: Final = Question()
"""Asks for the exact scores of a position and of all its columns."""

Source = Literal["search", "db", "book"]


class _AnswerFields(NamedTuple):
    """The fields of :class:`Answer`, separate because a NamedTuple cannot inherit."""

    lower: int
    """Proven lower bound of the score."""
    upper: int
    """Proven upper bound of the score."""
    scores: tuple[int | None, ...] | None = None
    """One score per column, None if it cannot be played or is unsolved; None if not requested."""
    nodes: int = 0
    """Positions searched for this answer."""
    seconds: float = 0.0
    source: Source = "search"
    open_bounds: ColumnBounds | None = None
    """The bounds of all columns if some are not solved, else None: see :attr:`Answer.bounds`."""


class Answer(_AnswerFields, Bounded):
    """The answer about one position: for its side to move and in its given orientation."""

    __slots__ = ()

    @property
    def best(self) -> tuple[int, ...]:
        """The 0-based columns that reach the score; empty if the scores are unknown."""
        return best_columns(self.score, self.scores)

    @property
    def bounds(self) -> ColumnBounds | None:
        """The proven bounds of every column's score, None for a column that cannot be played.

        None if the columns' scores were not requested.
        """
        if self.scores is None:
            return None
        return self.open_bounds or exact_bounds(self.scores)

    def tightened(self, lower: int, upper: int, bounds: ColumnBounds | None = None) -> Answer:
        """Narrow this answer by other proven bounds, of the position and of its columns."""
        lower, upper = max(self.lower, lower), min(self.upper, upper)
        own = self.bounds
        if own is None:
            return self._replace(lower=lower, upper=upper)
        both = zip(own, bounds or own, strict=True)
        own = tuple(
            [
                None if a is None or b is None else (max(a[0], b[0]), min(a[1], b[1]))
                for a, b in both
            ]
        )
        lower, upper, own = combine_bounds(lower, upper, own)
        return self._replace(
            lower=lower, upper=upper, scores=exact_scores(own), open_bounds=open_bounds(own)
        )

    def mirrored(self) -> Answer:
        """The answer about the mirror image."""
        if self.scores is None:
            return self
        bounds = self.open_bounds
        return self._replace(
            scores=self.scores[::-1], open_bounds=None if bounds is None else bounds[::-1]
        )

    def as_analysis(self, width: int) -> Analysis:
        """This answer as an analysis."""
        nothing = (None,) * width
        return Analysis(
            scores=self.scores or nothing,
            bounds=self.bounds or nothing,
            lower=self.lower,
            upper=self.upper,
            nodes=self.nodes,
            seconds=self.seconds,
        )


def open_bounds(bounds: ColumnBounds) -> ColumnBounds | None:
    """The bounds of columns if some of them are not solved, else None."""
    return bounds if any(pair is not None and pair[0] < pair[1] for pair in bounds) else None


def answer_of(analysis: Analysis) -> Answer:
    """The answer that an analysis gives."""
    return Answer(
        analysis.lower,
        analysis.upper,
        analysis.scores,
        analysis.nodes,
        analysis.seconds,
        open_bounds=open_bounds(analysis.bounds),
    )


def has_all_columns(answer: Answer, position: Position) -> bool:
    """Whether the answer has the score of every playable column."""
    scores = answer.scores
    if scores is None:
        return False
    unknown = scores.count(None)
    return not unknown or len(scores) - unknown == len(position.legal_columns())


def settles(answer: Answer, position: Position, question: Question) -> bool:
    """Whether the answer is exact enough for the question, and has the columns that it asks for."""
    if answer.lower != answer.upper:
        return question.weak and answer.value is not None
    return not question.columns or has_all_columns(answer, position)


def is_complete(position: Position, answer: Answer) -> bool:
    """Whether the scores of the position and of all playable columns are proven."""
    return position.is_over or settles(answer, position, EVERYTHING)


class Effort(NamedTuple):
    """The effort spent on a position."""

    nodes: int = 0
    seconds: float = 0.0


NO_BOOK: Final = ""
"""Used in place of a path: no book, not even the included one."""


def find_book(path: str | None, board: BoardSize) -> Book | None:
    """The book at a path, or the included book if no path is given; None if there is none.

    Raises BookBoardError if the book is for another board, BookError if the file is not a book or
    is damaged, and OSError if it cannot be read.
    """
    if path is None:
        return shipped_book(board)
    if path == NO_BOOK:
        return None
    book = open_book(path)
    if book.info.board != board:
        raise BookBoardError(
            f"{path} is a book for {book.info.board}, but the positions are on {board}"
        )
    return book


def usable_book(board: BoardSize, path: str | None = None) -> Book | None:
    """The book of :func:`find_book`; None also if it cannot be read.

    A book saves work but changes no score, so the positions are searched without it.
    """
    try:
        return find_book(path, board)
    except (BookError, OSError):
        return None


def plies_answered(book: Book | None, question: Question) -> range:
    """The plies whose positions a book answers; empty without a book."""
    if book is None:
        return range(0)
    # The score of a column is the score of a position on the next ply.
    return range(book.info.last_ply + (0 if question.columns else 1))


@lru_cache(maxsize=8)
def open_book(path: str) -> Book:
    """Open the book at a path once, and cache it; errors as in :func:`find_book`."""
    check_regular_file(Path(path))
    return Book.open(path)


@cache
def shipped_book(board: BoardSize) -> Book | None:
    """The deepest included book for a board; None if none is included."""
    return _shipped(board)


def _shipped(board: BoardSize) -> Book | None:
    try:
        return Book.shipped(board)
    except BookBoardError:
        return None


def score_in_book(book: Book | None, position: Position) -> int | None:
    """The position's score, or None if it is not in the book."""
    if book is None or position.board != book.info.board:
        return None
    return book.probe(position)


def answer_from(book: Book, position: Position, question: Question) -> Answer | None:
    """The book's answer, or None if a score that the question needs is not in the book."""
    score = score_in_book(book, position)
    if score is None:
        return None
    if not question.columns:
        return Answer(score, score, source="book")
    scores = book.scores(position)
    if any(scores[column] is None for column in position.legal_columns()):
        return None
    return Answer(score, score, scores, source="book")


def line_in_book(book: Book | None, position: Position) -> tuple[tuple[int, ...], Position]:
    """Best play as far as a book has the scores of all columns, and the position where it ends.

    Among equally good moves it takes the one nearest to the centre, as the engine does.
    """
    line: list[int] = []
    columns = from_centre(position.width)
    while book is not None and not position.is_over:
        answer = answer_from(book, position, Question())
        if answer is None:
            break
        line.append(min(answer.best, key=columns.index))
        position = position.play(line[-1])
    return tuple(line), position


def from_centre(width: int) -> list[int]:
    """All columns from the middle outwards, alternating sides: the engine's order."""
    middle = (width - 1) // 2
    return [middle + ((i + 1) // 2 if i % 2 else -i // 2) for i in range(width)]
