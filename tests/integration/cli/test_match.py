"""``c4 match`` and ``c4 tournament`` from the command line to the database and back."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from tests.support.running.command_line import C4
from tests.support.running.watching import held_back
from workers.answers import question
from workers.match import job as planning

QUICK = ("--games", "24", "--judge", "none", "-q")
SHIPPED = question._shipped
"""Finds the shipped books, which the tests disable."""


def moves(c4: C4, match: int = 1) -> list[str]:
    return [game["moves"] for game in c4("games", "export", str(match), "-q").objects]


class TestMatch:
    def test_report_for_programs(self, c4: C4) -> None:
        done = c4("match", "set", "random", "--json", *QUICK)
        report = json.loads(done.out)
        assert report["games"] == report["a"]["wins"] + report["a"]["losses"] + report["a"]["draws"]
        assert report["games"] == 24
        assert report["a"]["player"] == "set:fallback=vector"
        assert (report["a"]["as_o"]["score"], report["a"]["accuracy"]) == (None, None)
        assert report["finished"] is True
        # The same command plays nothing.
        (row,) = csv.DictReader(io.StringIO(c4("match", "set", "random", "--csv", *QUICK).out))
        assert int(row["a_wins"]) == report["a"]["wins"]
        assert row["significant"] == str(report["significant"]).lower()
        assert "| A | 24 |" in c4("match", "set", "random", "--markdown", *QUICK).out
        assert c4("--json", "match", "set", "random", *QUICK).out == done.out
        fresh = json.loads(c4("match", "set", "random", "--json", "--fresh", *QUICK).out)
        assert fresh["match"] == report["match"] + 1
        assert moves(c4, 1) == moves(c4, 2)

    def test_the_seed_determines_the_games(self, c4: C4) -> None:
        for seed, threads in ((1, 1), (1, 2), (2, 2)):
            options = (f"--seed={seed}", f"--threads={threads}", "--fresh")
            assert c4("match", "random", "set", *options, *QUICK).code == 0
        assert moves(c4, 1) == moves(c4, 2) != moves(c4, 3)

    def test_options_choose_the_first_player(self, c4: C4) -> None:
        firsts = []
        for match, option in (("1", "-q"), ("2", "--swap"), ("3", "--shuffle")):
            assert c4("match", "set", "random", option, *QUICK).code == 0
            games = c4("games", "export", match, "-q").objects
            firsts.append([game["first"].partition(":")[0] for game in games])
        assert firsts[:2] == [["set"] * 24, ["set", "random"] * 12]
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

    def test_hard_positions_are_judged_only_with_a_book(
        self, c4: C4, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        done = c4("match", "set", "random", "--games", "2", "--board", "6x7")
        assert "by exact scores; from 8 stones on" in done.out
        with monkeypatch.context() as changes:
            changes.setattr(question, "_shipped", SHIPPED)
            question.shipped_book.cache_clear()
            assert "by exact scores\n" in c4("match", "set", "random", "--games", "2").out

    def test_an_interrupted_match_is_resumed(
        self, c4: C4, interrupt: Callable[..., str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(planning, "LEAST_SECONDS", 1e-9)  # many units of few games
        command = ("match", "montecarlo-flat:simulations=50", "random", "--games", "24")
        assert c4(*command, "--judge", "none", "--detach").code == 0
        with held_back(c4.environment["C4_DB"], 1, free=5):
            err = interrupt(c4, *command, "--judge", "none", "--threads", "1", done=1)
        assert "continue with: c4 jobs resume 1\n" in err
        assert "Give the same command again to continue and write the report." in err
        before = moves(c4)
        assert 0 < len(before) < 24
        report = json.loads(c4(*command, "--judge", "none", "--json").out)
        assert report["games"] == 24
        assert set(before) <= set(moves(c4))


class TestTournament:
    def test_every_player_meets_every_other(self, c4: C4) -> None:
        command = ("tournament", "random", "set", "stupid", "--games", "10")
        done = c4(*command, "-q")
        assert done.code == 0
        assert "1. set" in done.out
        assert "they take turns to move first" in done.out
        report = json.loads(c4(*command, "--json").out)
        assert report["standings"][0]["player"] == "set:fallback=vector"
        assert [match["games"] for match in report["matches"]] == [10, 10, 10]
        assert len({match["terms"]["seed"] for match in report["matches"]}) == 3
        assert len({match["job"] for match in report["matches"]}) == 1
        some = json.loads(c4("games", "report", "1", "3", "--json").out)
        assert [match["match"] for match in some["matches"]] == [1, 3]
        assert json.loads(c4("games", "report", "2", "--json").out)["match"] == 2


def test_too_many_matches_are_refused(c4: C4) -> None:
    players = [f"montecarlo-flat:simulations={games}" for games in range(1, 201)]
    done = c4("tournament", *players)
    assert (done.code, "19,900 matches are too many: at most 10,000" in done.err) == (2, True)
