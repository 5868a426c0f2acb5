"""Matches and games are read as they were written, on every board and for all values."""

import json

from hypothesis import given, settings, strategies as st

from c4core.arena.game import Ending, TimeControl
from c4core.arena.statistics import Sprt
from c4core.notation import BoardSize
from c4core.position import Position
from db import games
from db.database import Database
from db.records.games import StoredGame
from db.records.matches import MatchTerms, Seats
from tests.support.boards.matches import games_of, terms
from tests.support.running.databases import clear
from workers.match.table import side_of_a
from workers.match.units import Trial

WORDS = st.integers(0, 2**64 - 1)
SECONDS = st.floats(min_value=1e-6, max_value=1e6)
BOARDS = st.sampled_from([BoardSize(7, 6), BoardSize(8, 7), BoardSize(5, 4), BoardSize(12, 4)])

CONTROLS = st.builds(
    TimeControl, move=st.none() | SECONDS, game=SECONDS, grace=st.floats(min_value=0, max_value=9)
) | st.just(TimeControl())
SPRTS = st.builds(
    Sprt,
    elo0=st.floats(-100, 0),
    elo1=st.floats(1, 100),
    alpha=st.floats(0.001, 0.4),
    beta=st.floats(0.001, 0.4),
)
TERMS = st.builds(
    MatchTerms,
    player_a=st.text(min_size=1),
    player_b=st.text(min_size=1),
    games=st.integers(1, 10**8),
    seats=st.sampled_from(Seats),
    seed=WORDS,
    start=BOARDS.map(lambda board: Position("12", board=board)),
    time_control=CONTROLS,
    lenient=st.booleans(),
    sprt=st.none() | SPRTS,
    corpus=st.lists(st.integers(1, 99)).map(tuple),
)

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
"""Any text that PostgreSQL can store."""
GAMES = st.builds(
    StoredGame,
    number=st.integers(0, 2**31 - 1),
    a_side=st.sampled_from("xo"),
    seed=st.none() | WORDS,
    moves=st.none() | st.text("1234567", max_size=42),
    final_key=WORDS,
    length=st.integers(0, 64),
    winner=st.sampled_from(["x", "o", None]),
    ending=st.sampled_from([ending.value for ending in Ending]),
    detail=TEXT,
    x_seconds=st.floats(0, 1e9),
    o_seconds=st.floats(0, 1e9),
    replaced=st.lists(st.integers(0, 64)).map(tuple),
)


@given(TERMS)
def test_terms_round_trip_through_json(asked: MatchTerms) -> None:
    written = json.loads(json.dumps(asked.as_json()))
    again = MatchTerms.from_json(written)
    assert again == asked
    assert list(written) == list(asked.as_json())
    # Both sets of terms give the players the same sides.
    assert [side_of_a(again, n) for n in range(9)] == [side_of_a(asked, n) for n in range(9)]


def test_games_are_read_as_they_were_stored(database: Database) -> None:
    @settings(max_examples=40)
    @given(st.lists(GAMES, max_size=5, unique_by=lambda game: game.number))
    def check(stored: list[StoredGame]) -> None:
        clear(database)
        with database.write() as session:
            match_id = games.create_match(session, terms())
            games.add_games(session, match_id, stored)
        expected = sorted(stored, key=lambda game: game.number)
        found = games_of(database, match_id)
        assert found == [game._replace(match_id=match_id) for game in expected]
        with database.read() as session:
            results = games.read_results(session, match_id)
            tally = games.get_match(session, match_id).tally
        ended = [game for game in expected if game.ending != Ending.UNFINISHED.value]
        assert results.a_result.tolist() == [game.a_result for game in ended]
        assert results.is_forfeit.tolist() == [game.is_forfeit for game in ended]
        different = {game.final_key if game.moves is None else game.moves for game in ended}
        assert results.distinct == len(different)
        assert tally.a.wins == sum(game.a_result == 1 for game in ended)
        assert tally.x.wins == sum(game.winner == "x" for game in ended)
        assert tally.games == len(ended)

    check()


@given(
    st.lists(st.sampled_from([1, 0, -1]), max_size=300), st.integers(0, 300), st.integers(20, 300)
)
def test_later_games_do_not_change_a_decision(results: list[int], cut: int, elo: int) -> None:
    test = Sprt(0, float(elo))
    whole, part = Trial(test), Trial(test)
    whole.go_on(results)
    part.go_on(results[:cut])
    if part.verdict is not None:
        assert (whole.games, whole.verdict) == (part.games, part.verdict)
    elif whole.verdict is not None:
        assert whole.games > cut
    # Fed in two parts or in one, the same game decides.
    part.go_on(results[part.games :])
    assert (whole.games, whole.verdict) == (part.games, part.verdict)
