"""Matches as jobs: terms, seats, planning, sequential tests, imports, and exact scores."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from c4core.arena.file_formats import game_of_moves
from c4core.arena.game import game_seed
from c4core.arena.statistics import Sprt
from c4core.errors import C4Error
from c4core.lines import BadLine
from c4core.players import FinalGrids, PlayerError, Resources, player_kinds
from c4core.position import Position
from c4core.proof import make
from c4core.solver import Solver
from db import evaluations, games
from db.database import Database, Session
from db.errors import StorageError
from db.models import Base
from db.records.evaluations import EvaluationFilter
from db.records.games import GameFilter, StoredGame
from db.records.matches import Origin, Seats
from tests.support.boards.matches import (
    RANDOM,
    SET,
    essence,
    game,
    games_of,
    info,
    play,
    run_job,
    store_match,
    terms,
)
from tests.support.running.databases import BOARD, ask, do, row
from workers.match import job
from workers.match.files import (
    Collection,
    game_of,
    import_games,
    import_matches,
    stream_entries,
)
from workers.match.job import job_of_matches, matches_of, settle_matches
from workers.match.judging import Judging, judged_games, judging_jobs, plan_judging, read_report
from workers.match.table import (
    MatchAnalyst,
    StopPlaying,
    Table,
    read_corpus,
    side_of_a,
)
from workers.match.terms import (
    GameImportError,
    MatchTermsError,
    complete,
    needs_this_machine,
    pairs_of,
)
from workers.match.units import Trial, settle_match

LATE = Position("44444422222266666655533")
"""A position late in a game, which the solver solves at once."""


def test_terms_are_written_out(database: Database) -> None:
    asked = complete(database, terms(player_a="set", player_b="blog-v6:depth=2"))
    assert asked.player_a == SET
    assert asked.player_b == "blog-v6:depth=2,missed_win_rounds=round3+"
    assert complete(database, asked) == asked


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"player_b": "exec:a\nb"}, "a line of text, not"),
        ({"player_a": "exec:\udcff"}, "a line of text, not"),
        ({"games": 0}, "1 to 100,000,000 games, not 0"),
        ({"seed": -1}, "not -1"),
        ({"seed": 2**64}, "not 18446744073709551616"),
        ({"start": Position(board="3x6")}, "at least 4 columns and rows, not 3x6"),
        ({"start": Position("1212121")}, "must be an open game"),
    ],
)
def test_bad_terms_are_refused(
    database: Database, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(MatchTermsError, match=message):
        complete(database, terms(**changes))


def test_refused_matches_leave_nothing_behind(database: Database) -> None:
    with pytest.raises(PlayerError, match="did you mean random"):
        job.plan_matches(database, [terms(), terms(player_b="randon")])
    with pytest.raises(MatchTermsError, match="one board, not 5x4 and 7x6"):
        job.plan_matches(database, [terms(), terms(start=Position(board="5x4"))])
    with pytest.raises(MatchTermsError, match="no match"):
        job.plan_matches(database, [])
    assert ask(database, games.list_matches) == []


def test_programs_are_distinguished_from_own_players() -> None:
    names = ["exec:sh player.sh", "python:mine:player", "perfect", "proof:7x6"]
    assert [needs_this_machine(name) for name in names] == [True, True, False, False]
    for kind in player_kinds():
        if kind.stands_alone:
            assert not needs_this_machine(kind.name)
        else:
            assert kind.cls.reads_files, kind.name


def test_seats_are_fixed_alternating_or_random() -> None:
    fixed, alternate = terms(), terms(seats=Seats.ALTERNATE)
    drawn = terms(seats=Seats.RANDOM, seed=3)
    assert {side_of_a(fixed, number) for number in range(9)} == {"x"}
    assert [side_of_a(alternate, number) for number in range(4)] == ["x", "o", "x", "o"]
    sides = [side_of_a(drawn, number) for number in range(400)]
    assert 150 < sides.count("x") < 250
    assert sides == [side_of_a(drawn, number) for number in range(400)]


def test_players_play_the_side_of_their_seat() -> None:
    with Table(terms(player_a="stupid", seats=Seats.ALTERNATE), Resources()) as table:
        for number in range(4):
            played = table.play(number)
            assert played.moves is not None
            own = played.moves[0 if played.a_side == "x" else 1 :: 2]
            assert own[0] == "1"
            assert played.seed == game_seed(0, number)


@pytest.mark.parametrize(
    ("number", "seconds", "sizes"),
    [
        (10, 100.0, [1] * 10),
        (10, 1.5, [1] * 10),
        (320, 0.1, [10] * 32),
        (100, 0.01, [5] * 20),
        (10, 1e-5, [10]),
        (300_000, 1e-4, [2000] * 150),
        (45, 0.0, [45]),
        (1000, 1.0, [2] * 500),
    ],
)
def test_unit_sizes_follow_from_the_cost(number: int, seconds: float, sizes: list[int]) -> None:
    units = list(job._units(terms(games=number), seconds, job.LEAST_UNITS))
    assert [unit.payload["count"] for unit in units] == sizes
    assert [unit.payload["first"] for unit in units] == [
        sum(sizes[:index]) for index in range(len(sizes))
    ]
    assert sum(unit.positions for unit in units) == number
    # The matches of a tournament share the number of units, except for sequential tests.
    assert len(list(job._units(terms(games=100), 0.01, 1))) == 1
    tested = terms(games=3200, sprt=Sprt())
    assert len(list(job._units(tested, 0.01, 1))) == job.LEAST_UNITS


def test_the_cost_is_measured() -> None:
    timed = "montecarlo-timed:time_ms=60"
    quick = min(job.probe(terms(player_a=SET, player_b=SET)) for _ in range(3))
    slow = job.probe(terms(player_a=timed, player_b=timed))
    assert 1e-7 < quick < slow
    assert slow > 0.05


def test_a_player_that_fails_before_its_first_move_has_a_cost(tmp_path: Path) -> None:
    start = Position(board="4x4")
    proof = tmp_path / "x.c4proof"
    proof.write_bytes(make(start, at_least=0))  # it does not say how o should play
    asked = terms(player_a=f"proof:{proof}", player_b=f"proof:{proof}", start=start)
    assert job.probe(asked) > 0


def test_the_cost_comes_from_earlier_games(database: Database) -> None:
    asked = complete(database, terms(player_a="random", player_b="stupid"))
    assert job.MoveTimes(database).seconds_per_game(asked) < 60
    stored = [
        game(number, length=20, a_side="xo"[number % 2], x_seconds=2.0, o_seconds=1.0)
        for number in range(10)
    ]
    store_match(database, stored, player_a="stupid", player_b="set")
    store_match(database, stored, player_a="set", player_b="random")
    store_match(database, [], player_a="random", player_b="stupid")
    store_match(database, stored, player_a="random", start=Position(board="5x4"))
    # Every player's moves took 0.15 s; a game has 29.4 of them.
    assert job.MoveTimes(database).seconds_per_game(asked) == pytest.approx(0.15 * 0.7 * 42)


def test_the_pace_counts_one_players_moves(database: Database) -> None:
    stored = [game(0, x_seconds=7.0), game(1, a_side="o", x_seconds=5.0, o_seconds=3.5)]
    store_match(database, stored, player_a="a", player_b="b")
    paces = [ask(database, games.read_pace, BOARD, player) for player in "abc"]
    assert paces == [(7.0, 10.5), (7.0, 5.0), (0.0, 0.0)]


def test_the_cost_of_some_players_is_not_measured(database: Database) -> None:
    for player, seconds in (("perfect", 0.03), ("exec:sh no-such-file", 0.05)):
        asked = complete(database, terms(player_a=player, player_b=player))
        expected = seconds * 0.7 * 42
        assert job.MoveTimes(database).seconds_per_game(asked) == pytest.approx(expected)


def decide(test: Sprt, outcomes: str) -> tuple[int, str] | None:
    """The number of games until a test is decided, and the accepted hypothesis."""
    trial = Trial(test)
    verdict = trial.go_on({"+": 1, "=": 0, "-": -1}[outcome] for outcome in outcomes)
    return None if verdict is None else (trial.games, verdict)


def test_a_few_games_decide_nothing() -> None:
    test = Sprt(0, 20)
    assert decide(test, "+" * 52) is None
    assert decide(test, "+" * 200) == (53, "H1")
    assert decide(test, "-" * 200) == (50, "H0")
    assert decide(test, "") is None
    number, verdict = decide(Sprt(0, 100), "+=" * 100) or (0, "")
    assert verdict == "H1"
    assert number < 200


def test_every_game_is_counted_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    read = games.results_in_order

    def noted(session: Session, match_id: int, first: int) -> Iterator[int]:
        for number, result in enumerate(read(session, match_id, first), start=first):
            looked_at.append(number)
            yield result

    monkeypatch.setattr(games, "results_in_order", noted)
    match_id = store_match(database, [], sprt=Sprt(-1, 1, 0.0001, 0.0001))
    for first in (30, 0, 60, 90):  # the first two out of order
        found = [game(number) for number in range(first, first + 30)]
        do(database, games.add_games, match_id, found)
        assert settle_match(database, match_id) is None
    assert looked_at == list(range(120))


def test_an_import_is_a_separate_match(database: Database) -> None:
    source = (game(seed=None) for _ in range(2500))
    summary = import_games(database, source, label="games.csv")
    assert summary.games == 2500
    found = info(database, summary.match_id)
    assert (found.origin, found.label, found.job_id) == (Origin.IMPORTED, "games.csv", None)
    assert (found.tally.games, found.terms.games, found.is_finished) == (2500, 2500, True)
    assert [each.number for each in games_of(database, summary.match_id)] == list(range(2500))


def test_a_failed_import_leaves_nothing(database: Database) -> None:
    def broken() -> Iterator[StoredGame]:
        yield from (game() for _ in range(2500))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_games(database, broken())
    with pytest.raises(GameImportError, match="no games"):
        import_games(database, [])
    assert ask(database, games.list_matches) == []
    assert ask(database, games.list_games, GameFilter()).games == ()


def test_scores_are_searched_once(database: Database) -> None:
    scores = (1, 2, 3, 4, 3, 2, 1)
    known = row(Position("4").canonical_key, ply=1, lower=4, upper=4, scores=scores)
    do(database, evaluations.store, BOARD, [known])
    analyst = MatchAnalyst(database, Solver(table_mb=1), lambda: False)
    assert analyst.analyze(Position("4")).scores == scores
    assert (analyst.nodes, analyst.learned) == (0, [])
    found = analyst.analyze(LATE)
    nodes = analyst.nodes
    assert found.scores == Solver(table_mb=1).analyze(LATE).scores
    assert [each.key for each in analyst.learned] == [LATE.canonical_key]
    assert analyst.analyze(LATE.mirrored()).scores == found.scores[::-1]
    assert analyst.nodes == nodes
    assert analyst.analyze(Position(), time_limit=0.02).scores == (None,) * 7


def test_an_interrupted_search_gives_no_move(database: Database) -> None:
    analyst = MatchAnalyst(database, Solver(table_mb=1), lambda: True)
    with pytest.raises(StopPlaying) as caught:
        analyst.analyze(Position())
    assert caught.value.error is None


def test_an_unreachable_database_is_not_a_players_failure(sqlite: Database) -> None:
    with sqlite.write() as session:
        Base.metadata.tables["evaluations"].drop(session.connection())
    analyst = MatchAnalyst(sqlite, Solver(table_mb=1), lambda: False)
    asked = terms(player_a="perfect", start=LATE)
    with Table(asked, Resources(analyst)) as table, pytest.raises(StopPlaying) as caught:
        table.play(0)
    assert isinstance(caught.value.error, StorageError)


def test_a_corpus_has_the_games_of_its_matches(database: Database) -> None:
    stored = [
        game_of(game_of_moves(each.moves or "", BOARD), player_a=None) for each in played_games()
    ]
    first = import_games(database, stored[:30]).match_id
    second = import_games(database, stored[30:]).match_id
    corpus = read_corpus(database, BOARD, (first, second))
    finals = FinalGrids.from_positions(Position(each.moves or "") for each in stored)
    assert len(corpus) == len(finals) == len(stored)
    for moves in ("", "4", "43", "4455"):
        assert corpus.tally(Position(moves)) == finals.tally(Position(moves))
    assert read_corpus(database, BOARD, (first, second)) is corpus


def played_games() -> list[StoredGame]:
    with Table(terms(player_b=SET), Resources()) as table:
        return [table.play(number) for number in range(50)]


def test_players_use_finished_matches(database: Database) -> None:
    imported = import_games(database, played_games()).match_id
    looks = "database-montecarlo:min_games=1,playouts=10"
    asked = complete(database, terms(player_a=looks))
    assert asked.corpus == (imported,)
    assert complete(database, terms()).corpus == ()
    assert complete(database, terms(corpus=(imported,))).corpus == ()
    other = import_games(database, played_games()).match_id
    some = terms(player_a=looks, corpus=(other, imported, other))
    assert complete(database, some).corpus == (imported, other)
    with pytest.raises(MatchTermsError, match="match 1000000 is not a finished match on 7x6"):
        complete(database, terms(player_a=looks, corpus=(imported, 1_000_000)))
    match = play(database, asked)
    assert match.tally.games == 10
    # It uses the games of the corpus only: later games change nothing.
    import_games(database, (each._replace(winner="o") for each in played_games()))
    again = play(database, asked)
    assert essence(games_of(database, again.id)) == essence(games_of(database, match.id))


def test_games_are_judged_by_exact_scores(database: Database) -> None:
    asked = terms(player_a="perfect", start=LATE, games=6, seats=Seats.ALTERNATE)
    match = play(database, asked)
    # The scores that the players requested are stored.
    assert ask(database, evaluations.count, EvaluationFilter(board=BOARD)) > 0
    again = play(database, asked)
    assert essence(games_of(database, again.id)) == essence(games_of(database, match.id))
    job = plan_judging(database, [match.id])
    if job is not None:
        run_job(database, job.job_id)
    assert plan_judging(database, [match.id]) is None
    judged = list(judged_games(database, match.id))
    assert [each.game for each in judged] == games_of(database, match.id)
    solver = Solver(table_mb=1)
    for each in judged:
        position = asked.start
        assert len(each.moves) == each.game.length
        for move in each.moves:
            assert move is not None
            found = solver.analyze(position)
            assert (move.ply, move.side) == (position.ply, position.turn)
            assert (move.best, move.played) == (found.score, found.scores[move.column])
            if move.side == each.game.a_side:
                assert move.is_best
            position = position.play(move.column)


def test_only_moves_with_known_scores_are_judged(database: Database) -> None:
    match_id = store_match(database, [game(0), game(1, moves=None)])
    judged = list(judged_games(database, match_id))
    assert [each.moves for each in judged] == [(None,) * 7, ()]
    assert len(list(judged_games(database, match_id, games=1))) == 1
    for options, positions in (({"games": 1}, 7), ({"least_ply": 5}, 2)):
        submitted = plan_judging(database, [match_id], **options)
        assert submitted is not None
        assert submitted.positions == positions
    assert plan_judging(database, [match_id], least_ply=7) is None
    other = store_match(database, [], start=Position(board="5x4"))
    with pytest.raises(ValueError, match="different boards: 5x4, 7x6"):
        plan_judging(database, [match_id, other])


def test_matches_are_played_and_reported(database: Database) -> None:
    asked = [terms(player_a=a, player_b=b, games=4) for a, b in pairs_of([SET, RANDOM, "stupid"])]
    job_id = job_of_matches(database, asked, label="three")
    assert job_of_matches(database, asked) == job_id
    assert job_of_matches(database, asked, fresh=True) != job_id
    run_job(database, job_id)
    matches = matches_of(database, job_id)
    settle_matches(database, matches)
    judging = Judging(games=2, least_ply=30)
    for planned in judging_jobs(database, matches, judging):
        if planned is not None:
            run_job(database, planned.job_id)
    assert list(judging_jobs(database, matches, judging)) == [None]
    reports = [read_report(database, match, judging) for match in matches]
    assert [report.games for report in reports] == [4, 4, 4]
    assert not list(judging_jobs(database, matches, Judging(games=0, least_ply=None)))


def test_games_survive_export_and_import(database: Database) -> None:
    (match,) = matches_of(database, job_id := job_of_matches(database, [terms(games=6)]))
    run_job(database, job_id)
    entries = list(stream_entries(database, GameFilter(matches=(match,))))
    found = Collection()
    found.read([*entries, BadLine(7, "no game", None, None)])
    assert (found.lines, found.bad_lines) == (7, 1)
    # Matches are stored together or not at all.
    with pytest.raises(C4Error):
        import_matches(database, [*found.matches, found.matches[0]._replace(games=[])])
    assert [each.id for each in ask(database, games.list_matches)] == [match]
    (stored,) = import_matches(database, found.matches, label="again")
    again = list(stream_entries(database, GameFilter(matches=(stored.match_id,))))
    assert [each.moves for each in again] == [each.moves for each in entries]
