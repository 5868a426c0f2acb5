import json
import random
from collections.abc import Callable

from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import EASY, random_games
from tests.support.running.command_line import C4

WON = "1122334"


def test_a_limit_gives_correct_bounds(c4: C4) -> None:
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


def test_every_line_is_answered_in_its_place(c4: C4, dialogue: Callable[..., None]) -> None:
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
    dialogue(c4, "solve -", stdin=b"\n".join(lines))


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


def test_a_thousand_lines_as_the_published_program_answers_them(c4: C4) -> None:
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
