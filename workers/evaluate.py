"""Answering questions about positions: look up what is stored, solve only what is missing.

Units of jobs and ``c4 solve`` both stand on :func:`find_answers`. It works on canonical positions:
one that occurs several times in a batch, or in the mirror, is solved once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.notation import BoardSize
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.evaluations import StoredEvaluation
from workers.results import Answer
from workers.search import has_all_columns, search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from c4core.position import Position
    from c4core.solver import Solver
    from db.database import Database
    from workers.question import Question


@dataclass(frozen=True, slots=True)
class Findings:
    """What a batch of positions has come to."""

    answers: list[Answer]
    """One for every position, in order, oriented as it was asked."""
    learned: list[StoredEvaluation]
    """What was not known before, for storing."""
    is_complete: bool
    """Whether every answer settles the question; false after a stop or a limit."""
    nodes: int
    """Positions searched."""
    seconds: float
    """Time spent searching."""


def evaluate(
    positions: Sequence[Position],
    question: Question,
    solver: Solver,
    database: Database | None = None,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
) -> list[Answer]:
    """Answer a question about each of some positions of one board, by way of a database.

    Args:
        positions: any number, of one board; finished games are fine.
        question: what is asked about each.
        solver: searches what is not known, with its own number of threads.
        database: knows evaluations, and keeps those that are found; None for neither.
        is_stopped: as in :func:`find_answers`. What was found by then is kept.

    Raises:
        StorageError: the database cannot be read or written.
    """
    known = {} if database is None else look_up(database, positions)
    findings = find_answers(positions, question, solver, known, is_stopped=is_stopped)
    if database is not None:
        store_learned(database, findings.learned)
    return findings.answers


def look_up(database: Database, positions: Sequence[Position]) -> dict[int, StoredEvaluation]:
    """What is stored about some positions of one board, by canonical key."""
    if not positions:
        return {}
    keys = list({position.canonical_key for position in positions})
    with database.read() as session:
        return evaluations.lookup(session, positions[0].board, keys)


def store_learned(database: Database, learned: Sequence[StoredEvaluation]) -> None:
    """Put evaluations of one board into the database, in a transaction of their own."""
    if learned:
        board = BoardSize(learned[0].width, learned[0].height)
        database.run(lambda session: evaluations.store(session, board, learned))


def find_answers(
    positions: Sequence[Position],
    question: Question,
    solver: Solver,
    known: Mapping[int, StoredEvaluation],
    *,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Findings:
    """Answer a question about each of some positions of one board.

    The solver may be shared with others who stop it: an interrupted search is taken up again unless
    ``is_stopped`` says that this one was meant.

    Args:
        positions: of one board; finished games are fine.
        question: what is asked about each.
        solver: searches what is not known, with its own number of threads.
        known: what is stored, by canonical key.
        is_stopped: whether to give up; looked at after each search.
    """
    keys = [position.canonical_key for position in positions]
    found: dict[int, Answer] = {}
    missing: dict[int, Position] = {}
    for key, position in zip(keys, positions, strict=True):
        if key in found or key in missing:
            continue
        stored = known.get(key)
        if stored is not None and question.is_answered_by(stored):
            scores = stored.scores if question.columns else None
            found[key] = Answer(stored.lower, stored.upper, scores, source="db")
        else:
            missing[key] = position if position.key == key else position.mirrored()
    searched, is_complete = search(missing, question, solver, is_stopped)
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
        nodes=sum(answer.nodes for answer in searched.values()),
        seconds=sum(answer.seconds for answer in searched.values()),
    )


def _as_asked(
    positions: Sequence[Position], keys: Sequence[int], found: dict[int, Answer]
) -> Iterator[Answer]:
    """The canonical answers, turned the way of the positions; effort is told once."""
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
    """Whether finding out anew would take more than a look at the board."""
    return not position.is_over and (answer.score is not None or answer.nodes > 0)


def _evaluation(position: Position, answer: Answer) -> StoredEvaluation:
    """What is stored about a canonical position. Columns are stored all or none."""
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
