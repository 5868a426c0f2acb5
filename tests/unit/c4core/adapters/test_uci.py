"""The engine: the meaning of its lines, its results, and bad lines."""

import io
import re
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.adapters.uci import Options, Session
from c4core.adapters.uci_notation import LineError, drops, read_position
from c4core.adapters.uci_search import Go, Spent, look_ahead, read_go
from c4core.evaluation import plies_to_end
from c4core.notation import BoardSize, parse_moves
from c4core.players import Stop
from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import EASY, random_games
from tests.support.refused import refused
from tests.support.running.waiting import HANG_SECONDS

THREE_IN_A_ROW = "position startpos moves P@a1 P@a2 P@b1 P@b2 P@c1 P@c2"
SEARCH = re.compile(r"nodes \d+ time \d+")


def said(*lines: str | bytes, options: Options | None = None) -> list[str]:
    """The engine's answers to some lines, without machine-dependent parts."""
    text = b"".join(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)
    answers: list[str] = []
    Session(answers.append, options=options or Options(hash=1)).run(io.BytesIO(text))
    return [SEARCH.sub("nodes N time T", answer) for answer in answers]


class Talk:
    """A conversation that waits for answers."""

    def __init__(self) -> None:
        self.session = Session(self._hear, options=Options(hash=1))
        self.heard: list[str] = []
        self._news = threading.Condition()

    def _hear(self, line: str) -> None:
        with self._news:
            self.heard.append(line)
            self._news.notify_all()

    def until(self, holds: Callable[[str], bool]) -> None:
        """Wait until a line arrives."""
        with self._news:
            assert self._news.wait_for(lambda: any(map(holds, self.heard)), timeout=HANG_SECONDS)


@pytest.mark.parametrize(
    "lines",
    [
        ["isready"],
        [THREE_IN_A_ROW, "go"],
        [f"position startpos moves {' '.join(drops(Position(), parse_moves(EASY)))}", "go"],
        ["position fen 7/7/7/7/3pp2/2PPP2 b - - 0 3", "go"],
        ["go depth 4"],
        # The engine sees the opponent's win and prevents it.
        ["position startpos moves P@a1 P@a2 P@b1 P@b2 P@c1", "go depth 2"],
        ["position startpos moves P@d1", "go nodes 1"],
        ["position startpos moves P@d1 P@d2", "go nodes 20000"],
        ["position fen 7/7/7/7/3pp2/2PPP2 b - - 0 3", "go depth 2"],
        ["position startpos moves P@a1 P@b1 P@a2 P@b2 P@a3 P@b3 P@a4", "go"],
        ["setoption name UCI_Variant value chess", "debug on", "ponderhit"],
        ["position startpos moves P@d1", "position startpos moves 9", "", "  ", "go depth 2"],
        ["setoption name player value stupid", "position startpos", "go movetime 120000"],
        [
            "setoption name player value stupid",
            "setoption name player value <empty>",
            "setoption name HASH value 2",
            "setoption name threads value 2",
            THREE_IN_A_ROW,
            "go",
        ],
    ],
    ids="; ".join,
)
def test_conversations(lines: list[str], snapshot: SnapshotAssertion) -> None:
    assert [line for line in said(*lines) if not line.startswith(("id ", "option "))] == snapshot


def test_the_end_of_the_input_ends_an_infinite_search() -> None:
    first, columns, last = said(THREE_IN_A_ROW, "go infinite")
    assert first == "info depth 1 score mate 1 nodes N time T pv P@d1"
    assert "4:18" in columns.split()  # and other columns if there is time
    assert last == "bestmove P@d1"


def test_quit_prints_the_move_of_a_search() -> None:
    assert said("go", "quit", "isready")[-1] == "bestmove P@d1"
    assert said("go infinite", "quit", "isready")[-1] == "bestmove P@d1"


def test_the_greeting(snapshot: SnapshotAssertion) -> None:
    greeting = said("uci", options=Options(hash=2, player="medium"))
    assert greeting[0].startswith("id name C4 ")
    assert greeting[1:] == snapshot


def test_positions() -> None:
    words = ["P@d1", "P@d2", "P@e1", "P@c1", "P@e2"]
    read = read_position(["startpos", "moves", *words])
    assert read == Position("44535")
    assert drops(Position(), (3, 3, 4, 2, 4)) == words
    pockets = f"[{'P' * 18}{'p' * 19}]"
    for text in (
        "fen 7/7/7/7/3pP2/2pPP2 b - - 0 3",
        f"fen 7/7/7/7/3pP2/2pPP2{pockets} b - - 0 3",
        f"fen 7/7/7/7/3pP2/2pPP2{pockets} b 0 3",  # without the fields that only chess needs
        "fen 7/7/7/7/3p3/3P3 w moves P@e1 P@c1 P@e2",
    ):
        assert read_position(text.split()) == read
    full = Position("467542311242375735765675733135661624214421")
    rows = "pPPpppP/pPPPppP/PPppPPP/ppPPppp/PpPPPpp/ppPPppP"
    for board in (rows, f"{rows}[]", f"{rows}[-]"):  # cutechess writes the last one
        assert read_position(["fen", board, "w", "-", "-", "0", "22"]) == full


BAD_POSITIONS = (
    "", "endpos", "startpos 1 2", "startpos moves 8",
        "startpos moves 4", "startpos moves P@d2", "startpos moves P@d1 d2", "startpos moves p@d1",
        "startpos moves P@h1", "startpos moves P@d1 P@d2 P@d3 P@d4 P@d5 P@d6 P@d6",
        "startpos moves P@a1 P@b1 P@a2 P@b2 P@a3 P@b3 P@a4 P@b4", "fen",
        "fen 7/7/7/7/7/7 w - - 0 1 0", "fen 7/7/7/7/7/7 x", "fen 7/7/7/7/7/3P3 w - - 0 1",
        "fen 7/7/7/7/7/3PP2 w - - 0 1", "fen 7/7/7/7/3P3/7 b - - 0 1",
        "fen 7/7/7/7/7/3x3 b - - 0 1", "fen 7/7/7/7/7/7[PPp] w - - 0 1",
        "fen 7/7/7/7/7/7[ w - - 0 1", "fen 9/9/9/9/9/9/9 w - - 0 1",
        "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
)  # fmt: skip


def test_bad_positions_are_refused(snapshot: SnapshotAssertion) -> None:
    assert {
        text: refused(read_position, text.split(), error=LineError) for text in BAD_POSITIONS
    } == snapshot


def test_limits(snapshot: SnapshotAssertion) -> None:
    assert read_go([]) == Go()
    assert read_go(["movetime", "500", "nodes", "7"]) == Go(movetime=500, nodes=7)
    assert read_go(["infinite"]).infinite
    clocks = ["wtime", "5", "btime", "-6", "winc", "7", "binc", "8", "movestogo", "9"]
    expected = Go(wtime=5, btime=-6, winc=7, binc=8, movestogo=9)
    assert read_go(clocks) == expected
    assert refused(read_go, ["ponder"], error=LineError) == snapshot
    texts = (
        "movetime,movetime soon,nodes 0,depth -3,depth 3 depth 4,p1time 5,nodes 9999999999999999"
    )
    assert {
        text: refused(read_go, text.split(), error=LineError) for text in texts.split(",")
    } == snapshot


def test_a_move_gets_its_share_of_the_clock() -> None:
    clock = Go(wtime=21_000, btime=4_200, winc=500)
    assert clock.seconds(Position()) == 1.5  # 21 moves to go, plus the increment
    assert clock.seconds(Position("4")) == 0.2
    assert replace(clock, movestogo=10).seconds(Position()) == 2.6
    assert replace(clock, movestogo=0).seconds(Position()) == 10.5
    assert Go(movetime=-5).seconds(Position()) == 0
    # 20 ms are kept for the answer, but at most half of the time.
    assert Go(movetime=500).seconds(Position()) == 0.48
    assert Go(movetime=10).seconds(Position()) == 0.005
    assert Go(wtime=100, winc=60_000).seconds(Position()) == 0.05  # half of the remaining time
    assert Go(nodes=3).seconds(Position()) is None


@pytest.mark.parametrize("board", [BoardSize(7, 6), BoardSize(4, 5), BoardSize(5, 4)], ids=str)
def test_look_ahead_finds_exactly_the_results_within_its_depth(board: BoardSize) -> None:
    solver = Solver(table_mb=1)
    for moves in random_games(15, empty=11, board=board):
        position = Position(moves, board=board)
        exact = solver.analyze(position).scores
        for plies in range(1, 12):
            spent = Spent(None, None, Stop())
            expected = [
                score
                if score is not None and plies_to_end(-score, position.ply + 1, board) < plies
                else None
                for score in exact
            ]
            assert list(look_ahead(solver, position, plies, spent)) == expected


def test_an_infinite_search_runs_until_stopped() -> None:
    talk = Talk()
    talk.session.answer(THREE_IN_A_ROW)
    talk.session.answer("go infinite")
    talk.session.answer("isready")
    talk.session.answer("position startpos")
    talk.session.answer("setoption name hash value 2")
    assert talk.heard == [
        "readyok",
        "info string error: position: a search is running; end it with stop",
        "info string error: setoption: a search is running; end it with stop",
    ]
    talk.session.answer("stop")
    assert talk.heard[-1] == "bestmove P@d1"
    assert talk.session.answer("go depth 1")
    talk.until(lambda line: line.startswith("info depth"))
    assert not talk.session.answer("quit")


def test_a_hard_search_is_stopped() -> None:
    talk = Talk()
    talk.session.answer("go")
    talk.session.answer("stop")
    assert talk.heard[-1] == "bestmove P@d1"
    assert talk.session.answer("stop")  # no search is running any more
    heard = len(talk.heard)
    talk.session.answer("go")
    talk.session.close()
    assert len(talk.heard) == heard
    # A very short time is enough for a move.
    assert said("position startpos moves 4", "go movetime 0")[-1].startswith("bestmove ")


def test_a_stopped_player_still_moves() -> None:
    talk = Talk()
    talk.session.answer(
        "setoption name player value montecarlo-flat:simulations=10000000,stop_gap=1"
    )
    talk.session.answer("go infinite")
    talk.session.answer("stop")
    assert talk.heard == [
        "info string stopped before the player chose; the leftmost open column is played",
        "bestmove P@a1",
    ]
    talk.session.answer("go movetime 2")
    talk.until("bestmove (none)".__eq__)
    assert "has not found a move in 0.001 s" in talk.heard[-2]


BAD_LINES = [
    "foo", "foo\x1b]0;x\x07", "go\x00", "\xe9" * 5000, "x" * 70_000, b"\xff\xfe\n", "ugi",
    "setoption hash 3", "setoption name hash value 0", "setoption name hash value x",
    "setoption name speed value 1", "setoption name board value 9x6",
    "setoption name player value blog-v7", "setoption name player value exec:ls",
    "setoption name player value kaggle:a.py",
]  # fmt: skip


def test_bad_lines_are_refused(snapshot: SnapshotAssertion) -> None:
    found = {}
    for line in BAD_LINES:
        complaint, *others = said(line, "isready")
        assert complaint.startswith("info string error: ")
        assert complaint.isprintable()
        assert others == ["readyok"]
        found[str(line)[:60]] = complaint.partition(" (there are: ")[0]
    assert found == snapshot
