"""What commands do can be done from Python, without the command line."""

from pathlib import Path

import pytest

from c4core.arena.repeats import Repeats
from c4core.book import Book
from c4core.dataset.lots import Shares
from c4core.errors import C4Error
from c4core.lines import BadLine
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db import games
from db.database import Database
from db.records.games import GameFilter
from tests.support.boards.matches import RANDOM, SET, run_job, terms
from workers.books.build import CompleteBook, ScoreSource
from workers.books.files import default_name, is_book_of, write_scored
from workers.books.task import Choice
from workers.dataset.draft import Draft
from workers.dataset.order import Order
from workers.deep.answer import read_answer
from workers.deep.planning import join_or_submit
from workers.deep.task import DeepTask
from workers.matches.files.collecting import Collection, import_matches
from workers.matches.files.entries import stream_entries
from workers.matches.pairing import pairs_of
from workers.matches.playing import job_of_matches, matches_of, settle_matches
from workers.matches.reports.reading import Judging, judging_jobs, read_report

SMALL = BoardSize(5, 4)


def test_a_deep_answer(database: Database) -> None:
    start = Position("12211221", width=5, height=4)
    task = DeepTask(start, "12211221", weak=False, split_plies=1, unit_nodes=10_000)
    job_id, is_new = join_or_submit(database, task, threads=1)
    assert is_new
    assert read_answer(database, job_id, Solver(table_mb=1)).best == []  # nothing is proven yet
    run_job(database, job_id)
    answer = read_answer(database, job_id, Solver(table_mb=1))
    assert answer.standing.lower == answer.standing.upper
    assert answer.line_is_complete
    assert answer.line[0] in answer.best
    assert not answer.proof.missing


def test_a_data_set(database: Database, tmp_path: Path) -> None:
    order = Order(
        source="play",
        board=SMALL,
        first_ply=10,
        last_ply=19,
        matches=(),
        book=None,
        count=50,
        seed=1,
        shares=Shares.parse("80/10/10"),
        formats=("npz",),
        representations=("planes",),
    )
    draft = Draft.of(database, order)
    job_id = draft.job(database)
    assert draft.job(database) == job_id
    run_job(database, job_id)
    card = draft.labelled(database, job_id).write(tmp_path)
    assert card["positions"] == 50
    assert (tmp_path / "train.npz").exists()


def test_a_book(database: Database, tmp_path: Path) -> None:
    start = Position(width=4, height=4)
    book = CompleteBook(start, 5)
    path = str(tmp_path / default_name(start, 5))
    levels = book.scored(ScoreSource(database, lambda job_id: bool(run_job(database, job_id))))
    info = write_scored(book, levels, path)
    assert info.positions == sum(map(len, book.levels))
    assert is_book_of(path, start, 5)
    assert not is_book_of(path, start, 6)
    assert not is_book_of(path, start, 5, Choice(0, "both"))
    assert not is_book_of(__file__, start, 5)
    with Book.open(path) as opened:
        assert opened.probe(start) is not None


def test_matches_and_their_reports(database: Database) -> None:
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


def test_games_come_back_as_they_went(database: Database) -> None:
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


def test_matches_are_stored_all_or_none(database: Database) -> None:
    (match,) = matches_of(database, job := job_of_matches(database, [terms(games=2)]))
    run_job(database, job)
    found = Collection()
    found.read(stream_entries(database, GameFilter(matches=(match,))))
    (whole,) = found.matches
    with pytest.raises(C4Error):
        import_matches(database, [whole, whole._replace(games=[])])
    with database.read() as session:
        assert [each.id for each in games.list_matches(session, limit=9)] == [match]
