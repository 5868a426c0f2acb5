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
from c4core.dataset.lots import are_mirrored
from c4core.dataset.reading import read_part
from c4core.dataset.records import turn
from c4core.dataset.writing import write_dataset
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE
from tests.support.boards.datasets import SMALL, made, recipe
from tests.support.refusals import refusal

PARTS, CARD = made(recipe())
TEST = PARTS["test"]
SEVEN = BoardSize(7, 6)

KNOWN = "4453"
SCORES = [-5, -5, -2, -3, -4, -2, -2]
"""The scores of the position's columns."""
BOARD = [0] * 28 + [0, 0, 0, 2, 0, 0, 0] + [0, 0, 2, 1, 1, 0, 0]
"""The position in ConnectX's format."""


def read(text: str, board: BoardSize = SEVEN) -> Stated:
    return read_stated(io.BytesIO(text.encode()), name="x.txt", board=board)


def lines(form: Any, **others: bool) -> list[str]:  # noqa: ANN401
    return list(exchange_lines(TEST, SMALL, 1, form, **others))


@pytest.mark.parametrize(
    ("form", "others"), [("c4solver", {}), ("c4solver", {"all_moves": True}), ("refmoves", {})]
)
def test_positions_and_scores_round_trip(form: str, others: dict[str, bool]) -> None:
    stated = read("\n".join(lines(form, **others)), SMALL)
    assert stated.keys.tolist() == TEST["key"].tolist()
    assert stated.scores.tolist() == TEST["score"].tolist()
    canonical = turn(TEST["column_scores"].astype(np.int8), are_mirrored(stated.keys, 1))
    wanted = canonical if others or form == "refmoves" else np.full_like(canonical, NOT_STATED)
    assert stated.column_scores.tolist() == wanted.tolist()
    order = np.argsort(stated.keys)
    found = stated.compare(stated.keys[order], canonical[order])
    assert found == (len(stated.keys), 0, None, False)


def test_weak_scores_are_compared_as_results() -> None:
    order = np.argsort(TEST["key"])
    keys = TEST["key"][order].astype(np.uint64)
    labels = turn(TEST["column_scores"][order].astype(np.int8), are_mirrored(keys, 1))
    for form, others in (("c4solver", {}), ("c4solver", {"all_moves": True}), ("refmoves", {})):
        written = lines(form, weak=True, **others)
        found = read("\n".join(written), SMALL).compare(keys, labels)
        assert found == (len(keys), 0, None, True)
    written = lines("c4solver", weak=True)
    moves, result = written[3].split()
    written[3] = f"{moves} {0 if int(result) else 1}"
    found = read("\n".join(written), SMALL).compare(keys, labels)
    assert found == (len(keys), 1, 4, True)


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


def test_written_lines_agree_with_the_solver() -> None:
    solver = Solver(table_mb=1)
    for line, fields in zip(
        lines("c4solver", all_moves=True), map(json.loads, lines("refmoves")), strict=True
    ):
        moves, *scores = line.split()
        position = Position(moves, width=SMALL.width, height=SMALL.height)
        analysis = solver.analyze(position)
        assert [int(each) for each in scores] == [
            -1000 if score is None else score for score in analysis.scores
        ]
        assert fields["move score"] == [
            -99 if score is None else score for score in analysis.scores
        ]
        assert fields["score"] == analysis.score
        marks = [".xo".index(stone) for stone in str(position).replace("\n", "")]
        assert fields["board"] == marks


def test_wrong_labels_are_found() -> None:
    order = np.argsort(TEST["key"])
    keys = TEST["key"][order].astype(np.uint64)
    labels = turn(TEST["column_scores"][order].astype(np.int8), are_mirrored(keys, 1))
    written = lines("c4solver")
    moves, score = written[5].split()
    written[5] = f"{moves} {int(score) + 2}"
    found = read("\n".join(written), SMALL).compare(keys, labels)
    assert found == (len(keys), 1, 6, False)
    assert read("\n".join(written), SMALL).compare(keys[:0], labels[:0]).positions == 0


def test_the_empty_board_and_finished_games() -> None:
    found = read(" 1\n1122334 5\n4 -1\n")
    assert found.keys.tolist() == [Position(moves).canonical_key for moves in ("", "4")]
    assert (found.over, found.lines.tolist()) == (1, [1, 3])


BAD_LINES = {
    line[:60]: line
    for line in (
        "4453",
        "",
        "4453 1 2",
        "4453 x",
        "4453 1.5",
        "4453 99999999999",
        "4453 22",
        "4458 1",
        "4444444 1",
        "4453 -5 -5 -1000 -3 -4 -2 -2",
        "444444 -1 -2 -3 -4 -5 -6 -7",
        "{}",
        '{"board": [0], "score": 1, "move score": []}',
        "[" * 90,
        "1" * 70_000,
    )
} | {
    name: json.dumps({"board": board, "score": score, "move score": scores})
    for name, board, score, scores in (
        ("a stone of nobody", [3] * 42, 1, SCORES),
        ("a truth value as a score", BOARD, True, SCORES),
        ("one score of a move", BOARD, 1, [1]),
        ("one side alone", [1] * 42, 1, SCORES),
    )
}


def test_bad_lines_are_refused(snapshot: SnapshotAssertion) -> None:
    found = {
        name: refusal(read, f"{KNOWN} -2\n{line}\n", error=DatasetError)
        for name, line in BAD_LINES.items()
    }
    assert max(map(len, found.values())) < 300
    assert found == snapshot


@pytest.mark.parametrize("line", ["{", '{"board": [' + "[" * 50_000], ids=["cut off", "deep"])
def test_json_that_python_refuses_is_reported(line: str) -> None:
    with pytest.raises(DatasetError, match=r"x\.txt, line 1") as caught:
        read(line + "\n")
    assert len(str(caught.value)) < 300


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(DatasetError, match="has no lines"):
        read("")


def test_a_part_is_read_by_its_name(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["jsonl"])
    records, terms = read_part(tmp_path, "test")
    assert (terms.board, terms.seed) == (SMALL, 1)
    assert records["key"].tolist() == TEST["key"].tolist()
    (tmp_path / "test.jsonl").unlink()
    with pytest.raises(DatasetError, match=r"test\.jsonl: missing"):
        read_part(tmp_path, "test")
    text = (tmp_path / "train.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "train.jsonl").write_text("".join(text[1:]))
    with pytest.raises(DatasetError, match="not the file that was written"):
        read_part(tmp_path, "train")
    with pytest.raises(DatasetError, match="no part nothing"):
        read_part(tmp_path, "nothing")
