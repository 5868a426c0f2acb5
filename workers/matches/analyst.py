"""Exact scores for the players of a match: known ones, or those of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.evaluation import Analysis
from c4core.players import StopPlaying
from workers.positions.book_answers import book_of_job
from workers.positions.evaluate import find_answers, look_up, search_with
from workers.positions.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.position import Position
    from db.database import Database
    from db.records.evaluations import StoredEvaluation
    from workers.core.searching import Searcher


class MatchAnalyst:
    """Knows the score of every column: from the book, from the database, or by a search.

    The solver is shared with other callers, who may stop it. A search that was stopped for another
    caller is taken up again: a player must not move by half a search.

    Args:
        database: where known evaluations are looked up; nothing is written.
        searcher: finds the others.
        is_stopped: whether to stop playing.

    Attributes:
        learned: new evaluations, for storing.
        nodes: positions searched.
    """

    def __init__(
        self, database: Database, searcher: Searcher, is_stopped: Callable[[], bool]
    ) -> None:
        self.learned: list[StoredEvaluation] = []
        self.nodes = 0
        self._database = database
        self._searcher = searcher
        self._is_stopped = is_stopped
        self._known: dict[int, StoredEvaluation] = {}

    def analyze(self, position: Position, *, time_limit: float | None = None) -> Analysis:
        """The scores of all columns; with a time limit, those that are known when it ends.

        Raises:
            StopPlaying: the match was stopped, or the scores cannot be found: the database cannot
                be reached, or there is no memory left.
        """
        try:
            return self._analyze(position, time_limit)
        except Exception as error:
            raise StopPlaying(error) from error

    def _analyze(self, position: Position, time_limit: float | None) -> Analysis:
        key = position.canonical_key
        if key not in self._known:
            self._known.update(look_up(self._database, [position]))
        findings = find_answers(
            [position],
            Question(time_limit=time_limit),
            search_with(self._searcher, self._is_stopped),
            self._known,
            book=book_of_job({}, position.board),
        )
        if not findings.is_complete and self._is_stopped():
            raise StopPlaying
        self.nodes += findings.nodes
        self.learned += findings.learned
        self._known.update((row.key, row) for row in findings.learned if row.scores is not None)
        answer = findings.answers[0]
        scores = answer.scores or (None,) * position.width
        return Analysis(scores, answer.lower, answer.upper, answer.nodes, answer.seconds)
