"""Answer questions about positions: look up stored answers, and search the other positions.

Job units, commands and the server all use :func:`find_answers`. It works on canonical positions, so
duplicates and mirror images in a batch are searched once. A search continues until each position is
settled, reaches its limit, or is given up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.arrays import key_array
from c4core.evaluation import NO_SCORE, exact_scores, final_score
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.errors import ReadOnlyError
from db.records.evaluations import StoredEvaluation
from workers.answers.question import (
    EVERYTHING,
    Answer,
    Effort,
    answer_from,
    answer_of,
    has_all_columns,
    score_in_book,
    settles,
    usable_book,
)
from workers.core.searching import store_learned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from c4core.batch import Keys
    from c4core.book import Book
    from c4core.evaluation import ColumnBounds
    from c4core.notation import BoardSize
    from c4core.solver import Solver
    from db.database import Database
    from workers.answers.question import Question

    Search = Callable[
        [Mapping[int, Position], Question, Mapping[int, Effort]], tuple[dict[int, Answer], bool]
    ]
    """Searches each canonical position once. The arguments are the positions by key, the question,
    and the effort already spent on each; see :func:`_search`."""

    _Columns = tuple[tuple[int | None, ...] | None, ColumnBounds | None]

KEYS_AT_A_TIME: Final = 10_000
"""Number of positions looked up in one query."""


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The answers to a batch of positions, and the new evaluations."""

    answers: list[Answer]
    """One answer for each position, in order and in its given orientation."""
    learned: list[StoredEvaluation]
    is_complete: bool
    """Whether every answer settles the question; False after a stop or a limit."""
    nodes: int
    """Positions searched now, without earlier attempts."""
    seconds: float
    """Seconds spent searching now, without earlier attempts."""
    spent: dict[int, Effort]
    """The effort spent on positions that are still open, by canonical key, for the next attempt.
    Empty without limits."""


def evaluate(
    positions: Sequence[Position],
    question: Question,
    solver: Solver,
    database: Database | None = None,
    *,
    book: Book | None = None,
    is_stopped: Callable[[], bool] = lambda: False,
    on_not_kept: Callable[[], object] = lambda: None,
) -> list[Answer]:
    """Answer a question about positions of one board, with the help of a database.

    Args:
        positions: positions of one board; finished games are allowed.
        question: the question about each position.
        solver: searches unknown positions, with its own number of threads.
        database: supplies known evaluations and stores new ones unless it is read-only; None for no
            database.
        book: its answers take precedence over the database and the search.
        is_stopped: as in :func:`search_with`. The results so far are kept.
        on_not_kept: called if there are new evaluations but the database is read-only.
    """
    findings = solve_positions(positions, question, solver, database, is_stopped, book=book)
    if database is not None and findings.learned:
        try:
            database.run(lambda session: store_learned(session, findings.learned))
        except ReadOnlyError:  # opened read-only, or the database user may only read
            on_not_kept()
    return findings.answers


def solve_positions(
    positions: Sequence[Position],
    question: Question,
    solver: Solver,
    database: Database | None,
    is_stopped: Callable[[], bool],
    *,
    book: Book | None = None,
    related: bool = False,
    spent: Mapping[int, Effort] | None = None,
) -> BatchResult:
    """Answer from the book, the database, or a search in this process. Nothing is written.

    The arguments are as in :func:`evaluate`, :func:`search_with` and :func:`find_answers`.
    """
    known = {} if database is None else look_up(database, positions)
    search = search_with(solver, is_stopped, related=related)
    return find_answers(positions, question, search, known, book=book, spent=spent)


def look_up(database: Database, positions: Sequence[Position]) -> dict[int, StoredEvaluation]:
    """The stored evaluations of some positions of one board, by canonical key."""
    if not positions:
        return {}
    keys = list({position.canonical_key for position in positions})
    with database.read_once() as session:
        return evaluations.lookup(session, positions[0].board, keys)


def known_scores(
    position: Position, known: Mapping[int, StoredEvaluation], book: Book | None
) -> tuple[int | None, ...] | None:
    """The score of every column, in the position's orientation; None if any is unknown."""
    answer = known_answer(position, EVERYTHING, known.get(position.canonical_key), book)
    return None if answer is None else answer.scores


def unknown_keys(database: Database, board: BoardSize, keys: Keys) -> Keys:
    """The canonical keys for which neither database nor included book has all column scores."""
    book = usable_book(board)
    unknown: list[int] = []
    for first in range(0, len(keys), KEYS_AT_A_TIME):
        asked = keys[first : first + KEYS_AT_A_TIME].tolist()
        with database.read() as session:
            known = evaluations.lookup(session, board, asked)
        unknown.extend(
            key
            for key in asked
            if not (key in known and EVERYTHING.is_answered_by(known[key]))
            and known_answer(Position.from_key(key, board=board), EVERYTHING, None, book) is None
        )
    return key_array(unknown, board)


def search_with(
    solver: Solver, is_stopped: Callable[[], bool] = lambda: False, *, related: bool = False
) -> Search:
    """Make a search function for :func:`find_answers` that uses a solver of this process.

    The solver may be shared with callers who may stop it: an interrupted search is resumed unless
    ``is_stopped``, which is called after each search, returns true. With ``related`` the positions
    are closely related, as in ``Solver.solve_many``.
    """
    return partial(_search, solver=solver, is_stopped=is_stopped, related=related)


def find_answers(
    positions: Sequence[Position],
    question: Question,
    search_missing: Search,
    known: Mapping[int, StoredEvaluation],
    *,
    book: Book | None = None,
    spent: Mapping[int, Effort] | None = None,
) -> BatchResult:
    """Answer a question about positions of one board.

    Args:
        positions: positions of one board; finished games are allowed.
        question: the question about each position.
        search_missing: searches unknown positions, here (:func:`search_with`) or elsewhere.
        known: the stored evaluations, by canonical key.
        book: its answers take precedence over stored evaluations. If it has a position's score, but
            not the scores of all columns, the others are searched.
        spent: effort already spent on positions, by canonical key; it counts towards the limits.
    """
    spent = spent or {}
    keys = [position.canonical_key for position in positions]
    found: dict[int, Answer] = {}
    missing: dict[int, Position] = {}
    for key, position in zip(keys, positions, strict=True):
        if key in found or key in missing:
            continue
        canonical = position if position.key == key else position.mirrored()
        answer = known_answer(canonical, question, known.get(key), book)
        if answer is None:
            missing[key] = canonical
        else:
            found[key] = answer
    searched, is_complete = search_missing(missing, question, spent)
    earlier = [spent[key] for key in missing.keys() & spent.keys()]
    found |= searched
    for key in searched:
        if (stored := known.get(key)) is not None:
            found[key] = found[key].tightened(stored.lower, stored.upper)
        # Without columns, a score in the book would have answered the question above.
        score = score_in_book(book, missing[key]) if question.columns else None
        if score is not None:
            found[key] = found[key].tightened(score, score)
    return BatchResult(
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
    )


def answer_at_end(position: Position) -> Answer:
    """The result of a finished game, for the side that would move next."""
    score = final_score(position)
    return Answer(score, score, (None,) * position.width)


def answer_stored(
    position: Position, question: Question, stored: StoredEvaluation
) -> Answer | None:
    """Answer from the stored canonical evaluation; None if it lacks a score that is needed."""
    if not question.is_answered_by(stored):
        return None
    scores = stored.scores if question.columns else None
    if scores is not None and position.key != stored.key:
        scores = scores[::-1]
    return Answer(stored.lower, stored.upper, scores, source="db")


def known_answer(
    position: Position, question: Question, stored: StoredEvaluation | None, book: Book | None
) -> Answer | None:
    """Answer from the book or else the stored evaluation; None if neither answers the question.

    The position may have any orientation; ``stored`` belongs to its canonical image.
    """
    answer = None if book is None else answer_from(book, position, question)
    if answer is None and stored is not None:
        answer = answer_stored(position, question, stored)
    return answer


def _as_asked(
    positions: Sequence[Position], keys: Sequence[int], found: dict[int, Answer]
) -> Iterator[Answer]:
    """The canonical answers, mirrored if the position is mirrored; effort counts once."""
    seen: set[int] = set()
    for position, key in zip(positions, keys, strict=True):
        answer = found[key]
        if position.key != key:
            answer = answer.mirrored()
        if key in seen:
            answer = answer._replace(nodes=0, seconds=0.0)
        seen.add(key)
        yield answer


def _is_worth_storing(position: Position, answer: Answer) -> bool:
    """Whether finding the answer again would take a search."""
    return not position.is_over and (answer.score is not None or answer.nodes > 0)


def _evaluation(position: Position, answer: Answer) -> StoredEvaluation:
    """The evaluation to store for a canonical position: with all columns, or with none."""
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


ONE_BY_ONE = 8
"""Batches of up to this size are searched one by one, so that each time is measured. No parallel
search is lost: a thread of the solver takes 16 positions of a batch at a time."""

NEARLY = 0.9
"""A search that has used this share of its limit counts as at the limit, because the solver reads
the clock only at intervals."""


def _search(
    positions: Mapping[int, Position],
    question: Question,
    spent: Mapping[int, Effort],
    *,
    solver: Solver,
    is_stopped: Callable[[], bool],
    related: bool = False,
) -> tuple[dict[int, Answer], bool]:
    """Search positions of one board, given by key.

    An interrupted search is resumed unless ``is_stopped``. Limits hold for each position over all
    attempts, including the effort in ``spent``. Returns an answer for each position, by key, and
    whether all of them settle the question. After a limit or a stop, answers hold the proven
    bounds.
    """
    answers: dict[int, Answer] = {}
    is_complete = True
    efforts = dict(spent)
    left = positions
    while left:
        interrupted = {}
        if question.is_limited or len(left) <= ONE_BY_ONE:
            found_once = _singly(left, question, solver, is_stopped, efforts)
        else:
            found_once = _together(left, question, solver, related=related)
        for (key, position), found in zip(left.items(), found_once, strict=True):
            answer = answers[key] = _continued(answers.get(key), found, efforts.get(key))
            efforts[key] = Effort(answer.nodes, answer.seconds)
            if settles(answer, position, question):
                continue
            is_stuck = question.node_limit is not None and not found.nodes
            if is_stuck or _is_at_limit(efforts[key], question):
                is_complete = False
            else:
                interrupted[key] = position
        if is_stopped():
            return answers, is_complete and not interrupted
        left = interrupted
    return answers, is_complete


def _is_at_limit(spent: Effort, question: Question) -> bool:
    time_limit, node_limit = question.time_limit, question.node_limit
    if time_limit is not None and spent.seconds >= NEARLY * time_limit:
        return True
    return node_limit is not None and spent.nodes >= NEARLY * node_limit


def _continued(earlier: Answer | None, later: Answer, spent: Effort | None) -> Answer:
    """Combine the answer of a search with that of an earlier, interrupted one."""
    if earlier is not None:
        later = later.tightened(earlier.lower, earlier.upper, earlier.bounds)
    nodes, seconds = spent or Effort()
    return later._replace(nodes=nodes + later.nodes, seconds=seconds + later.seconds)


def _singly(
    positions: Mapping[int, Position],
    question: Question,
    solver: Solver,
    is_stopped: Callable[[], bool],
    efforts: Mapping[int, Effort],
) -> Iterator[Answer]:
    for key, position in positions.items():
        spent = efforts.get(key, Effort())
        time_limit, node_limit = question.left_after(*spent)
        if is_stopped() or _is_at_limit(spent, question):
            time_limit, node_limit = None, 0  # return the bounds known without a search
        if question.columns:
            yield answer_of(solver.analyze(position, time_limit=time_limit, node_limit=node_limit))
        else:
            found = solver.solve(
                position, weak=question.weak, time_limit=time_limit, node_limit=node_limit
            )
            yield Answer(found.lower, found.upper, None, found.nodes, found.seconds)


def _together(
    positions: Mapping[int, Position], question: Question, solver: Solver, *, related: bool
) -> Iterator[Answer]:
    board = next(iter(positions.values())).board
    keys = key_array(positions, board)
    columns: Iterable[_Columns]
    if question.columns:
        analyses = solver.analyze_many(keys, board=board)
        lower, upper, seconds = analyses.lower, analyses.upper, analyses.seconds
        nodes = analyses.nodes.tolist()
        columns = map(_columns, analyses.column_lower.tolist(), analyses.column_upper.tolist())
    else:
        found = solver.solve_many(keys, board=board, weak=question.weak, related=related)
        lower, upper, seconds = found.lower, found.upper, found.seconds
        nodes = found.nodes.tolist()
        columns = [(None, None)] * len(keys)
    seconds_per_node = seconds / max(sum(nodes), 1)
    for low, high, (scores, bounds), visited in zip(
        lower.tolist(), upper.tolist(), columns, nodes, strict=True
    ):
        seconds_of_it = visited * seconds_per_node
        yield Answer(low, high, scores, visited, seconds_of_it, open_bounds=bounds)


def _columns(lower: list[int], upper: list[int]) -> _Columns:
    """The scores of columns, and their bounds if some are not solved."""
    if lower == upper:
        if NO_SCORE in lower:
            return tuple([None if score == NO_SCORE else score for score in lower]), None
        return tuple(lower), None
    bounds = tuple(
        [None if low == NO_SCORE else (low, high) for low, high in zip(lower, upper, strict=True)]
    )
    return exact_scores(bounds), bounds
