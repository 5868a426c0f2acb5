"""``c4 games``: stored games are shown and exported, and imports store the same games."""

import csv
import io
import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from tests.support.running.command_line import C4

# A game and its mirror image, and the same grid by another order of moves.
GAME, MIRRORED, OTHER_ORDER = "4141474", "4747414", "4147414"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """A match of 30 games on 7x6, and one of 12 on 5x4. Tests do not change it."""
    c4 = C4(tmp_path_factory.mktemp("games"))
    options = ("--judge", "none", "-q")
    assert c4("match", "set", "random", "--swap", "--games", "30", *options).code == 0
    assert c4("match", "greedy", "random", "--board", "5x4", "--games", "12", *options).code == 0
    return c4


def lines(*games: dict[str, Any] | str) -> str:
    return "".join(
        json.dumps({"moves": game} if isinstance(game, str) else game) + "\n" for game in games
    )


class TestLooking:
    def test_matches(self, played: C4) -> None:
        rows = json.loads(played("games", "matches", "--json").out)
        assert [row["match"] for row in rows] == [2, 1]
        assert [row["played"] for row in rows] == [12, 30]
        assert {row["state"] for row in rows} == {"done"}
        older = json.loads(played("games", "matches", "--before", "2", "--json").out)
        assert [row["match"] for row in older] == [1]

    def test_empty_databases_have_no_games(self, c4: C4) -> None:
        assert c4("db", "init").code == 0
        assert "No matches." in c4("games", "matches").err
        assert "No such games." in c4("games", "list").err

    def test_list_and_pages(self, played: C4) -> None:
        everything = played("games", "list", "--jsonl").objects
        assert [(row["match"], row["number"]) for row in everything] == [
            *((1, number) for number in range(30)),
            *((2, number) for number in range(12)),
        ]
        joined, cursor = [], "0:0"
        while len(joined) < len(everything):
            page = played("games", "list", "--jsonl", "--limit", "16", "--after", cursor)
            joined += page.objects
            if "--after" not in page.err:
                break
            cursor = page.err.split()[-1]
        assert joined == everything

    @pytest.mark.parametrize(
        ("conditions", "check"),
        [
            (["--winner", "o"], lambda row: row["winner"] == "o"),
            (["--winner", "none"], lambda row: row["winner"] is None),
            (["--length", "..12"], lambda row: row["length"] <= 12),
            (["--length", "12..20"], lambda row: 12 <= row["length"] <= 20),
            (["--ending", "full"], lambda row: row["ending"] == "full"),
            (["--board", "5x4"], lambda row: row["board"] == "5x4"),
            (["2"], lambda row: row["match"] == 2),
        ],
    )
    def test_filters_select_games(self, played: C4, conditions: list[str], check: Any) -> None:  # noqa: ANN401
        everything = played("games", "list", "--jsonl").objects
        found = played("games", "list", "--jsonl", *conditions).objects
        assert found == [row for row in everything if check(row)]
        assert len(found) < len(everything)

    def test_formats_agree(self, played: C4) -> None:
        rows = list(csv.DictReader(io.StringIO(played("games", "list", "1", "--csv").out)))
        array = json.loads(played("games", "list", "1", "--json").out)
        assert [row["moves"] for row in rows] == [row["moves"] for row in array]
        people = played("games", "list", "1").out.splitlines()
        assert people[1].split() == [
            "1:0", array[0]["winner"], "four", str(array[0]["length"]), array[0]["moves"],
        ]  # fmt: skip

    def test_show(self, played: C4) -> None:
        stored = json.loads(played("games", "list", "1", "--limit", "1", "--json").out)[0]
        boards = played("games", "show", "1:0", "--boards").out
        assert f"{stored['length']}. " in boards
        assert json.loads(played("games", "show", "1:0", "--json").out)["moves"] == stored["moves"]

    def test_show_judges_moves(self, played: C4) -> None:
        assert played("games", "report", "2", "--judge", "3", "-q").code == 0
        judged = json.loads(played("games", "show", "2:1", "--json").out)["judged"]
        assert None not in judged
        assert all(move["score"] <= move["best"] for move in judged)
        text = played("games", "show", "2:1").out
        assert "move  side  column  score  best" in text
        blundered = any(move["blunder"] for move in judged)
        assert ("??" in text) == blundered

    def test_replay(self, played: C4) -> None:
        done = played("games", "replay", "1:0", "1:7", "2:3")
        assert done.code == 0
        assert done.out == "1:0: the same\n1:7: the same\n2:3: the same\n"
        assert played("games", "replay", "1:0", "1:0").out == "1:0: the same\n"


def test_the_report_names_unfinished_games(c4: C4) -> None:
    text = lines(GAME, {"moves": "44", "ending": "unfinished", "winner": None})
    assert c4("games", "import", "-", "-q", stdin=text).code == 0
    report = c4("games", "report", "1").out
    assert "1 imported, 1 of them different, 1 unfinished is not counted" in report


class TestExchange:
    def test_json_lines_round_trip(self, played: C4, c4: C4) -> None:
        text = played("games", "export").out
        (c4.directory / "games.jsonl").write_text(text)
        done = c4("games", "import", "games.jsonl")
        assert done.code == 0
        assert "42 games stored as matches 1, 2" in done.err
        again = c4("games", "export").out
        strip = ("match", "number")
        for old, new in zip(text.splitlines(), again.splitlines(), strict=True):
            before, after = json.loads(old), json.loads(new)
            assert {k: v for k, v in before.items() if k not in strip} == {
                k: v for k, v in after.items() if k not in strip
            }

    def test_imported_games_can_be_replayed(self, played: C4, c4: C4) -> None:
        text = played("games", "export", "1").out
        assert c4("games", "import", "-", stdin=text).code == 0
        assert c4("games", "replay", "1:5").out == "1:5: the same\n"
        report = json.loads(c4("games", "report", "1", "--json").out)
        assert report["origin"] == "imported"
        assert report["games"] == 30
        assert (report["a"]["as_x"]["wins"] + report["a"]["as_x"]["losses"]) > 0

    def test_grids_round_trip(self, played: C4, c4: C4) -> None:
        text = played("games", "export", "--format", "csv").out
        rows = text.splitlines()
        assert len(rows) == 31  # the games on 5x4 are left out
        assert rows[0].startswith("pos_01,pos_02,")
        (c4.directory / "games.csv").write_text(text)
        assert c4("games", "import", "games.csv").code == 0
        assert c4("games", "export", "--format", "csv").out == text
        small = played("games", "export", "--format", "csv", "--board", "5x4").out
        assert (
            c4("games", "import", "-", "--format", "csv", "--board", "5x4", stdin=small).code == 0
        )
        assert c4("games", "show", "1:0").out.count("(unknown)") == 1
        assert "its seed is not known" in c4("games", "replay", "1:0").err

    def test_a_file_is_written_completely(self, played: C4) -> None:
        assert played("games", "export", "-o", "out.jsonl").out == ""
        assert len((played.directory / "out.jsonl").read_text().splitlines()) == 42

    def test_the_extension_of_the_file_sets_the_format(self, c4: C4) -> None:
        assert c4("games", "import", "-", "-q", stdin=lines(GAME)).code == 0
        assert c4("games", "export", "-o", "out.csv").code == 0
        text = (c4.directory / "out.csv").read_text()
        assert text == c4("games", "export", "--format", "csv").out

    @pytest.mark.parametrize(
        ("options", "left"),
        [
            ([], 5),
            (["--distinct", "moves"], 3),
            (["--distinct", "moves", "--mirrors"], 2),
            (["--distinct", "grids"], 2),
            (["--distinct", "grids", "--mirrors"], 1),
        ],
    )
    def test_repeats_are_left_out(self, c4: C4, options: list[str], left: int) -> None:
        text = lines(GAME, MIRRORED, GAME, OTHER_ORDER, MIRRORED)
        done = c4("games", "import", "-", "--json", *options, stdin=text)
        summary = json.loads(done.out)
        assert (summary["games"], summary["repeated"]) == (left, 5 - left)
        assert c4("games", "import", "-", "-q", stdin=text).code == 0
        assert len(c4("games", "export", "2", *options).objects) == left

    def test_stored_games_are_left_out(self, c4: C4) -> None:
        assert c4("games", "import", "-", stdin=lines(GAME)).code == 0
        text = lines(GAME, MIRRORED)
        new = ("games", "import", "-", "--distinct", "moves", "--new", "--json")
        assert json.loads(c4(*new, stdin=text).out)["games"] == 1
        summary = json.loads(c4(*new, stdin=text).out)
        assert (summary["games"], summary["matches"], summary["repeated"]) == (0, [], 2)

    def test_bad_lines_are_reported_and_nothing_is_stored(self, c4: C4) -> None:
        assert c4("db", "init").code == 0
        text = lines(GAME, "4148") + "nonsense\n" + lines("41")
        done = c4("games", "import", "-", stdin=text)
        assert done.code == 1
        assert "standard input, line 2: move 4" in done.err
        assert "line 3: not a JSON object" in done.err
        assert "line 4: the game is not over" in done.err
        assert "3 bad lines: nothing was imported" in done.err
        assert c4("games", "matches", "--json").out == "[]\n"
        done = c4("games", "import", "-", "--skip-bad", stdin=text)
        assert done.code == 1
        assert "1 game stored as match 1, 3 bad lines left out" in done.err

    def test_lines_that_cannot_be_stored_are_reported(self, c4: C4) -> None:
        bad = [
            {"moves": GAME, "x_seconds": int("9" * 401)},
            {"moves": GAME, "first": "\ud800"},
            {"moves": GAME, "replaced": [True]},
        ]
        done = c4("games", "import", "-", "--skip-bad", stdin=lines(GAME, *bad, GAME))
        assert done.code == 1
        for number, words in ((2, "x_seconds 999"), (3, "first '\\ud800' has"), (4, "move True")):
            assert f"line {number}: " in done.err
            assert words in done.err
        assert "2 games stored as match 1, 3 bad lines left out" in done.err

    def test_games_of_several_players_become_several_matches(self, c4: C4) -> None:
        text = lines(
            {"moves": GAME, "first": "me", "second": "you"},
            {"moves": GAME, "first": "you", "second": "me"},
            {"moves": GAME, "first": "me", "second": "she"},
            {"moves": GAME},
            {"moves": MIRRORED, "start": None, "board": "7x6"},
        )
        assert c4("games", "import", "-", "--label", "club", stdin=text).code == 0
        rows = json.loads(c4("games", "matches", "--json").out)
        assert [(row["a"], row["b"], row["played"]) for row in rows[::-1]] == [
            ("me", "you", 2),
            ("me", "she", 1),
            ("?", "?", 2),
        ]
        assert {row["label"] for row in rows} == {"club"}
        both = json.loads(c4("games", "report", "1", "--json").out)
        assert (both["a"]["as_x"]["wins"], both["a"]["as_o"]["losses"]) == (1, 1)

    def test_forfeits_have_no_grid(self, c4: C4) -> None:
        lost = {"moves": "41", "winner": "o", "ending": "time", "detail": "slow"}
        assert c4("games", "import", "-", stdin=lines(GAME, lost)).code == 0
        done = c4("games", "export", "--format", "csv")
        assert len(done.out.splitlines()) == 2
        assert "1 game without an end on the board left out" in done.err
        assert c4("games", "export").objects[1]["detail"] == "slow"


def test_matches_named_twice_are_deleted_once(c4: C4) -> None:
    assert c4("games", "import", "-", stdin=lines(GAME)).code == 0
    done = c4("games", "delete", "1", "1")
    assert (done.code, done.err) == (0, "match 1 deleted, with 1 game\n")
    assert c4("games", "list", "1").code == 2


def test_a_player_uses_stored_games(played: C4) -> None:
    """database-montecarlo uses the games of a match."""
    done = played(
        "match", "database-montecarlo:min_games=1,playouts=20", "random", "--corpus", "1",
        "--games", "4", "--judge", "none", "--json",
    )  # fmt: skip
    assert done.code == 0
    report = json.loads(done.out)
    assert report["terms"]["corpus"] == [1]
    assert report["games"] == 4


def test_games_in_a_corpus_are_not_deleted(c4: C4) -> None:
    options = ("--games", "2", "--judge", "none", "-q")
    assert c4("match", "set", "random", *options).code == 0
    looks = "database-montecarlo:min_games=1,playouts=5"
    assert c4("match", looks, "random", "--corpus", "1", *options).code == 0
    refused = c4("games", "delete", "1")
    assert refused.code == 1
    assert "players of match 2 look up its games; delete that match first" in refused.err
    assert c4("games", "delete", "1", "2", "-q").code == 0


def test_a_match_with_an_invalid_test_is_reported_without_it(c4: C4) -> None:
    options = ("--games", "6", "--sprt", "0..20", "--judge", "none", "-q")
    assert c4("match", "set", "random", *options).code == 0
    with closing(sqlite3.connect(c4.directory / "test.db")) as database, database:
        (text,) = database.execute("SELECT terms FROM matches").fetchone()
        terms = json.loads(text)
        del terms["#"]  # the seal
        terms["sprt"]["elo1"] = terms["sprt"]["elo0"]
        database.execute("UPDATE matches SET terms = ?", [json.dumps(terms)])
    report = json.loads(c4("games", "report", "1", "--json").out)
    assert (report["games"], report["sprt"]) == (6, None)
    assert "SPRT" not in c4("games", "report", "1").out
    assert len(c4("games", "matches", "--jsonl").objects) == 1
