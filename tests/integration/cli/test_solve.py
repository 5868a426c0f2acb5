import json
import random
from collections.abc import Sequence
from types import SimpleNamespace

import pytest

from c4core.position import Position
from c4core.solver import Solver
from cli.positions.asking import LocalAsker
from tests.support.boards.games import EASY, random_games
from tests.support.running.command_line import C4
from workers.answers.question import Answer, Question

WON = "1122334"


def test_json_object(c4: C4) -> None:
    (found,) = c4("solve", "--json", EASY).objects
    seconds = found.pop("seconds")
    assert seconds >= 0
    assert isinstance(found.pop("nodes"), int)
    assert found == {
        "moves": EASY,
        "board": "7x6",
        "side": "o",
        "score": -1,
        "value": "loss",
        "scores": [None, None, None, None, None, -1, -2],
        "best": [6],
        "plies": 4,
        "source": "search",
    }


def test_columns_counted_from_zero(c4: C4) -> None:
    shifted = "".join(str(int(move) - 1) for move in EASY)
    (found,) = c4("solve", "--zero-based", "--json", shifted).objects
    assert found["best"] == [5]


def test_results_are_known_the_second_time_and_mirrored(c4: C4) -> None:
    mirrored = "".join(str(8 - int(move)) for move in EASY)
    first, second = (c4("--json", "solve", moves).objects[0] for moves in (EASY, mirrored))
    assert (first["source"], second["source"]) == ("search", "db")
    assert second["scores"] == first["scores"][::-1]
    assert second["best"] == [2]


def test_no_store_creates_no_database(c4: C4) -> None:
    assert c4("solve", "--no-store", EASY).code == 0
    assert list(c4.directory.iterdir()) == []


def test_empty_text_is_the_empty_board(c4: C4) -> None:
    done = c4("solve", "", "--board", "4x4", "--json")
    assert done.objects[0]["moves"] == ""
    assert done.objects[0]["score"] == 0


def test_weak_and_limits_give_correct_bounds(c4: C4) -> None:
    (weak,) = c4("solve", "--weak", "--json", "--no-store", "44444").objects
    assert weak["value"] == "loss"
    assert "scores" not in weak
    done = c4("solve", "", "--node-limit", "100", "--json", "--no-store", "--no-book")
    assert done.code == 1
    (limited,) = done.objects
    assert limited["score"] is None
    assert limited["lower"] <= 1 <= limited["upper"]


def test_principal_variation_leads_to_the_end(c4: C4) -> None:
    (found,) = c4("solve", "--pv", "--json", EASY).objects
    assert len(found["pv"]) == found["plies"]
    (end,) = c4("solve", "--json", EASY + found["pv"]).objects
    assert end["plies"] == 0


def test_grids(c4: C4) -> None:
    grid = ".......\n.......\n.......\noooo...\nxxxx...\nxxxo...\n"
    bad = c4("solve", "--grid", "-", "--json", stdin=grid)
    assert bad.code == 2
    assert "grid 1" in bad.err
    one = "....\n....\n.o..\nxx..\n\n"
    done = c4("solve", "--grid", "-", "--json", "--no-store", stdin=one * 2)
    assert [found["board"] for found in done.objects] == ["4x4", "4x4"]
    assert done.objects[0]["moves"] is None
    assert isinstance(done.objects[0]["key"], int)


def test_every_line_is_answered_in_its_place(c4: C4) -> None:
    lines = [
        EASY.encode(),
        b"8",
        b"",
        b'{"moves": "44444444"}',
        json.dumps({"id": ["a", 1], "moves": EASY}).encode(),
        b"\xff\xfe\x00",
        WON.encode() + b"1",
        b"9" * 100_000,
        WON.encode(),
        b'{"key": 1.5, "id": "k"}',
        b'{"id": "\\ud800", "moves": "8"}',
    ]
    done = c4("solve", "-", stdin=b"\n".join(lines))
    assert done.code == 1
    found = done.objects
    assert len(found) == len(lines)
    errors = {item["line"]: item for item in found if "error" in item}
    assert set(errors) == {2, 3, 4, 6, 7, 8, 10, 11}
    assert errors[4]["field"] == "moves"
    assert errors[10] | {"error": ""} == {"id": "k", "error": "", "field": "key", "line": 10}
    assert errors[11]["id"] == "\ud800"
    assert "column 8 is outside" in errors[2]["error"]
    assert "full" in errors[4]["error"]
    assert found[4]["id"] == ["a", 1]
    assert (found[8]["score"], found[8]["plies"], found[8]["best"]) == (-18, 0, [])


def test_a_line_is_answered_before_the_next_is_sent(c4: C4) -> None:
    process = c4.start("solve", "-", "--no-store")
    assert process.stdin is not None
    assert process.stdout is not None
    for number in range(3):
        process.stdin.write(json.dumps({"id": number, "moves": EASY}) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == number
    process.communicate()
    assert process.returncode == 0


def _spoiled(moves: str, chance: random.Random) -> str:
    """A line of moves, and in half of the cases one with an error, a won game, or a blank one."""
    place = chance.randrange(len(moves))
    return chance.choice(
        [
            moves,
            moves,
            moves,
            "" if chance.random() < 0.01 else moves + str(chance.randint(1, 7)),
            moves[:place] + chance.choice("089xX.") + moves[place:],
            moves + moves[-1] * 7,
        ]
    )


def _published_answer(line: str, solver: Solver) -> str:
    """The answer of Pascal Pons's program, by the rules of its published main function.

    It plays the columns 1 to 7 one after the other. If a column is not one of these, is full, or
    wins, it writes an empty line.
    """
    position = Position()
    for character in line:
        column = ord(character) - ord("1")
        if not 0 <= column < 7 or not position.is_legal(column) or position.is_winning(column):
            return ""
        position = position.play(column)
    return f"{line} {solver.solve(position).score}"


class TestClassicFormat:
    def test_line_and_score(self, c4: C4) -> None:
        done = c4("solve", "-", "--format", "c4solver", stdin=f"{EASY}\r\n{EASY}6")
        assert done.out == f"{EASY} -1\n{EASY}6 1\n"
        assert done.code == 0

    def test_a_position_without_moves_has_a_line(self, c4: C4) -> None:
        key = str(Position(EASY).key)
        done = c4("solve", "--key", key, "--format", "c4solver")
        assert (done.code, done.out) == (0, f"{key} -1\n")

    def test_all_moves(self, c4: C4) -> None:
        done = c4("solve", "-", "--format", "c4solver", "--all-moves", stdin=f"{EASY}\n")
        assert done.out == f"{EASY} -1000 -1000 -1000 -1000 -1000 -1 -2\n"

    def test_weak(self, c4: C4) -> None:
        win, draw = EASY + "6", "3135151421347443544172316522225776773566"
        done = c4("solve", "-", "--format", "c4solver", "--weak", stdin=f"{win}\n{EASY}\n{draw}\n")
        assert done.out == f"{win} 1\n{EASY} -1\n{draw} 0\n"
        done = c4("solve", "-", "--format", "c4solver", "--weak", "--all-moves", stdin=EASY)
        assert done.out == f"{EASY} -1000 -1000 -1000 -1000 -1000 -1 -1\n"

    def test_a_bad_line_keeps_its_place(self, c4: C4) -> None:
        lines = [b"8", EASY.encode(), b"\xff\xfe", WON.encode(), EASY.encode()]
        done = c4("solve", "-", "--format", "c4solver", stdin=b"\n".join(lines) + b"\n")
        assert done.code == 1
        assert done.out.split("\n") == ["", f"{EASY} -1", "", "", f"{EASY} -1", ""]
        numbers = [line.partition(":")[0] for line in done.err.splitlines()]
        assert numbers == ["Line 1", "Line 3", "Line 4"]

    def test_a_thousand_lines_as_the_published_program_answers_them(self, c4: C4) -> None:
        chance = random.Random(41)
        games = random_games(60, empty=8)
        lines = [_spoiled(chance.choice(games), chance) for _ in range(1000)]
        done = c4("solve", "-", "--format", "c4solver", "--no-store", stdin="\n".join(lines) + "\n")
        solver = Solver(table_mb=1)
        answers = done.out.split("\n")
        assert answers.pop() == ""
        assert answers == [_published_answer(line, solver) for line in lines]
        assert 200 < answers.count("") < 800
        assert len(done.err.splitlines()) == answers.count("")

    def test_limit_leaves_the_line_without_a_score(self, c4: C4) -> None:
        options = ("--format", "c4solver", "--node-limit", "10", "--no-book")
        done = c4("solve", "-", *options, stdin="44\n")
        assert (done.code, done.out) == (1, "44\n")
        assert "limit" in done.err


def test_thousands_of_lines_are_answered_together(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    ask = LocalAsker.ask

    def counted(
        asker: LocalAsker, positions: Sequence[Position], question: Question
    ) -> list[Answer]:
        sizes.append(len(positions))
        return ask(asker, positions, question)

    monkeypatch.setattr(LocalAsker, "ask", counted)
    # Count every batch as quick, however slow this machine is.
    monkeypatch.setattr("workers.answers.lines.time", SimpleNamespace(monotonic=lambda: 0.0))
    done = c4("solve", "-", "--format", "c4solver", stdin=f"{EASY}\n" * 5000)
    assert done.out == f"{EASY} -1\n" * 5000
    assert sizes == [*(2**power for power in range(12)), 905]


def test_grids_may_start_with_a_byte_order_mark(c4: C4) -> None:
    (c4.directory / "grid").write_text("....\n" * 3 + ".x..\n", encoding="utf-8-sig")
    done = c4("solve", "--grid", "grid", "--no-store", "--score-only")
    assert done.code == 0
