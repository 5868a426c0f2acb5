"""Empty boards proven by ``c4 deep``: the processes, what is kept of them, and the table."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.deep import boards
from benchmarks.deep.boards import FIRST_PLAYERS, Proof, keep, prove, table

PROOF = Proof(
    board="6x6",
    score=-1,
    seconds=0.5,
    nodes=4_000_000,
    pieces=70,
    threads=2,
    single_nodes=2_000_000,
    single_seconds=0.75,
    processor="a processor",
)
UNFINISHED = Proof(
    board="8x8",
    score=None,
    seconds=1800.0,
    nodes=None,
    pieces=None,
    threads=2,
    single_nodes=None,
    single_seconds=None,
    processor="a processor",
)


class TestProving:
    def test_a_board(self, tmp_path: Path) -> None:
        proof = prove("4x5", tmp_path, threads=2, table_mb=1, minutes=1, single=True)
        assert (proof.board, proof.score, proof.threads) == ("4x5", 0, 2)
        assert proof.nodes
        assert proof.pieces
        assert proof.single_nodes
        assert 0 < proof.seconds < 60

    def test_too_little_time(self, tmp_path: Path) -> None:
        proof = prove("7x7", tmp_path, threads=1, table_mb=1, minutes=0.02, single=True)
        assert (proof.score, proof.nodes, proof.pieces, proof.single_nodes) == (None,) * 4
        assert proof.seconds == pytest.approx(1.2)

    def test_a_wrong_answer_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(FIRST_PLAYERS, 4, FIRST_PLAYERS[4] | {4: "+"})
        with pytest.raises(RuntimeError, match="4x4: score 0, where \\+ is known"):
            prove("4x4", tmp_path, threads=1, table_mb=1, minutes=1, single=False)

    def test_a_command_that_fails_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(RuntimeError, match=r"deep .* ended with 2"):
            prove("4x4", tmp_path, threads=0, table_mb=1, minutes=1, single=False)


class TestKeeping:
    def test_easiest_first_and_one_of_each(self, tmp_path: Path) -> None:
        file = tmp_path / "deep.json"
        keep(UNFINISHED, file)
        keep(PROOF, file)
        newer = replace(PROOF, seconds=0.4)
        assert keep(newer, file) == [newer, UNFINISHED]
        assert [Proof(**each) for each in json.loads(file.read_text())] == [newer, UNFINISHED]


class TestTable:
    def test_rows(self) -> None:
        text = table([PROOF, UNFINISHED, replace(PROOF, board="6x7", score=1, single_seconds=None)])
        rows = [line.strip("| ").split(" | ") for line in text.splitlines()]
        assert rows[2] == [
            *("6x6", "-1", "0.5 s", "4,000,000", "70", "0.8 s", "2,000,000", "2.00", "1.50")
        ]
        assert rows[3][:3] == ["8x8", "not found", "more than 30 min 00 s"]
        assert rows[4][1] == "+1"
        assert "On: a processor, 2 threads." in text

    def test_what_was_proven_elsewhere_is_told(self) -> None:
        elsewhere = replace(UNFINISHED, processor="another")
        text = table([elsewhere, PROOF, replace(PROOF, board="6x7")])
        assert "On: a processor, 2 threads; another, 2 threads (8x8)." in text

    def test_every_board_of_the_table_fits(self) -> None:
        for height, widths in boards.FIRST_PLAYERS.items():
            for width, sign in widths.items():
                assert width * (height + 1) <= 64 or (width, height) in {(8, 8), (9, 7)}
                assert sign in boards.SIGNS
