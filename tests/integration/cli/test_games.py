"""``c4 games``: stored games are shown and exported, and imports store the same games."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable
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
        assert [(row["match"], row["played"]) for row in rows] == [(2, 12), (1, 30)]
        assert {row["state"] for row in rows} == {"done"}
        newest = json.loads(played("games", "matches", "--limit", "1", "--json").out)
        assert newest == rows[:1]

    def test_list_and_limit(self, played: C4) -> None:
        everything = played("games", "list", "--jsonl").objects
        assert [(row["match"], row["number"]) for row in everything] == [
            *((1, number) for number in range(30)),
            *((2, number) for number in range(12)),
        ]
        some = played("games", "list", "--jsonl", "--limit", "16")
        assert some.objects == everything[:16]
        assert "There are more than 16" in some.err

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
        assert json.loads(played("games", "show", "1:0", "--json").out)["moves"] == stored["moves"]
        assert played("games", "report", "2", "--judge", "3", "-q").code == 0
        judged = json.loads(played("games", "show", "2:1", "--json").out)["judged"]
        assert None not in judged
        assert all(move["score"] <= move["best"] for move in judged)
        text = played("games", "show", "2:1").out
        assert "move  side  column  score  best" in text
        assert ("??" in text) == any(move["blunder"] for move in judged)


class TestExchange:
    def test_json_lines_round_trip(self, played: C4, c4: C4) -> None:
        text = played("games", "export").out
        (c4.directory / "games.jsonl").write_text(text)
        done = c4("games", "import", "games.jsonl")
        assert done.code == 0
        assert "42 games stored as matches 1, 2" in done.err
        again = c4("games", "export").out
        numbers = {"match": 0, "number": 0}
        for old, new in zip(text.splitlines(), again.splitlines(), strict=True):
            assert json.loads(old) | numbers == json.loads(new) | numbers
        report = json.loads(c4("games", "report", "1", "--json").out)
        assert (report["origin"], report["games"]) == ("imported", 30)
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

    def test_lines_that_cannot_be_stored_are_reported(
        self, c4: C4, dialogue: Callable[..., None]
    ) -> None:
        bad = [
            {"moves": GAME, "x_seconds": int("9" * 401)},
            {"moves": GAME, "first": "\ud800"},
            {"moves": GAME, "replaced": [True]},
        ]
        dialogue(c4, "games import - --skip-bad", stdin=lines(GAME, *bad, GAME))


def test_a_match_with_an_invalid_test_is_reported_without_it(c4: C4) -> None:
    options = ("--games", "6", "--sprt", "0..20", "--judge", "none", "-q")
    assert c4("match", "set", "random", *options).code == 0
    with closing(sqlite3.connect(c4.directory / "test.db")) as database, database:
        (text,) = database.execute("SELECT terms FROM matches").fetchone()
        terms = json.loads(text)
        terms["sprt"]["elo1"] = terms["sprt"]["elo0"]
        database.execute("UPDATE matches SET terms = ?", [json.dumps(terms)])
    report = json.loads(c4("games", "report", "1", "--json").out)
    assert (report["games"], report["sprt"]) == (6, None)
    assert "SPRT" not in c4("games", "report", "1").out
    assert len(c4("games", "matches", "--jsonl").objects) == 1
