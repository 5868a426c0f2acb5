"""``c4 match`` and ``c4 tournament`` from the command line to the database and back."""

import csv
import io
import json
import signal
from typing import Any

import pytest

from db.records.jobs import UnitState
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import await_units, held_back
from workers.match import job as planning

QUICK = ("--games", "24", "--judge", "none", "-q")


def moves(c4: C4, match: int = 1) -> list[str]:
    return [game["moves"] for game in c4("games", "export", str(match), "-q").objects]


class TestMatch:
    def test_report_for_programs(self, c4: C4) -> None:
        report = json.loads(c4("match", "set", "random", "--json", *QUICK).out)
        assert report["games"] == report["a"]["wins"] + report["a"]["losses"] + report["a"]["draws"]
        assert report["games"] == 24
        assert report["a"]["player"] == "set:fallback=vector"
        assert report["a"]["as_o"]["score"] is None
        assert report["finished"] is True
        assert report["a"]["accuracy"] is None
        (row,) = csv.DictReader(io.StringIO(c4("match", "set", "random", "--csv", *QUICK).out))
        assert int(row["a_wins"]) == report["a"]["wins"]
        assert row["significant"] == str(report["significant"]).lower()
        markdown = c4("match", "set", "random", "--markdown", *QUICK).out
        assert "| A | 24 |" in markdown

    def test_repeating_the_command_plays_nothing(self, c4: C4) -> None:
        first = json.loads(c4("match", "set", "random", "--json", *QUICK).out)
        assert json.loads(c4("match", "set", "random", "--json", *QUICK).out) == first
        assert json.loads(c4("--json", "match", "set", "random", *QUICK).out) == first
        fresh = json.loads(c4("match", "set", "random", "--json", "--fresh", *QUICK).out)
        assert fresh["match"] == first["match"] + 1
        assert moves(c4, 1) == moves(c4, 2)

    def test_the_seed_determines_the_games(self, c4: C4) -> None:
        for seed, threads in ((1, 1), (1, 2), (2, 2)):
            options = ("--seed", str(seed), "--threads", str(threads), "--fresh")
            assert c4("match", "random", "set", *options, *QUICK).code == 0
        assert moves(c4, 1) == moves(c4, 2)
        assert moves(c4, 1) != moves(c4, 3)

    def test_options_choose_the_first_player(self, c4: C4) -> None:
        for option in ((), ("--swap",), ("--shuffle",)):
            assert c4("match", "set", "random", *option, *QUICK).code == 0
        firsts = [
            [game["first"] for game in c4("games", "export", str(match), "-q").objects]
            for match in (1, 2, 3)
        ]
        assert firsts[0] == ["set:fallback=vector"] * 24
        assert firsts[1] == ["set:fallback=vector", "random"] * 12
        assert 2 < firsts[2].count("random") < 22

    def test_moves_are_judged(self, c4: C4) -> None:
        done = c4(
            "match", "perfect:choice=center", "random", "--board", "4x4", "--games", "6",
            "--judge", "4", "--json", "--by-ply",
        )  # fmt: skip
        assert "judging moves: " in done.err
        report = json.loads(done.out)
        assert report["judged_games"] == 4
        assert report["a"]["accuracy"]["best_share"] == 1.0
        assert report["a"]["accuracy"]["lost"] == 0
        assert report["b"]["accuracy"]["moves"] > 0
        plies = [part["ply"] for part in report["a"]["accuracy_by_ply"]]
        assert plies == list(range(0, 2 * len(plies), 2))
        again = c4("games", "report", "1", "--judge", "all", "--judge-from", "3", "--json")
        assert json.loads(again.out)["judged_from"] == 3
        assert json.loads(again.out)["a"]["accuracy_by_ply"][0]["ply"] == 4

    def test_hard_positions_are_not_judged_by_default(self, c4: C4) -> None:
        done = c4("match", "set", "random", "--games", "2", "--board", "6x7")
        assert "by exact scores; from 8 stones on" in done.out

    def test_a_sequential_test_stops_early(self, c4: C4) -> None:
        done = c4(
            "match", "set", "random", "--swap", "--sprt", "0..100", "--games", "2000",
            "--judge", "none", "--json",
        )  # fmt: skip
        report = json.loads(done.out)
        assert done.code == 0
        assert report["sprt"]["verdict"] == "H1"
        assert 0 < report["games"] < 2000
        assert report["finished"] is True

    def test_other_boards_and_starts(self, c4: C4) -> None:
        assert c4("match", "set", "random", "--board", "5x4", "--start", "3333", *QUICK).code == 0
        for game in c4("games", "export", "-q").objects:
            assert game["board"] == "5x4"
            assert game["start"] > 0
            assert "3" not in game["moves"]

    def test_failing_players_lose(self, c4: C4) -> None:
        program = c4.directory / "liar.sh"
        program.write_text(
            "read hello; echo ready\n"
            'while read word rest; do case $word in go) echo "play 9";; quit) exit;; esac; done\n'
        )
        done = c4("match", f"exec:sh {program}", "random", "--games", "3", "--judge", "none")
        assert done.code == 0
        assert "forfeits  A 3" in done.out
        for game in c4("games", "export", "-q").objects:
            assert (game["ending"], game["winner"]) == ("illegal", "o")
            assert "column 9 is outside the board" in game["detail"]
        assert "illegal: column 9 is outside the board" in c4("games", "show", "1:0").out

    def test_a_detached_match_is_resumed(self, c4: C4) -> None:
        done = c4("match", "set", "random", "--detach", "--games", "24")
        assert done.out == "1\n"
        assert "c4 jobs resume 1" in done.err
        again = c4("match", "set", "random", "--detach", "--games", "24", "--json", "--label", "x")
        assert json.loads(again.out) == {"job": 1}
        assert "job 1 for these games exists already, so --label is ignored" in again.err
        assert c4("games", "report", "1").code == 1
        assert json.loads(c4("match", "set", "random", "--json", *QUICK).out)["games"] == 24
        assert c4("games", "report", "1").code == 0

    def test_the_extension_of_the_file_sets_the_format(self, c4: C4) -> None:
        arguments = ("match", "set", "random", *QUICK, "-o")
        for name in ("r.csv", "r.json", "r.md"):
            assert c4(*arguments, name).code == 0
        assert (c4.directory / "r.csv").read_text().count("\n") == 2
        assert json.loads((c4.directory / "r.json").read_text())["games"] == 24
        assert "| --" in (c4.directory / "r.md").read_text()
        assert c4(*arguments, "r.csv", "--table").code == 0
        assert "B      random" in (c4.directory / "r.csv").read_text()

    def test_an_interrupted_match_is_resumed(self, c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)  # many units of few games
        command = ("match", "montecarlo-flat:simulations=50", "random", "--games", "24")
        assert c4(*command, "--judge", "none", "--detach").code == 0
        url = c4.environment["C4_DB"]
        with held_back(url, 1, free=5):
            with c4.start(*command, "--judge", "none", "--threads", "1") as process:
                await_units(url, process, UnitState.DONE, 1)
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=HANG_SECONDS)
            assert process.returncode == 130, err
        assert "go on with: c4 jobs resume 1\n" in err
        assert "Give the same command again to go on and write the report." in err
        before = moves(c4)
        assert 0 < len(before) < 24
        report = json.loads(c4(*command, "--judge", "none", "--json").out)
        assert report["games"] == 24
        assert set(before) <= set(moves(c4))


class TestWithTheBookThatShips:
    @pytest.fixture(autouse=True)
    def no_shipped_book(self) -> None:
        """Use the shipped book, which other tests disable."""

    def test_the_opening_is_judged(self, c4: C4) -> None:
        done = c4("match", "set", "random", "--games", "2")
        assert "by exact scores\n" in done.out


class TestTournament:
    def test_every_player_meets_every_other(self, c4: C4) -> None:
        done = c4("tournament", "random", "set", "stupid", "--games", "10", "-q")
        assert done.code == 0
        assert "1. set" in done.out
        assert "they take turns to move first" in done.out
        report = json.loads(
            c4("tournament", "random", "set", "stupid", "--games", "10", "--json").out
        )
        assert report["standings"][0]["player"] == "set:fallback=vector"
        assert [match["games"] for match in report["matches"]] == [10, 10, 10]
        assert len({match["terms"]["seed"] for match in report["matches"]}) == 3
        assert len({match["job"] for match in report["matches"]}) == 1

    def test_levels_are_players(self, c4: C4) -> None:
        levels = ("beginner", "medium", "perfect")
        assert c4("tournament", *levels, "--games", "2", "--board", "5x4", "-q").code == 0
        players = {row["a"] for row in c4("games", "matches", "--jsonl").objects}
        assert {"random", "minimax-windows:depth=3,randomize_order=on"} <= players

    def test_another_player_does_not_change_existing_games(self, c4: C4) -> None:
        assert c4("tournament", "random", "set", "--games", "5", "-q").code == 0
        assert c4("tournament", "stupid", "random", "set", "--games", "5", "-q").code == 0
        rows = json.loads(c4("games", "matches", "--json").out)
        (again,) = [row["match"] for row in rows if (row["a"][:3], row["b"][:3]) == ("ran", "set")][
            :-1
        ]
        assert moves(c4, 1) == moves(c4, again)

    def test_parameter_ranges_make_a_grid(self, c4: C4) -> None:
        arguments = ["blog-v6:depth=0..2", "--fixed", "--themselves", "--games", "4", "--csv", "-q"]
        rows = list(csv.DictReader(io.StringIO(c4("tournament", *arguments).out)))
        assert len(rows) == 6
        assert {row["seats"] for row in rows} == {"fixed"}
        arguments = ["blog-v5:depth=0..1", "--against", "blog-v6:depth=0..2", "--games", "4"]
        report = json.loads(c4("tournament", *arguments, "--fixed", "--both-ways", "--json").out)
        assert len(report["matches"]) == 12
        markdown = c4("tournament", *arguments, "--fixed", "--both-ways", "--markdown", "-q").out
        assert "**Matches (A moves first)**" in markdown


def test_several_matches_give_one_report(c4: C4) -> None:
    assert c4("tournament", "random", "set", "stupid", "--games", "6", "-q").code == 0
    asked: dict[str, Any] = json.loads(c4("games", "report", "1", "3", "--json").out)
    assert [match["match"] for match in asked["matches"]] == [1, 3]
    alone = json.loads(c4("games", "report", "2", "--json").out)
    assert alone["match"] == 2
