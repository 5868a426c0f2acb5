"""The work of commands can be done from Python, without the command line."""

import pytest

from c4core.arena.files import Repeats
from c4core.errors import C4Error
from c4core.lines import BadLine
from db import games
from db.database import Database
from db.records.games import GameFilter
from tests.support.boards.matches import RANDOM, SET, run_job, terms
from workers.match.files import Collection, import_matches, stream_entries
from workers.match.job import job_of_matches, matches_of, settle_matches
from workers.match.judging import Judging, judging_jobs, read_report
from workers.match.terms import pairs_of


def test_matches_are_played_and_reported(database: Database) -> None:
    asked = [terms(player_a=a, player_b=b, games=4) for a, b in pairs_of([SET, RANDOM, "stupid"])]
    job_id = job_of_matches(database, asked, label="three")
    assert job_of_matches(database, asked) == job_id
    assert job_of_matches(database, asked, fresh=True) != job_id
    run_job(database, job_id)
    matches = matches_of(database, job_id)
    settle_matches(database, matches)
    judging = Judging(games=2, least_ply=30)
    for job in judging_jobs(database, matches, judging):
        if job is not None:
            run_job(database, job.job_id)
    assert list(judging_jobs(database, matches, judging)) == [None]
    reports = [read_report(database, match, judging) for match in matches]
    assert [report.games for report in reports] == [4, 4, 4]
    assert not list(judging_jobs(database, matches, Judging(games=0, least_ply=None)))


def test_games_survive_export_and_import(database: Database) -> None:
    (match,) = matches_of(database, job := job_of_matches(database, [terms(games=6)]))
    run_job(database, job)
    entries = list(stream_entries(database, GameFilter(matches=(match,))))
    found = Collection(Repeats("moves"))
    found.read([*entries, *entries, BadLine(13, "no game", None, None)])
    different = len({each.moves for each in entries})
    assert (found.lines, found.bad_lines, found.repeated) == (13, 1, 12 - different)
    (stored,) = import_matches(database, found.matches, label="again")
    again = list(stream_entries(database, GameFilter(matches=(stored.match_id,))))
    assert {each.moves for each in again} == {each.moves for each in entries}


def test_matches_are_stored_together_or_not_at_all(database: Database) -> None:
    (match,) = matches_of(database, job := job_of_matches(database, [terms(games=2)]))
    run_job(database, job)
    found = Collection()
    found.read(stream_entries(database, GameFilter(matches=(match,))))
    (whole,) = found.matches
    with pytest.raises(C4Error):
        import_matches(database, [whole, whole._replace(games=[])])
    with database.read() as session:
        assert [each.id for each in games.list_matches(session, limit=9)] == [match]
