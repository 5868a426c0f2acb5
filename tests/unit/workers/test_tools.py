"""The tools for language models, called from Python: answers, limits, and what is refused."""

import threading
from typing import Any

import pytest

from c4core.errors import C4Error
from c4core.position import Position
from db.database import Database
from tests.support.boards.games import EASY
from tests.support.boards.reference import reference_scores
from tests.support.running.databases import on_sqlite
from tests.support.running.waiting import ends
from workers.answers.service import AnswerService, SearchStop
from workers.tools import MOST_POSITIONS, Tools

HARD = {"position": "", "board": "9x6", "budget": 3600}
"""A search that does not end during a test."""


@pytest.fixture
def tools(service: AnswerService) -> Tools:
    return Tools(service, most_seconds=3600)


@pytest.mark.parametrize(
    "form",
    [
        EASY,
        ",".join(EASY),
        [int(column) for column in EASY],
        {"moves": EASY},
        {"key": str(Position(EASY).key)},
        str(Position(EASY)),
        str(Position(EASY)).splitlines(),
    ],
)
def test_a_position_in_every_form(tools: Tools, form: Any) -> None:  # noqa: ANN401
    found = tools.solve(form)
    assert found["scores"] == list(reference_scores(Position(EASY)))
    assert (found["side"], found["score"], found["value"]) == ("o", -1, "loss")
    assert [found["scores"][column - 1] for column in found["best"]] == [-1] * len(found["best"])
    assert found["plies"] == 4
    key = str(Position(EASY).key)
    assert (found["moves"], found.get("key")) in [(EASY, None), (None, key)]
    assert tools.legal_moves(form)["key"] == key


def test_several_positions(tools: Tools) -> None:
    asked = [EASY[:-n] if n else EASY for n in range(4)]
    answers = tools.analyze(asked)["answers"]
    assert [answer["moves"] for answer in answers] == asked
    for moves, answer in zip(asked, answers, strict=True):
        assert answer["scores"] == list(reference_scores(Position(moves)))
    assert tools.analyze([]) == {"answers": []}
    # The budget is for all positions together.
    easy, hard = tools.analyze([EASY, ""], budget=0)["answers"]
    assert (easy["score"], hard["score"]) == (None, None)
    assert hard["lower"] < hard["upper"]


def test_a_review(tools: Tools) -> None:
    found = tools.review("1 2 1 2 1 2 3", "4x4", budget=3600)
    assert found["moves"] == "1212123"
    last = found["moves_judged"][-1]
    assert (last["column"], last["best"], last["mark"], last["changes_result"]) == (
        *(3, [1], "??", True),
    )


def test_legal_moves(tools: Tools) -> None:
    found = tools.legal_moves("444444")
    assert (found["columns"], found["side"], found["over"]) == ([1, 2, 3, 5, 6, 7], "x", False)
    over = tools.legal_moves("1212121")
    assert (over["columns"], over["over"], over["winner"]) == ([], True, "x")
    assert over["grid"].splitlines()[-1] == "xo....."


def test_moves_of_players(tools: Tools) -> None:
    best = tools.solve(EASY)["best"]
    found = tools.best_move(EASY)
    assert found["column"] in best
    assert found["moves"] == EASY + str(found["column"])
    assert len({tools.best_move("44", "random", seed=5)["column"] for _ in range(2)}) == 1
    assert tools.best_move(EASY, "medium")["player"].startswith("minimax-windows:depth=3")


def test_stored_evaluations(database: Database) -> None:
    service = AnswerService(database, threads=1, table_mb=1)
    Tools(service, database).analyze([EASY, EASY[:-1], EASY[:-2]], budget=20)
    service.close()  # stores what is queued
    tools = Tools(service, database)
    everything = tools.query()
    assert [row["ply"] for row in everything["rows"]] == [35, 36, 37]
    assert everything["next"] is None
    assert tools.solve({"key": everything["rows"][2]["key"]})["score"] == -1
    first = tools.query(min_ply=36, exact=True, limit=1)
    second = tools.query(min_ply=36, exact=True, limit=1, cursor=first["next"])
    assert [*first["rows"], *second["rows"]] == everything["rows"][1:]
    assert tools.query(value="draw", min_score=1)["rows"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("solve", {"position": "48"}, "move 2: column 8 is outside the board (columns 1 to 7)"),
        ("solve", {"position": "4444444"}, "move 7: column 4 is full"),
        ("solve", {"position": "4", "board": "3x3x"}, "not a board size"),
        ("solve", {"position": "4", "board": "big"}, "not a board size: 'big'"),
        ("solve", {"position": "4", "budget": 3601}, "budget must be from 0 to 3600, not 3601"),
        ("solve", {"position": "4", "budget": float("nan")}, "budget must be from 0 to 3600"),
        ("solve", {"position": {"board": "7x6"}}, 'exactly one of "moves", "grid" and "key"'),
        ("analyze", {"positions": ["4", "4x"]}, "position 2: move 2: column x is outside"),
        ("analyze", {"positions": [""] * (MOST_POSITIONS + 1)}, "101 positions; the limit is 100"),
        ("review", {"moves": str(Position("44"))}, "not a grid or a key"),
        ("legal_moves", {"position": [0, 0, 1]}, "move 1: 0 is not a column"),
        ("best_move", {"position": "1212121"}, "the game is over"),
        ("best_move", {"position": "4", "player": "exec:ls"}, "programs or read files are refused"),
        ("best_move", {"position": "4", "player": "learned:/etc/passwd"}, "no player is called"),
        ("best_move", {"position": "4", "player": "x" * 501}, "player has 501 characters"),
        ("best_move", {"position": "4", "player": "mcts-uct:iterations=5000000"}, "to 1000000"),
        ("best_move", {"position": "4", "player": "pefect"}, "did you mean perfect?"),
        ("best_move", {"position": "4", "budget": 0}, "budget must be more than 0"),
        ("best_move", {"position": "4", "seed": -1}, "seed must be from 0 to"),
        ("query", {}, "this server has no database: start it without --no-store"),
        ("query", {"cursor": "x"}, "not a cursor: 'x'"),
        ("query", {"limit": 101}, "limit must be from 1 to 100, not 101"),
        ("query", {"min_ply": 10**30}, "min_ply must be from 0 to 128"),
        ("query", {"max_score": -129}, "max_score must be from -128 to 128, not -129"),
    ],
)
@on_sqlite
def test_refused_with_a_message(
    service: AnswerService, database: Database, tool: str, arguments: dict[str, Any], message: str
) -> None:
    tools = Tools(service, database if arguments else None, most_seconds=3600)
    with pytest.raises(C4Error) as refused:
        getattr(tools, tool)(**arguments)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("solve", HARD),
        ("best_move", {**HARD, "player": "montecarlo-flat:simulations=10000000,stop_gap=1"}),
    ],
)
def test_a_stop_ends_a_call(tools: Tools, tool: str, arguments: dict[str, Any]) -> None:
    stop, is_over = SearchStop(), threading.Event()

    def call() -> object:
        try:
            return getattr(tools, tool)(**arguments, stop=stop)
        except C4Error as error:
            return str(error)

    def stop_it() -> None:
        while not is_over.wait(0.05):
            stop.set()

    stopping = threading.Thread(target=stop_it)
    stopping.start()
    try:
        found = ends(call)
    finally:
        is_over.set()
        stopping.join()
    if tool == "solve":
        assert isinstance(found, dict)
        assert found["score"] is None
    else:
        assert found == "the player was stopped before it had a move"
