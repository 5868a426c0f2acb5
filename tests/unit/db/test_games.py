"""Matches and games in the database."""

import numpy as np
import pytest

from c4core.arena.game import TimeControl
from c4core.arena.statistics import Sprt, Tally
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import games
from db.checking import check
from db.database import Database
from db.errors import (
    DamagedValueError,
    GameNotFoundError,
    JobStateError,
    MatchInUseError,
    MatchNotFoundError,
)
from db.jobs import control, watching
from db.records.games import GameCursor, GameFilter
from db.records.jobs import MAX_ATTEMPTS, JobState, UnitPlan, UnitState
from db.records.matches import MatchTerms, Origin, Seats
from tests.support.boards.matches import game, games_of, info, store_match, terms
from tests.support.jobs import finish, give_up, must_take, take
from tests.support.running.databases import BOARD, ask, counted_queries, do, on_sqlite

DRAW = game(moves=None, final_key=1, length=42, winner=None, ending="full", seed=None)


def job_with_match(database: Database, asked: MatchTerms, units: int) -> tuple[int, int]:
    """Make a running job whose match comes after some units; return both numbers."""
    with database.write() as session:
        job_id = control.create_job(
            session, kind="match", board=BOARD, params={}, engine_version=ENGINE_VERSION
        )
        other = games.create_match(session, terms(), job_id=job_id)
        control.add_units(session, job_id, [UnitPlan({"other": True}, 10)])
        games.set_units(session, other, 0, 1)
        match_id = games.create_match(session, asked, job_id=job_id)
        control.add_units(session, job_id, [UnitPlan({"part": part}, 5) for part in range(units)])
        games.set_units(session, match_id, 1, 1 + units)
        control.start_job(session, job_id)
    return job_id, match_id


def test_terms_round_trip(database: Database) -> None:
    corpus = store_match(database, [game(0)]), store_match(database, [game(0)])
    asked = terms(
        player_a="exec:sh my player.sh",
        games=1234,
        seats=Seats.RANDOM,
        seed=2**64 - 1,
        start=Position("1212", board="5x4"),
        time_control=TimeControl(move=0.5, grace=0.01),
        lenient=True,
        sprt=Sprt(elo0=-5, elo1=5, alpha=0.1),
        corpus=corpus,
    )
    match_id = do(database, games.create_match, asked, label="mine \N{SNOWMAN}")
    found = info(database, match_id)
    assert (found.terms, found.label, found.origin) == (asked, "mine \N{SNOWMAN}", Origin.PLAYED)
    assert (found.tally.games, found.job_state, found.verdict) == (0, None, None)
    assert not found.is_finished
    assert ask(database, games.get_terms, match_id) == asked
    with pytest.raises(DamagedValueError, match="unknown form: 99"):
        MatchTerms.from_json(asked.as_json() | {"form": 99})


def test_games_round_trip(database: Database) -> None:
    failed = game(
        3,
        a_side="o",
        seed=2**64 - 1,
        moves="44",
        final_key=2**128 - 2,
        length=2,
        winner="o",
        ending="error",
        detail="raised \N{SNOWMAN}\0\udcff",
        x_seconds=0.25,
        o_seconds=1e-7,
        replaced=(0, 1),
    )
    match_id = store_match(database, [game(0), DRAW._replace(number=2), failed])
    kept = failed._replace(detail="raised \N{SNOWMAN}\N{REPLACEMENT CHARACTER}?")
    stored = [game(0), DRAW._replace(number=2), kept]
    assert games_of(database, match_id) == [each._replace(match_id=match_id) for each in stored]
    found = ask(database, games.find_game, match_id, 3)
    assert found == kept._replace(match_id=match_id)
    do(database, games.add_games, match_id, [game(0, winner="o"), game(1)])  # the first one stays
    assert [each.winner for each in games_of(database, match_id)] == ["x", "x", None, "o"]


def test_missing_games_and_matches_are_reported(database: Database) -> None:
    match_id = store_match(database, [game(0)])
    with database.write() as session:
        for number in (match_id + 1, -1, 2**31, 2**63, 10**30):
            for question in (games.get_match, games.get_terms, games.delete_match):
                with pytest.raises(MatchNotFoundError, match=f"there is no match {number}"):
                    question(session, number)
            for place in ((match_id, number), (number, 0)):
                with pytest.raises(
                    GameNotFoundError, match="match {} has no game {}".format(*place)
                ):
                    games.find_game(session, *place)
        with pytest.raises(MatchNotFoundError, match=f"there is no match {match_id + 1}"):
            games.end_early(session, match_id + 1, games=0, verdict="H0")
        with pytest.raises(MatchNotFoundError, match=f"there is no match {match_id + 1}"):
            games.create_match(session, terms(corpus=(match_id, match_id + 1)))


def test_the_tally_is_seen_from_both_sides(database: Database) -> None:
    stored = [
        game(0),
        game(1, a_side="o"),
        game(2, a_side="o", winner="o"),
        DRAW._replace(number=3, a_side="o"),
        game(4, winner="o", ending="time"),
        game(5, a_side="o", ending="illegal"),
        game(6, a_side="x", winner="x", ending="crash"),
    ]
    tally = info(database, store_match(database, stored)).tally
    assert tally.a_as_x == Tally(2, 1)
    assert tally.a_as_o == Tally(1, 2, 1)
    assert tally.a == Tally(3, 3, 1)
    assert tally.x == Tally(4, 2, 1)
    assert (tally.a_forfeits, tally.b_forfeits, tally.games) == (2, 1, 7)


def test_results_are_arrays_in_order(database: Database) -> None:
    stored = [
        game(2, a_side="o", x_seconds=1.0, o_seconds=2.0),
        game(0, x_seconds=0.5, o_seconds=0.25),
        DRAW._replace(number=5),
        game(1, moves="1213141", length=7, ending="time", winner="o"),
        DRAW._replace(number=4),
    ]
    results = ask(database, games.read_results, store_match(database, stored))
    assert results.number.tolist() == [0, 1, 2, 4, 5]
    assert results.a_result.tolist() == [1, -1, -1, 0, 0]
    assert results.a_is_x.tolist() == [True, True, False, True, True]
    assert results.length.tolist() == [7, 7, 7, 42, 42]
    assert results.a_seconds.tolist() == [0.5, 0, 2.0, 0, 0]
    assert results.b_seconds.tolist() == [0.25, 0, 1.0, 0, 0]
    assert results.is_forfeit.tolist() == [False, True, False, False, False]
    assert (len(results), results.distinct) == (5, 3)
    with database.read() as session:
        empty = games.read_results(session, store_match(database, []))
        assert list(games.results_in_order(session, 99)) == []
    assert (len(empty), empty.distinct) == (0, 0)


@on_sqlite
def test_results_end_at_the_first_missing_game(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.games.storing._RESULTS", 3)
    there = [number for number in range(20) if number not in (6, 14)]
    match_id = store_match(database, [game(number) for number in there])
    with database.read() as session:
        found = {
            first: len(list(games.results_in_order(session, match_id, first)))
            for first in (0, 2, 3, 6, 7, 8, 15, 19, 20)
        }
    assert found == {0: 6, 2: 4, 3: 3, 6: 0, 7: 7, 8: 6, 15: 5, 19: 1, 20: 0}


def test_pages_follow_one_another(database: Database) -> None:
    first = store_match(database, [game(number) for number in range(7)])
    second = store_match(database, [game(number) for number in range(4)])
    seen, after = [], None
    while True:
        page = ask(database, games.list_games, GameFilter(), after=after, limit=3)
        seen += [(each.match_id, each.number) for each in page.games]
        after = page.next
        if after is None:
            break
        assert GameCursor.parse(str(after)) == after
        assert GameCursor.parse(str(after).replace(":", "/")) == after
    assert seen == [(first, number) for number in range(7)] + [(second, n) for n in range(4)]


@pytest.mark.parametrize("text", ["", "3", "3:", ":4", "a:1", "1:2:3", "-1:2"])
def test_bad_cursors_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a game"):
        GameCursor.parse(text)


FILTERS: list[tuple[dict[str, object], list[int]]] = [
    ({}, [0, 1, 2, 3]),
    ({"winner": "x"}, [0, 2]),
    ({"winner": "o"}, [3]),
    ({"is_draw": True}, [1]),
    ({"is_draw": False}, [0, 2, 3]),
    ({"endings": ("time", "full")}, [1, 3]),
    ({"min_length": 8}, [1]),
    ({"max_length": 7}, [0, 2, 3]),
    ({"has_moves": True}, [0, 2, 3]),
    ({"has_moves": False}, [1]),
    ({"board": BOARD}, [0, 1, 2, 3]),
    ({"board": BoardSize(5, 4)}, []),
    ({"matches": ()}, []),
    ({"winner": "x", "max_length": 6}, []),
]


def test_filters(database: Database) -> None:
    stored = [game(0), DRAW._replace(number=1), game(2), game(3, winner="o", ending="time")]
    match_id = store_match(database, stored)
    with database.read() as session:
        for conditions, numbers in FILTERS:
            filters = GameFilter(**({"matches": (match_id,)} | conditions))  # type: ignore[arg-type]
            found = games.stream_games(session, filters)
            assert [each.number for each in found] == numbers, conditions


def test_many_games_take_few_statements_and_a_stream_may_end_early(database: Database) -> None:
    stored = [game(number) for number in range(2_500)]
    with counted_queries(database) as sent:
        match_id = store_match(database, stored)
    assert len([text for text in sent if "INSERT INTO games" in text]) == 3
    with counted_queries(database) as sent:
        info(database, match_id)
    assert len(sent) <= 4
    with database.read() as session:
        stream = games.stream_games(session, GameFilter(matches=(match_id,)))
        assert [next(stream).number for _ in range(3)] == [0, 1, 2]
        stream.close()  # type: ignore[attr-defined]
        assert len(list(games.stream_games(session, GameFilter()))) == 2_500


@on_sqlite
def test_matches_are_listed_newest_first(database: Database) -> None:
    ids = [store_match(database, [game(0)] * (index > 0)) for index in range(3)]
    job_id, match_id = job_with_match(database, terms(), 1)
    ids += [match_id - 1, match_id]
    with database.read() as session:
        assert [each.id for each in games.list_matches(session)] == ids[::-1]
        assert [each.id for each in games.list_matches(session, limit=1)] == ids[4:]
        assert [each.id for each in games.list_matches(session, before_id=ids[1])] == ids[:1]
        assert [each.tally.games for each in games.list_matches(session)] == [0, 0, 1, 1, 0]
        found = games.matches_of_job(session, job_id)
    assert [each.id for each in found] == ids[3:]
    assert {each.job_state for each in found} == {JobState.RUNNING}


@on_sqlite
def test_only_complete_matches_are_finished(database: Database) -> None:
    _, match_id = job_with_match(database, terms(games=3), 1)
    with database.write() as session:
        broken = games.create_match(session, terms(), origin=Origin.IMPORTED)
        whole = games.create_match(session, terms(), origin=Origin.IMPORTED)
        games.end_import(session, whole, terms(games=3))
        assert games.finished_matches(session, BOARD) == (whole,)
        assert games.finished_matches(session, BoardSize(5, 4)) == ()
    assert not info(database, broken).is_finished
    assert (info(database, whole).is_finished, info(database, whole).terms.games) == (True, 3)
    while (taken := take(database)) is not None:
        finish(database, taken)
    assert info(database, match_id).job_state is JobState.DONE
    assert ask(database, games.finished_matches, BOARD) == (match_id - 1, match_id, whole)
    do(database, games.add_games, match_id, [game(0)])
    do(database, games.add_games, whole, [game(number) for number in range(3)])
    assert problems(database) == [
        f"match {broken}: its import is under way, or was interrupted",
        f"match {match_id - 1} is over, but has 0 of its 10 games",
        f"match {match_id} is over, but has 1 of its 3 games",
    ]


def test_final_grids_include_only_games_that_ended_on_the_board(database: Database) -> None:
    drawn = DRAW._replace(number=2)
    first = store_match(database, [game(0), game(1, ending="time"), drawn])
    second = store_match(database, [game(0, winner="o", final_key=2**64 - 1)])
    with database.read() as session:
        keys, winners = games.read_finals(session, (first, second))
        none, _ = games.read_finals(session, ())
    assert keys.tolist() == [game().final_key, 1, 2**64 - 1]
    assert winners.tolist() == [1, 0, -1]
    assert (keys.dtype, winners.dtype, len(none)) == (np.uint64, np.int8, 0)


def test_final_keys_with_an_equal_low_half_are_different(database: Database) -> None:
    finals = (5, 5 + 2**64, 5 + 2**127, 5, 5 + 2**64)
    stored = [DRAW._replace(number=number, final_key=key) for number, key in enumerate(finals)]
    match_id = store_match(database, stored)
    assert [each.final_key for each in games_of(database, match_id)] == list(finals)
    assert ask(database, games.read_results, match_id).distinct == 3
    keys, _ = ask(database, games.read_finals, (match_id,))
    assert keys.dtype == np.uint64
    assert keys.tolist() == [[5, 0], [5, 1], [5, 2**63], [5, 0], [5, 1]]


def test_a_decided_match_ends_and_the_others_continue(database: Database) -> None:
    job_id, match_id = job_with_match(database, terms(games=20), 4)
    other = must_take(database)
    working = must_take(database)
    assert (other.payload, working.payload) == ({"other": True}, {"part": 0})
    do(database, games.add_games, match_id, [game(number) for number in range(15)])
    assert do(database, games.end_early, match_id, games=12, verdict="H1")
    assert [each.number for each in games_of(database, match_id)] == list(range(12))
    decided = info(database, match_id)
    assert (decided.verdict, decided.is_finished) == ("H1", True)
    assert not finish(database, working)
    assert not do(database, games.end_early, match_id, games=3, verdict="H0")
    assert info(database, match_id).tally.games == 12
    assert decided.job_state is JobState.RUNNING
    assert finish(database, other)
    assert info(database, match_id).job_state is JobState.DONE
    assert ask(database, watching.get_job, job_id).units[UnitState.DONE] == 5


@on_sqlite
@pytest.mark.parametrize(
    ("failures", "state"), [(0, JobState.RUNNING), (MAX_ATTEMPTS, JobState.FAILED)]
)
def test_the_last_decision_ends_the_job_as_done(
    database: Database, failures: int, state: JobState
) -> None:
    _, match_id = job_with_match(database, terms(games=20), 1)
    finish(database, must_take(database))
    for _ in range(failures):
        give_up(database, must_take(database))
    assert info(database, match_id).job_state is state
    assert do(database, games.end_early, match_id, games=0, verdict="H0")
    assert info(database, match_id).job_state is JobState.DONE


@on_sqlite
def test_a_running_match_is_not_deleted(database: Database) -> None:
    job_id, match_id = job_with_match(database, terms(), 1)
    with database.write() as session, pytest.raises(JobStateError, match=f"by job {job_id}"):
        games.delete_match(session, match_id)
    with database.write() as session:
        control.cancel_job(session, job_id)
        games.add_games(session, match_id, [game(0)])
    do(database, games.delete_match, match_id)
    with database.read() as session:
        assert list(games.stream_games(session, GameFilter())) == []
        assert [each.id for each in games.list_matches(session)] == [match_id - 1]


def problems(database: Database) -> list[str]:
    return [problem.message for problem in check(database) if problem.kind == "match"]


def test_a_match_in_the_corpus_of_another_is_not_deleted(database: Database) -> None:
    older, newer = (store_match(database, [game(0)]) for _ in range(2))
    user = store_match(database, [game(0)], corpus=(older, newer))
    store_match(database, [game(0)], player_a='exec:echo "corpus":[1]')
    with (
        database.write() as session,
        pytest.raises(MatchInUseError, match=f"match {older} .* match {user} look"),
    ):
        games.delete_match(session, older)
    assert len(ask(database, games.read_finals, (older, newer))[0]) == 2
    for match_id in (user, newer, older):
        do(database, games.delete_match, match_id)
    with database.read() as session, pytest.raises(MatchNotFoundError, match=f"match {older}"):
        games.read_finals(session, (older, newer))
