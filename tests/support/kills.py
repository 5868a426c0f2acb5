"""Jobs whose processes are killed, and checks that nothing was lost."""

from collections import Counter
from collections.abc import Sequence

from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from c4core.solver import Solver
from db import evaluations
from db.database import Database
from db.jobs import watching
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState, UnitState
from tests.support.units import job_of_games
from workers.answers.question import NO_BOOK


def plan_analysis(url: str, games: Sequence[str]) -> int:
    """Plan a job that analyzes games without a book, ten in a unit; return its number."""
    with Database.open(url) as database:
        return job_of_games(database, games, book=NO_BOOK, unit_lines=10)


def check_analysis(
    url: str, job_id: int, games: Sequence[str], results: Sequence[dict[str, object]]
) -> None:
    """Every game has one result, all results are right, and each is stored once."""
    solver = Solver(table_mb=8)
    found = {moves: solver.analyze(Position(moves)) for moves in games}
    assert [(shown["moves"], shown["score"], shown["scores"]) for shown in results] == [
        (moves, analysis.score, list(analysis.scores)) for moves, analysis in found.items()
    ]
    expected = {Position(moves).canonical_key: found[moves].score for moves in games}
    with Database.open(url) as database, database.read() as session:
        stored = evaluations.stream(session, EvaluationFilter(board=DEFAULT_BOARD))
        assert Counter((row.key, row.score) for row in stored) == Counter(expected.items())
        job = watching.get_job(session, job_id)
    assert job.state is JobState.DONE
    assert job.positions[UnitState.DONE] == len(games)
