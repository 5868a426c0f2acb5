"""The formats of public evaluation sets: written as usual, and read with suspicion."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import BoardSize, Position, Solver
from c4core.dataset.exchange import NOT_STATED, Stated, exchange_lines, read_stated
from c4core.dataset.files import write_npz
from c4core.dataset.lots import are_mirrored
from c4core.dataset.reading import read_part
from c4core.dataset.records import turn
from c4core.dataset.writing import write_dataset
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE
from tests.support.boards.datasets import made, recipe
from tests.support.boards.games import SMALL
from tests.support.refusals import refusal

PARTS, CARD = made(recipe())
TEST = PARTS["test"]
SEVEN = BoardSize(7, 6)

ORDER = np.argsort(TEST["key"])
KEYS = TEST["key"][ORDER].astype(np.uint64)
LABELS = turn(TEST["column_scores"][ORDER].astype(np.int8), are_mirrored(KEYS, 1))

KNOWN = "4453"
SCORES = [-5, -5, -2, -3, -4, -2, -2]
"""The scores of the position's columns."""
BOARD = [0] * 28 + [0, 0, 0, 2, 0, 0, 0] + [0, 0, 2, 1, 1, 0, 0]
"""The position in ConnectX's format."""
FORMS: list[tuple[str, dict[str, bool]]] = [
    ("c4solver", {}),
    ("c4solver", {"all_moves": True}),
    ("refmoves", {}),
]


def read(text: str, board: BoardSize = SEVEN) -> Stated:
    return read_stated(io.BytesIO(text.encode()), name="x.txt", board=board)


def lines(form: Any, **others: bool) -> list[str]:  # noqa: ANN401
    return list(exchange_lines(TEST, SMALL, 1, form, **others))


@pytest.mark.parametrize(("form", "others"), FORMS)
def test_positions_and_scores_round_trip(form: str, others: dict[str, bool]) -> None:
    stated = read("\n".join(lines(form, **others)), SMALL)
    assert stated.keys.tolist() == TEST["key"].tolist()
    assert stated.scores.tolist() == TEST["score"].tolist()
    wanted = LABELS if others or form == "refmoves" else np.full_like(LABELS, NOT_STATED)
    assert stated.column_scores[ORDER].tolist() == wanted.tolist()
    assert stated.compare(KEYS, LABELS) == (len(KEYS), 0, None)


def test_wrong_labels_are_found() -> None:
    written = lines("c4solver")
    moves, score = written[3].split()
    written[3] = f"{moves} {int(score) + 2}"
    found = read("\n".join(written), SMALL)
    assert found.compare(KEYS, LABELS) == (len(KEYS), 1, 4)
    assert found.compare(KEYS[:0], LABELS[:0]).positions == 0


def test_lines_have_the_published_formats() -> None:
    found = read(f"{KNOWN} -2\n{KNOWN} {' '.join(map(str, SCORES))}\n")
    assert found.scores.tolist() == [-2, -2]
    told = json.dumps({"board": BOARD, "score": -2, "move score": SCORES, "more": 1})
    same = read(told)
    assert same.keys.tolist() == [Position(KNOWN).canonical_key]
    key = Position(KNOWN).key
    turned = SCORES if key == same.keys[0] else SCORES[::-1]
    assert same.column_scores.tolist() == [turned] == [found.column_scores[1].tolist()]
    # Both usual marks for a full column are understood, each in its format.
    assert read("444444 -1 -2 -3 -1000 -5 -6 -7").column_scores[0][3] == NO_SCORE


def test_boards_below_four_columns_or_rows_are_read() -> None:
    told = json.dumps({"board": [0, 0, 0, 2, 1, 0], "score": 0, "move score": [0, 0, 0]})
    found = read(told, BoardSize(3, 2))
    assert found.keys.tolist() == [Position("21", board="3x2").canonical_key]


def test_written_lines_agree_with_the_solver() -> None:
    solver = Solver(table_mb=1)
    for line, text in zip(lines("c4solver", all_moves=True), lines("refmoves"), strict=True):
        moves, *scores = line.split()
        position = Position(moves, board=SMALL)
        found = solver.analyze(position)
        assert list(map(int, scores)) == [-1000 if s is None else s for s in found.scores]
        fields = json.loads(text)
        assert fields["move score"] == [-99 if s is None else s for s in found.scores]
        assert fields["score"] == found.score
        marks = [".xo".index(stone) for stone in str(position).replace("\n", "")]
        assert fields["board"] == marks


def test_the_empty_board_and_finished_games() -> None:
    found = read(" 1\n1122334 5\n4 -1\n")
    assert found.keys.tolist() == [Position(moves).canonical_key for moves in ("", "4")]
    assert (found.over, found.lines.tolist()) == (1, [1, 3])


BAD_LINES = {
    line[:60]: line
    for line in (
        "4453", "", "4453 1 2", "4453 x", "4453 1.5", "4453 99999999999", "4453 22", "4458 1",
        "4444444 1", "4453 -5 -5 -1000 -3 -4 -2 -2", "444444 -1 -2 -3 -4 -5 -6 -7", "{}",
        '{"board": [0], "score": 1, "move score": []}', "[" * 90, "1" * 70_000,
    )
} | {
    name: json.dumps({"board": board, "score": score, "move score": scores})
    for name, board, score, scores in (
        ("a stone of nobody", [3] * 42, 1, SCORES),
        ("a truth value as a score", BOARD, True, SCORES),
        ("one score of a move", BOARD, 1, [1]),
        ("one side alone", [1] * 42, 1, SCORES),
    )
}  # fmt: skip


def test_bad_lines_are_refused(snapshot: SnapshotAssertion) -> None:
    found = {
        name: refusal(read, f"{KNOWN} -2\n{line}\n", error=DatasetError)
        for name, line in BAD_LINES.items()
    }
    assert max(map(len, found.values())) < 300
    assert found == snapshot
    assert refusal(read, "", error=DatasetError).endswith("has no lines")


def test_a_part_is_read_by_its_name(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["jsonl", "npz"])
    records, card = read_part(tmp_path, "test")
    assert (card.size, card.seed) == (SMALL, 1)
    assert records["key"].tolist() == TEST["key"].tolist()
    (tmp_path / "test.npz").unlink()
    with pytest.raises(DatasetError, match=r"test\.npz: missing"):
        read_part(tmp_path, "test")
    write_npz(tmp_path / "train.npz", TEST, "{}")
    with pytest.raises(DatasetError, match="not the file that was written"):
        read_part(tmp_path, "train")
    with pytest.raises(DatasetError, match="no part nothing"):
        read_part(tmp_path, "nothing")
    write_dataset(tmp_path, PARTS, CARD, formats=["jsonl"], replace=True)
    with pytest.raises(DatasetError, match="part test has no NPZ file"):
        read_part(tmp_path, "test")
