"""Searching a batch of canonical positions until each is settled, at its limit, or given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from c4core.batch import UNPLAYABLE
from workers.positions.results import Answer, settles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from c4core.position import Position
    from workers.core.searching import Searcher
    from workers.positions.question import Question

ONE_BY_ONE = 8
"""Up to so many positions are searched one by one, so that the time of each is measured. Nothing is
lost: in a larger batch, the solver gives a thread as many positions at a time."""

NEARLY = 0.9
"""A search that has used such a share of its time counts as at the limit: it reads the clock only
now and then."""


class Effort(NamedTuple):
    """The effort spent on a position."""

    nodes: int = 0
    """Positions searched."""
    seconds: float = 0.0
    """Time spent searching."""


def search(
    positions: Mapping[int, Position],
    question: Question,
    spent: Mapping[int, Effort],
    *,
    solver: Searcher,
    is_stopped: Callable[[], bool],
    related: bool = False,
) -> tuple[dict[int, Answer], bool]:
    """Search positions of one board.

    Args:
        positions: by key.
        question: the question about each; its limits hold for each position, however often its
            search is interrupted and taken up again.
        spent: the effort spent on a position earlier, by key; it counts for the limits.
        solver: may be shared; an interrupted search is taken up again unless ``is_stopped``.
        is_stopped: whether to give up; asked after each search.
        related: the positions are near relatives; as in ``Solver.solve_many``.

    Returns:
        An answer for each position, by key, and whether all of them settle the question. After a
        limit or a stop, answers hold the proven bounds.
    """
    answers: dict[int, Answer] = {}
    is_complete = True
    efforts = dict(spent)
    left = positions
    while left:
        interrupted = {}
        found_once = _search_once(left, question, solver, is_stopped, efforts, related=related)
        for (key, position), found in zip(left.items(), found_once, strict=True):
            answer = answers[key] = _continued(answers.get(key), found, efforts.get(key))
            efforts[key] = Effort(answer.nodes, answer.seconds)
            if settles(answer, position, question):
                continue
            is_stuck = question.node_limit is not None and not found.nodes
            if is_stuck or is_at_limit(efforts[key], question):
                is_complete = False
            else:
                interrupted[key] = position
        if is_stopped():
            return answers, is_complete and not interrupted
        left = interrupted
    return answers, is_complete


def is_at_limit(spent: Effort, question: Question) -> bool:
    """Whether a position's effort has reached the question's limits."""
    time_limit, node_limit = question.time_limit, question.node_limit
    if time_limit is not None and spent.seconds >= NEARLY * time_limit:
        return True
    return node_limit is not None and spent.nodes >= NEARLY * node_limit


def _continued(earlier: Answer | None, later: Answer, spent: Effort | None) -> Answer:
    """The answer of a search, together with that of an earlier, interrupted one."""
    if earlier is not None:
        later = later.tightened(earlier.lower, earlier.upper)
    nodes, seconds = spent or Effort()
    return later._replace(nodes=nodes + later.nodes, seconds=seconds + later.seconds)


def _search_once(
    positions: Mapping[int, Position],
    question: Question,
    solver: Searcher,
    is_stopped: Callable[[], bool],
    efforts: Mapping[int, Effort],
    *,
    related: bool,
) -> Iterable[Answer]:
    if question.is_limited or len(positions) <= ONE_BY_ONE:
        return _singly(positions, question, solver, is_stopped, efforts)
    return _together(positions, question, solver, related=related)


def _singly(
    positions: Mapping[int, Position],
    question: Question,
    solver: Searcher,
    is_stopped: Callable[[], bool],
    efforts: Mapping[int, Effort],
) -> Iterator[Answer]:
    for key, position in positions.items():
        spent = efforts.get(key, Effort())
        time_limit, node_limit = question.left_after(*spent)
        if is_stopped() or is_at_limit(spent, question):
            time_limit, node_limit = None, 0  # the bounds that are known without a search
        if question.columns:
            analysis = solver.analyze(position, time_limit=time_limit, node_limit=node_limit)
            yield Answer(
                analysis.lower, analysis.upper, analysis.scores, analysis.nodes, analysis.seconds
            )
        else:
            found = solver.solve(
                position, weak=question.weak, time_limit=time_limit, node_limit=node_limit
            )
            yield Answer(found.lower, found.upper, None, found.nodes, found.seconds)


def _together(
    positions: Mapping[int, Position], question: Question, solver: Searcher, *, related: bool
) -> Iterator[Answer]:
    width, height = next(iter(positions.values())).board
    keys = np.fromiter(positions, dtype=np.uint64, count=len(positions))
    columns: Iterable[tuple[int | None, ...] | None]
    if question.columns:
        analyses = solver.analyze_many(keys, width=width, height=height)
        lower, upper, seconds = analyses.lower, analyses.upper, analyses.seconds
        nodes = analyses.nodes.tolist()
        columns = map(_column_scores, analyses.scores.tolist())
    else:
        found = solver.solve_many(
            keys, width=width, height=height, weak=question.weak, related=related
        )
        lower, upper, seconds = found.lower, found.upper, found.seconds
        nodes = found.nodes.tolist()
        columns = [None] * len(keys)
    seconds_per_node = seconds / max(sum(nodes), 1)
    for low, high, scores, visited in zip(
        lower.tolist(), upper.tolist(), columns, nodes, strict=True
    ):
        yield Answer(low, high, scores, visited, visited * seconds_per_node)


def _column_scores(row: list[int]) -> tuple[int | None, ...]:
    if UNPLAYABLE in row:
        return tuple([None if score == UNPLAYABLE else score for score in row])
    return tuple(row)
