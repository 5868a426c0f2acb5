"""``/api/v1/games`` and ``/api/v1/matches``: lists, pages, reports."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from c4core.arena.file_formats import json_object
from c4core.arena.judging import positions_of
from c4core.arena.statistics import Sprt, wilson_interval
from c4core.notation import BoardSize, parse_moves
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from db.games import create_match
from db.integrity.rows import match_faults
from db.records.matches import Seats
from tests.support.boards.finished_games import finished_games
from tests.support.boards.matches import play, store_match, terms
from tests.support.web_api import Api, serving
from web.api.games import LABEL, LARGEST_NUMBER
from workers.answers.find import evaluate
from workers.answers.question import Question
from workers.match.files import game_of, import_games
from workers.match.judging import Judging, read_report
from workers.match.report import match_object
from workers.match.reviews import read_game

GAMES = "/api/v1/games"
MATCHES = "/api/v1/matches"
SMALL = BoardSize(4, 4)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Matches: a played one, one with a test, an import with a start, and an unplayed one."""
    url = str(tmp_path_factory.mktemp("stored") / "c4.db")
    start = Position("11", width=4, height=4)
    entries = finished_games(5, board=SMALL, start=start)
    with Database.open(url) as database:
        play(database, terms(games=12, seats=Seats.ALTERNATE))
        play(database, terms(games=6, sprt=Sprt(0, 100)))
        games = [game_of(replace_moves(entry), player_a=None) for entry in entries]
        import_games(database, games, start=start, label="some file")
        store_match(database, [])
    return url


def replace_moves(entry: Any) -> Any:  # noqa: ANN401
    """Keep only the final grid of some games."""
    return entry._replace(moves=None) if entry.winner is None else entry


@pytest.fixture(scope="module")
def api(stored: str) -> Iterator[Api]:
    with serving(database_url=stored) as found:
        yield found


def all_games(api: Api, limit: int = 4, **query: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, object] = {}
    while True:
        page = api.get(GAMES, limit=limit, **query, **cursor)
        found += page["games"]
        if page["next"] is None:
            return found
        assert len(page["games"]) == limit
        cursor = {"cursor": page["next"]}


def test_pages_contain_every_game_once(api: Api, stored: str) -> None:
    found = all_games(api)
    places = [(game["match"], game["number"]) for game in found]
    assert places == sorted(set(places))
    assert len(places) == 12 + 6 + 5
    assert found == all_games(api, 500)
    with Database.open(stored) as database:
        for game in found:
            entry = read_game(database, game["match"], game["number"])
            assert game["length"] == entry.final.ply - entry.start.ply
            for name, value in json_object(entry).items():
                assert game[name] == (str(value) if name in ("seed", "start", "final") else value)
    for game in found:
        assert api.get(f"{GAMES}/{game['match']}/{game['number']}") == game


def test_a_game_states_its_start_position(api: Api) -> None:
    games = all_games(api, match=3)
    assert {game["start_grid"] for game in games} == {str(Position("11", width=4, height=4))}
    for game in games:
        assert ("final_grid" in game) == ("moves" not in game)


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ({"match": 2}, lambda game: game["match"] == 2),
        ({"board": "4x4"}, lambda game: game["board"] == "4x4"),
        ({"winner": "x"}, lambda game: game["winner"] == "x"),
        ({"winner": "o", "match": 1}, lambda game: game["winner"] == "o" and game["match"] == 1),
        ({"winner": "draw"}, lambda game: game["winner"] is None),
        ({"ending": "four"}, lambda game: game["ending"] == "four"),
        ({"ending": "crash"}, lambda game: game["ending"] == "crash"),
    ],
)
def test_filters_select_the_matching_games(api: Api, query: dict[str, Any], holds: Any) -> None:  # noqa: ANN401
    assert all_games(api, **query) == [game for game in all_games(api, 500) if holds(game)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 501}, "limit"),
        ({"match": -1}, "match"),
        ({"ending": "four\0"}, "ending"),
        ({"cursor": "1"}, "cursor"),
        ({"cursor": "1:9999999999"}, "cursor"),
        ({"cursor": "-1:1"}, "cursor"),
        ({"board": "64x1000"}, "board"),
        ({"player": "set"}, "player"),
    ],
)
def test_bad_queries_are_refused(api: Api, query: dict[str, Any], field: str) -> None:
    assert api.refused(GAMES, **query) == (400, field)


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        (f"{GAMES}/1/12", (404, None)),
        (f"{GAMES}/9/0", (404, None)),
        (f"{GAMES}/{10**30}/0", (400, "match")),
        (f"{GAMES}/1/-1", (400, "number")),
        (f"{GAMES}/1/x", (400, "number")),
        (f"{GAMES}?match=9", (404, None)),
        (f"{MATCHES}/9", (404, None)),
        (f"{MATCHES}/{1 << 40}", (400, "id")),
        (f"{MATCHES}/1?judge=many", (400, "judge")),
        (f"{MATCHES}?cursor=x", (400, "cursor")),
        (f"{MATCHES}?limit=0", (400, "limit")),
    ],
)
def test_missing_numbers_are_reported(api: Api, path: str, refusal: tuple[int, str | None]) -> None:
    response = api.client.get(path)
    assert (response.status_code, response.json()["field"]) == refusal


def test_the_list_of_matches(api: Api) -> None:
    found = api.get(MATCHES)["matches"]
    assert [match["match"] for match in found] == [4, 3, 2, 1]
    assert [match["state"] for match in found] == ["unfinished", "imported", "done", "done"]
    assert [match["games"] for match in found] == [0, 5, 6, 12]
    assert found[1]["label"] == "some file"
    for match in found:
        assert (match["a"]["wins"], match["a"]["draws"]) == (
            match["b"]["losses"],
            match["b"]["draws"],
        )
    first = api.get(MATCHES, limit=3)
    assert (first["matches"], first["next"]) == (found[:3], "2")
    assert api.get(MATCHES, limit=3, cursor=2) == {"matches": found[3:], "next": None}


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_reports_of_matches(api: Api, stored: str, number: int) -> None:
    report = api.get(f"{MATCHES}/{number}", judge=0)
    with Database.open(stored) as database:
        expected = read_report(database, number, Judging(games=0, least_ply=None))
    course = report.pop("course")
    assert report == match_object(expected)
    assert len(course["games"]) == report["games"]
    if report["games"]:
        last = [course[name][-1] for name in ("wins", "losses", "draws")]
        assert last == [report["a"][name] for name in ("wins", "losses", "draws")]
    for won, lost, low, high in zip(
        *(course[name] for name in ("wins", "losses", "low", "high")), strict=True
    ):
        interval = wilson_interval(won, won + lost)
        assert (low, high) == ((None, None) if interval is None else (interval.low, interval.high))


def test_a_report_judges_by_stored_scores(api: Api, stored: str) -> None:
    """The report does not search."""
    assert api.get(f"{MATCHES}/3")["judged_games"] == 0
    with Database.open(stored) as database:
        decisive = next(game for game in all_games(api, match=3) if "moves" in game)
        entry = read_game(database, 3, decisive["number"])
        positions = positions_of(entry.start, parse_moves(entry.moves or "", width=4))
        evaluate(positions, Question(), Solver(table_mb=1), database)
    report = api.get(f"{MATCHES}/3")
    assert report["judged_games"] > 0
    assert report["a"]["accuracy"] or report["b"]["accuracy"]
    assert api.get(f"{MATCHES}/3", judge=0)["judged_games"] == 0


def test_player_names_contain_no_directories(tmp_path: Path) -> None:
    url = str(tmp_path / "c4.db")
    player = "proof:/home/someone/mine.c4proof"
    (entry,) = finished_games(1)
    with Database.open(url) as database:
        game = game_of(entry._replace(first=player), player_a=player)
        import_games(database, [game], player_a=player)
    with serving(database_url=url) as api:
        for path in (MATCHES, f"{MATCHES}/1", GAMES, f"{GAMES}/1/0"):
            shown = json.dumps(api.get(path))
            assert "proof:mine.c4proof" in shown
            assert "someone" not in shown


def test_without_a_database_the_answer_is_503() -> None:
    with serving() as api:
        for path in (GAMES, MATCHES, f"{GAMES}/1/0", f"{MATCHES}/1"):
            assert api.refused(path) == (503, None)


def test_the_largest_numbers_on_any_database(database: Database, rows_url: str) -> None:
    """The database accepts each of these numbers in a query."""
    match = store_match(database, [])
    largest = LARGEST_NUMBER
    with serving(database_url=rows_url) as api:
        assert api.get(GAMES, match=match, cursor=f"{largest}:{largest}")["games"] == []
        assert [each["match"] for each in api.get(MATCHES, cursor=largest)["matches"]] == [match]
        for path in (f"{GAMES}/{largest}/{largest}", f"{MATCHES}/{largest}"):
            assert api.refused(path) == (404, None)
        ends = {"min_ply": 0, "max_ply": 64, "min_score": -64, "max_score": 64}
        found = api.get("/api/v1/evaluations", cursor=f"64:{(1 << 64) - 1}", limit=1_000, **ends)
        assert found == {"rows": [], "next": None}


class TestPuzzles:
    PATH = "/api/v1/puzzles"

    def test_random_play(self, api: Api) -> None:
        asked = {"board": "5x5", "count": 3, "budget": 30}
        found = api.get(self.PATH, **asked, seed=4)
        assert (len(found["puzzles"]), found["complete"]) == (3, True)
        for fields in found["puzzles"]:
            position = Position(fields["moves"], width=5, height=5)
            assert (fields["grid"], fields["key"]) == (str(position), str(position.key))
            line = parse_moves(fields["line"], width=5)
            assert (fields["solution"], fields["length"]) == (line[0] + 1, len(line))
            assert positions_of(position, line)[-1].play(line[-1]).is_over
        assert api.get(self.PATH, **asked, seed=4) == found
        assert api.get(self.PATH, **asked, seed=5) != found

    def test_stored_games(self, api: Api) -> None:
        found = api.get(self.PATH, match=1, count=20, budget=30, seed=1)
        places = [(fields["match"], fields["number"]) for fields in found["puzzles"]]
        assert {match for match, _ in places} <= {1}
        assert len(set(places)) == len(places)
        assert found["complete"]

    def test_the_budget_ends_the_search(self, api: Api) -> None:
        assert api.get(self.PATH, budget=0) == {"puzzles": [], "complete": False}

    @pytest.mark.parametrize(
        ("query", "status", "field"),
        [
            ({"count": 0}, 400, "count"),
            ({"count": 21}, 400, "count"),
            ({"seed": -1}, 400, "seed"),
            ({"board": "99x99"}, 400, "board"),
            ({"budget": 31}, 400, "budget"),
            ({"match": 1, "board": "7x6"}, 400, "board"),
            ({"match": 99}, 404, None),
        ],
    )
    def test_questions_that_are_refused(
        self, api: Api, query: dict[str, Any], status: int, field: str | None
    ) -> None:
        assert api.refused(self.PATH, **query) == (status, field)

    def test_without_a_database(self) -> None:
        with serving() as api:
            assert api.refused(self.PATH, match=1) == (503, None)


class TestStored:
    GAME: Final = {"moves": "1212121", "first": "human", "second": "random"}

    @pytest.fixture
    def api(self, tmp_path: Path) -> Iterator[Api]:
        with serving(database_url=str(tmp_path / "c4.db")) as found:
            yield found

    def test_games_of_the_same_players_are_one_match(self, api: Api) -> None:
        first = api.post(GAMES, self.GAME)
        assert (first["number"], first["winner"], first["ending"]) == (0, "x", "four")
        resigned = {"moves": "44", "winner": "x", "ending": "resigned"}
        second = api.post(GAMES, {"first": "random", "second": "human"} | resigned)
        assert (second["match"], second["number"]) == (first["match"], 1)
        others = [
            api.post(GAMES, self.GAME | {"second": "human"}),
            api.post(GAMES, {"board": "5x4", "moves": "1212121"}),
            api.post(GAMES, self.GAME | {"start": str(Position("77").key)}),
        ]
        assert len({first["match"], *(other["match"] for other in others)}) == 4
        found = api.get(GAMES, match=first["match"])["games"]
        assert [(game["number"], game["first"], game["winner"]) for game in found] == [
            (0, "human", "x"),
            (1, "random", "x"),
        ]
        report = api.get(f"{MATCHES}/{first['match']}")
        assert (report["label"], report["games"], report["finished"]) == (LABEL, 2, True)
        assert (report["a"]["wins"], report["b"]["wins"]) == (1, 1)
        assert not list(match_faults_of(api))

    def test_a_match_that_is_looked_up_gets_no_more_games(self, api: Api) -> None:
        first = api.post(GAMES, self.GAME)["match"]
        database = api.service.require_database()
        with database.write() as session:
            create_match(session, terms(corpus=(first,)))
        assert api.post(GAMES, self.GAME)["match"] != first
        assert len(api.get(GAMES, match=first)["games"]) == 1

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"moves": "12129"}, "moves"),
            ({"moves": "12"}, "ending"),
            ({"winner": "o"}, "winner"),
            ({"moves": "12", "ending": "unfinished"}, "ending"),
            ({"moves": "12", "ending": "resigned"}, "ending"),
        ],
    )
    def test_a_game_that_is_not_over_is_refused(
        self, api: Api, changes: dict[str, str], field: str
    ) -> None:
        assert api.refused(GAMES, self.GAME | changes) == (400, field)
        assert api.get(GAMES)["games"] == []

    def test_storing_needs_the_token(self, tmp_path: Path) -> None:
        url = str(tmp_path / "c4.db")
        with serving(database_url=url, token="t") as api:  # noqa: S106
            assert api.refused(GAMES, self.GAME) == (401, None)
            token = {"Authorization": "Bearer t"}
            assert api.client.post(GAMES, json=self.GAME, headers=token).status_code == 201
        with serving(database_url=url, read_only=True) as api:
            assert api.refused(GAMES, self.GAME) == (403, None)


def match_faults_of(api: Api) -> Iterator[str]:
    """The faults of matches that ``c4 db check`` would find."""
    with api.service.require_database().read() as session:
        yield from match_faults(session)
