"""Answering questions about positions: stored answers are looked up, only the others are searched.

Units of jobs and ``c4 solve`` both use :func:`find_answers`. It works on canonical positions: one
that occurs several times in a batch, or as a mirror image, is searched once.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from c4core.version import ENGINE_VERSION
from db import evaluations
from db.costs import Cost
from db.errors import ReadOnlyError
from db.records.evaluations import StoredEvaluation
from workers.core.searching import store_learned
from workers.positions.book_answers import answer_from
from workers.positions.results import Answer, has_all_columns, settles
from workers.positions.search import Effort, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from c4core.book import Book
    from c4core.position import Position
    from db.database import Database
    from workers.core.searching import Searcher
    from workers.positions.question import Question

    Search = Callable[
        [Mapping[int, Position], Question, Mapping[int, Effort]], tuple[dict[int, Answer], bool]
    ]
    """Searches canonical positions, each once. Its arguments are the positions by key, the question
    about them, and what was spent on them before; see :func:`workers.positions.search.search`."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The answers to a batch of positions, and new evaluations."""

    answers: list[Answer]
    """One for every position, in order and in its given orientation."""
    learned: list[StoredEvaluation]
    """New evaluations, for storing."""
    is_complete: bool
    """Whether every answer settles the question; False after a stop or a limit."""
    nodes: int
    """Positions searched now, without what was spent before."""
    seconds: float
    """Seconds spent searching now."""
    spent: dict[int, Effort]
    """The effort spent on positions whose question is still open, by canonical key, for the next
    attempt. Empty without limits."""
    costs: dict[int, Cost]
    """The costs of the searches, by ply. Empty if they say nothing about other searches, because
    the question is weak, has limits, or was not answered."""


def evaluate(
    positions: Sequence[Position],
    question: Question,
    solver: Searcher,
    database: Database | None = None,
    *,
    book: Book | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    on_not_kept: Callable[[], object] = lambda: None,
) -> list[Answer]:
    """Answer a question about each of some positions of one board, with the help of a database.

    Args:
        positions: any number, of one board; finished games are fine.
        question: the question about each.
        solver: searches unknown positions, with its own number of threads.
        database: has known evaluations, and stores new ones unless it is read-only; None for no
            database.
        book: has answers that go before those of the database and of a search.
        is_stopped: as in :func:`search_with`. The results so far are kept.
        on_not_kept: called if there are new evaluations, but the database is read-only.

    Raises:
        StorageError: the database cannot be read or written.
    """
    known = {} if database is None else look_up(database, positions)
    findings = find_answers(positions, question, search_with(solver, is_stopped), known, book=book)
    if database is not None:
        try:
            store_learned(database, findings.learned)
        except ReadOnlyError:  # it was opened so, or its user may only read
            on_not_kept()
    return findings.answers


def look_up(database: Database, positions: Sequence[Position]) -> dict[int, StoredEvaluation]:
    """The stored evaluations of some positions of one board, by canonical key."""
    if not positions:
        return {}
    keys = list({position.canonical_key for position in positions})
    with database.read() as session:
        return evaluations.lookup(session, positions[0].board, keys)


def search_with(
    solver: Searcher, is_stopped: Callable[[], bool] = lambda: False, *, related: bool = False
) -> Search:
    """A search by a solver of this process, for :func:`find_answers`.

    The solver may be shared with other callers, who may stop it: an interrupted search is taken up
    again unless ``is_stopped`` says that this one was meant.

    Args:
        solver: searches, with its own number of threads.
        is_stopped: whether to give up; asked after each search.
        related: the positions are near relatives; as in ``Solver.solve_many``.
    """
    return partial(search, solver=solver, is_stopped=is_stopped, related=related)


def find_answers(
    positions: Sequence[Position],
    question: Question,
    search_missing: Search,
    known: Mapping[int, StoredEvaluation],
    *,
    book: Book | None = None,
    spent: Mapping[int, Effort] | None = None,
) -> Findings:
    """Answer a question about each of some positions of one board.

    Args:
        positions: of one board; finished games are fine.
        question: what is asked about each.
        search_missing: searches unknown positions, here (:func:`search_with`) or elsewhere.
        known: the stored evaluations, by canonical key.
        book: has answers, too.
        spent: what was spent on a position before, by canonical key; it counts for the limits.
    """
    spent = spent or {}
    keys = [position.canonical_key for position in positions]
    found: dict[int, Answer] = {}
    missing: dict[int, Position] = {}
    for key, position in zip(keys, positions, strict=True):
        if key in found or key in missing:
            continue
        canonical = position if position.key == key else position.mirrored()
        answer = _known_answer(canonical, question, known.get(key), book)
        if answer is None:
            missing[key] = canonical
        else:
            found[key] = answer
    searched, is_complete = search_missing(missing, question, spent)
    earlier = [spent[key] for key in missing.keys() & spent.keys()]
    for key, answer in searched.items():
        stored = known.get(key)
        found[key] = answer if stored is None else answer.tightened(stored.lower, stored.upper)
    return Findings(
        answers=list(_as_asked(positions, keys, found)),
        learned=[
            _evaluation(position, searched[key])
            for key, position in missing.items()
            if _is_worth_storing(position, searched[key])
        ],
        is_complete=is_complete,
        nodes=sum(answer.nodes for answer in searched.values())
        - sum(effort.nodes for effort in earlier),
        seconds=sum(answer.seconds for answer in searched.values())
        - sum(effort.seconds for effort in earlier),
        spent={
            key: Effort(answer.nodes, answer.seconds)
            for key, answer in searched.items()
            if question.is_limited and answer.nodes and not settles(answer, missing[key], question)
        },
        costs=_costs(missing, searched)
        if is_complete and not (question.weak or question.is_limited)
        else {},
    )


def _known_answer(
    position: Position, question: Question, stored: StoredEvaluation | None, book: Book | None
) -> Answer | None:
    """The answer of a book or the database, or None."""
    answer = None if book is None else answer_from(book, position, question)
    if answer is None and stored is not None and question.is_answered_by(stored):
        scores = stored.scores if question.columns else None
        answer = Answer(stored.lower, stored.upper, scores, source="db")
    return answer


def _costs(positions: Mapping[int, Position], answers: Mapping[int, Answer]) -> dict[int, Cost]:
    number: defaultdict[int, int] = defaultdict(int)
    seconds: defaultdict[int, float] = defaultdict(float)
    for key, position in positions.items():
        number[position.ply] += 1
        seconds[position.ply] += answers[key].seconds
    return {ply: Cost(number[ply], seconds[ply]) for ply in number}


def _as_asked(
    positions: Sequence[Position], keys: Sequence[int], found: dict[int, Answer]
) -> Iterator[Answer]:
    """The canonical answers, mirrored where the positions are mirrored; effort counts once."""
    told: set[int] = set()
    for position, key in zip(positions, keys, strict=True):
        answer = found[key]
        if answer.scores is not None and position.key != key:
            answer = answer._replace(scores=answer.scores[::-1])
        if key in told:
            answer = answer._replace(nodes=0, seconds=0.0)
        told.add(key)
        yield answer


def _is_worth_storing(position: Position, answer: Answer) -> bool:
    """Whether finding the answer again would take a search."""
    return not position.is_over and (answer.score is not None or answer.nodes > 0)


def _evaluation(position: Position, answer: Answer) -> StoredEvaluation:
    """The evaluation to store for a canonical position. Columns are stored all or none."""
    return StoredEvaluation(
        key=position.key,
        width=position.width,
        height=position.height,
        ply=position.ply,
        lower=answer.lower,
        upper=answer.upper,
        nodes=answer.nodes,
        engine_version=ENGINE_VERSION,
        scores=answer.scores if has_all_columns(answer, position) else None,
    )
