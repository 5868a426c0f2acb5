"""``c4 review``: games from all sources, as text, JSON, CSV and pictures, here and by a job."""

import csv
import io
import json
import re

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import LIVELY
from tests.support.running.command_line import C4
from tests.support.svg import elements

SMALL = ("--board", "4x4")


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book, as users do: openings are known at once."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> C4:
    """A match of 10 games, seven of them from a late position."""
    c4 = C4(tmp_path_factory.mktemp("review"))
    start = ("--start", "225257625346224411")
    options = ("--games", "10", "--judge", "none", "-q", *start)
    assert c4("match", "set", "random", *options).code == 0
    assert c4("games", "export", "-q", "-o", "games.jsonl").code == 0
    return c4


def test_reviews_of_ten_games_agree_with_a_solver(played: C4) -> None:
    """Every score in a review is compared with a separate solver's."""
    solver = Solver(table_mb=8)
    for number in range(10):
        (review,) = played("review", f"1:{number}", "--jsonl").objects
        assert (review["match"], review["number"]) == (1, number)
        assert review["complete"]
        position = Position.from_grid(review["start"])
        kept = {"x": [0, 0], "o": [0, 0]}
        best = {"x": [0, 0], "o": [0, 0]}
        for move in review["moves_judged"]:
            scores = solver.analyze(position).scores
            played_score = scores[move["column"] - 1]
            known = [score for score in scores if score is not None]
            assert played_score is not None
            assert (move["before"], move["after"]) == (max(known), played_score)
            assert move["loss"] == max(known) - played_score
            assert move["best"] == [
                column + 1 for column, score in enumerate(scores) if score == max(known)
            ]
            changes = _sign(played_score) < _sign(max(known))
            assert move["changes_result"] == (move["mark"] == "??") == changes
            assert move["missed_win"] == (max(known) > 0 >= played_score)
            assert (move["mark"] == "?") == (not changes and played_score < max(known))
            if _sign(min(known)) < _sign(max(known)):
                kept[position.turn][0] += not changes
                kept[position.turn][1] += 1
            if min(known) < max(known):
                best[position.turn][0] += played_score == max(known)
                best[position.turn][1] += 1
            position = position.play(move["column"] - 1)
        for side in ("x", "o"):
            for name, (right, all_) in (("accuracy", kept[side]), ("best_moves", best[side])):
                assert review[name][side] == (100 * right / all_ if all_ else None)


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


def test_a_game_with_its_turning_points(c4: C4, snapshot: SnapshotAssertion) -> None:
    done = c4("review", LIVELY)
    assert done.code == 0
    assert done.out == snapshot


class TestPrograms:
    def test_csv_has_a_row_for_each_move(self, c4: C4) -> None:
        done = c4("review", *SMALL, "1213", "2142", "--format", "csv")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [row["game"] for row in rows] == ["1"] * 4 + ["2"] * 4
        assert "".join(row["column"] for row in rows) == "12132142"
        objects = c4("review", *SMALL, "1213", "2142", "--jsonl").objects
        moves = [move for review in objects for move in review["moves_judged"]]
        assert [int(row["after"]) for row in rows] == [move["after"] for move in moves]
        missed = [str(move["missed_win"]) for move in moves]
        assert [row["missed_win"] for row in rows] == [each.lower() for each in missed]

    def test_formats_are_those_of_query(self, c4: C4) -> None:
        command = ("review", *SMALL, "1213")
        lines = c4(*command, "--jsonl").out
        for options in (["--format", "json"], ["--json"]):
            assert json.loads(c4(*command, *options).out)[0]["moves"] == "1213"
        assert c4("--json", *command).out.startswith("[")
        for name in ("r.jsonl", "r.csv"):
            done = c4(*command, "--output", name)
            assert (done.code, done.out) == (0, "")
        written = json.loads((c4.directory / "r.jsonl").read_text())
        assert written["moves_judged"] == json.loads(lines)["moves_judged"]
        assert (c4.directory / "r.csv").read_text() == c4(*command, "--csv").out

    def test_totals_are_those_of_all_games_of_a_player(self, played: C4) -> None:
        names = [f"1:{number}" for number in range(10)]
        expected = {"random": [0] * 5, "set": [0] * 5}
        for review in played("review", *names, "--jsonl").objects:
            for side, player in (("x", review["first"]), ("o", review["second"])):
                moves = [move for move in review["moves_judged"] if move["side"] == side]
                results = (side, None, "o" if side == "x" else "x")
                found = [1, *(int(review["winner"] == winner) for winner in results)]
                found.append(sum(move["changes_result"] for move in moves))
                kind = player.partition(":")[0]
                expected[kind] = list(map(int.__add__, expected[kind], found))
        text = played("review", *names, "--summary").out
        rows = [re.split("  +", line) for line in text.partition("\n\n")[2].splitlines()]
        assert rows[0] == ["player", "games", "won", "drawn", "lost", "kept", "best", "??"]
        assert {row[0]: [*map(int, (*row[1:5], row[7]))] for row in rows[1:]} == expected
        (game, *_), (*totals,) = (
            [re.split("  +", line) for line in part.splitlines()[1:]]
            for part in played("review", "1:0", "--summary").out.split("\n\n")
        )
        assert {(row[0], row[5], row[6]) for row in totals} == {
            (game[1], game[4], game[6]),
            (game[2], game[5], game[7]),
        }

    def test_every_source_of_games_is_reviewed(self, c4: C4, played: C4) -> None:
        (c4.directory / "moves.txt").write_text("1213\n")
        (c4.directory / "table.csv").write_text("moves,first\n1213,ada\n")
        text = '{"moves": "1213", "board": "4x4"}\n'
        done = c4("review", *SMALL, "1213", "moves.txt", "./table.csv", "-", "--jsonl", stdin=text)
        assert done.code == 0
        assert [review["moves"] for review in done.objects] == ["1213"] * 4
        assert [review["first"] for review in done.objects] == [None, None, "ada", None]
        exported = played("games", "export", "-q").out
        again = c4("review", "-", "--jsonl", "-q", stdin=exported).objects
        assert [(review["match"], review["number"]) for review in again] == [
            (1, number) for number in range(10)
        ]

    def test_a_bad_line_gives_an_error_in_its_place(self, c4: C4) -> None:
        done = c4("review", *SMALL, "-", "--jsonl", stdin="1213\n12z\n2142\n")
        assert done.code == 1
        good, bad, also = done.objects
        assert (good["moves"], bad["line"], also["moves"]) == ("1213", 2, "2142")
        assert "outside the board" in bad["error"]
        text = c4("review", *SMALL, "-", "--summary", stdin="1213\n12z\n")
        assert (text.code, "Line 2: move 3" in text.err) == (1, True)


class TestPictures:
    def test_svg(self, c4: C4) -> None:
        done = c4("review", LIVELY, "--plot", "review.svg", "-q")
        assert done.code == 0
        drawn = (c4.directory / "review.svg").read_text()
        texts = ["".join(text.itertext()) for text in elements(drawn, "text")]
        assert "11. red, column 1: +1 to -2" in texts
        assert texts.count("??") == 8  # on the curve and on the boards
        assert len(elements(drawn, "path")) == 4  # a plate for each turning point


class TestJobs:
    def test_a_detached_review_is_read_later(self, c4: C4) -> None:
        (c4.directory / "games.txt").write_text("1213\n2142\n")
        command = ("review", *SMALL, "games.txt", "--jsonl")
        made = c4(*command[:-1], "--detach", "--label", "mine")
        assert (made.code, made.out) == (0, "1\n")
        assert "the same command writes the reviews" in made.err
        (job,) = json.loads(c4("jobs", "list", "--json").out)
        assert job["label"] == "mine"
        done = c4(*command)
        assert done.code == 0
        assert all(review["complete"] for review in done.objects)
        assert len(json.loads(c4("jobs", "list", "--json").out)) == 1
        nothing = c4(*command, "--detach")
        assert (nothing.code, nothing.out) == (0, "")
        assert "nothing left to do" in nothing.err

    def test_without_a_database(self, c4: C4) -> None:
        (c4.directory / "games.txt").write_text("1213\n2142\n")
        done = c4("review", *SMALL, "games.txt", "--jsonl", "--no-store")
        assert all(review["complete"] for review in done.objects)
        assert not (c4.directory / "test.db").exists()

    def test_a_time_limit_leaves_moves_open(self, c4: C4) -> None:
        done = c4("review", "--board", "8x7", "4" * 7, "--time-limit", "0", "--jsonl", "--no-store")
        (review,) = done.objects
        assert (done.code, review["complete"]) == (0, False)
        assert "?" not in c4("review", "--board", "8x7", "44", "--time-limit", "0").out


def test_a_stored_game_without_a_database(c4: C4) -> None:
    missing = c4("review", "1:0")
    assert (missing.code, "no database" in missing.err) == (3, True)


def test_a_file_of_final_grids(c4: C4) -> None:
    (c4.directory / "grids.csv").write_text("pos_01,pos_02,winner\n1,0,1\n")
    done = c4("review", "grids.csv")
    assert (done.code, done.out) == (1, "")
    assert "Line 2: these are final grids" in done.err
    (c4.directory / "empty.txt").write_text("\n")
    assert "is empty" in c4("review", "empty.txt").err
