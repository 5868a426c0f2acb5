"""Data set files: they are read as written, and all faults are reported.

Hostile files are in ``tests/support/hostile``.
"""

import json
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.dataset import reading
from c4core.dataset.card import read_card
from c4core.dataset.files import MemoryBudget
from c4core.dataset.reading import FORMATS, inspect, part_problems
from c4core.dataset.writing import write_dataset
from c4core.errors import DatasetError
from tests.support.boards.datasets import (
    check_densest_part,
    check_there_and_back,
    check_wrong_bytes,
    made,
    recipe,
)
from tests.support.refusals import refusal

PARTS, CARD = made(recipe())
TERMS = read_card(json.dumps(CARD), "card.json")[1]
ENDINGS = ["npz", "jsonl"]
"""tests/release/extras/parquet covers Parquet."""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A data set in two formats."""
    write_dataset(tmp_path, PARTS, CARD, formats=["npz", "jsonl"])
    return tmp_path


def rewrite(path: Path, change: Any) -> None:  # noqa: ANN401
    """Rewrite an NPZ file with other contents."""
    records, text = FORMATS["npz"].read(path)
    change(records)
    FORMATS["npz"].write(path, records, text or "")


@pytest.mark.parametrize("ending", ENDINGS)
def test_records_are_read_as_written(tmp_path: Path, ending: str) -> None:
    check_there_and_back(tmp_path, ending)


def test_npz_has_the_documented_format(directory: Path) -> None:
    with np.load(directory / "train.npz", allow_pickle=False) as archive:
        number = len(archive["key"])
        shapes = {name: (archive[name].dtype.str, archive[name].shape) for name in archive.files}
    assert shapes.pop("card")[0].startswith("<U")
    assert shapes == {
        "planes": ("|u1", (number, 2, 4, 5)),
        "moves": ("|S20", (number,)),
        "ply": ("|u1", (number,)),
        "side": ("|u1", (number,)),
        "key": ("<u8", (number,)),
        "score": ("|i1", (number,)),
        "value": ("|i1", (number,)),
        "distance": ("|u1", (number,)),
        "column_scores": ("|i1", (number, 5)),
        "best": ("|u1", (number, 5)),
        "quiet": ("|u1", (number,)),
        "decisive": ("|u1", (number,)),
    }


def test_an_intact_data_set_has_no_problems(directory: Path) -> None:
    found = inspect(directory)
    assert (found.problems, len(found.files)) == ([], 6)
    assert inspect(directory / "card.json").problems == []
    assert inspect(directory / "test.npz").problems == []
    assert inspect(directory / "test.jsonl").files == ["test.jsonl"]


@pytest.mark.parametrize(
    "column", ["planes", "ply", "distance", "best", "quiet", "decisive", "moves"]
)
def test_a_wrong_entry_is_reported(directory: Path, column: str) -> None:
    def change(records: dict[str, Any]) -> None:
        array = records[column]
        array[3] = b"" if column == "moves" else array[3] + 1

    rewrite(directory / "train.npz", change)
    for place in (directory, directory / "train.npz"):
        assert any(
            f"a wrong entry in column {column} (the first is number 4)" in problem
            for problem in inspect(place).problems
        )
        assert any("sha256" in problem for problem in inspect(place).problems)
    (directory / "card.json").unlink()
    assert not any("sha256" in each for each in inspect(directory / "train.npz").problems)


def test_an_impossible_column_score_is_reported(directory: Path) -> None:
    def change(records: dict[str, Any]) -> None:
        records["column_scores"][0, np.argmax(records["column_scores"][0])] = -128

    rewrite(directory / "train.npz", change)
    (problem,) = [each for each in inspect(directory / "train.npz").problems if "full" in each]
    assert problem.startswith("train.npz: 1 position has a score for a full column, or none")


def test_a_position_in_the_wrong_part_is_reported(directory: Path) -> None:
    other, _ = FORMATS["npz"].read(directory / "test.npz")

    def change(records: dict[str, Any]) -> None:
        for name, array in records.items():
            array[0] = other[name][0]

    rewrite(directory / "train.npz", change)
    alone = inspect(directory / "train.npz").problems
    assert any("1 position has a position of another part" in problem for problem in alone)
    together = inspect(directory).problems
    assert "1 positions are in train and in test" in together


def test_a_repeated_position_is_reported(directory: Path) -> None:
    def change(records: dict[str, Any]) -> None:
        for array in records.values():
            array[0] = array[1]

    rewrite(directory / "train.npz", change)
    problems = inspect(directory / "train.npz").problems
    assert "train.npz: 1 positions occur more than once" in problems


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda records: records.pop("ply"), "no column ply"),
        (lambda records: records.update(ply=records["ply"][1:]), "column ply has the shape"),
        (lambda records: records.update(key=records["key"] + np.uint64(1 << 63)), "is not a key"),
    ],
)
def test_bad_columns_are_reported(directory: Path, change: Any, message: str) -> None:  # noqa: ANN401
    rewrite(directory / "test.npz", change)
    assert message in " ".join(inspect(directory / "test.npz").problems)


def test_missing_and_foreign_files_are_reported(directory: Path) -> None:
    (directory / "test.npz").unlink()
    (directory / "train.parquet").write_bytes(b"of another build")
    problems = inspect(directory).problems
    assert problems == [
        "test.npz: missing",
        "train.parquet: not of this data set: the card does not name it",
    ]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PAR1", b"[1]\n", b'{"key": "x"}\n{}\n'])
def test_bad_files_are_refused(directory: Path, ending: str, content: bytes) -> None:
    path = directory / f"train.{ending}"
    path.write_bytes(content)
    if ending == "jsonl" and not content:
        assert "no column" in " ".join(inspect(path).problems)
        return
    with pytest.raises(DatasetError, match=path.name):
        inspect(path)


def test_a_truncated_file_is_refused(directory: Path) -> None:
    path = directory / "train.npz"
    atomic_file = path.read_bytes()
    path.write_bytes(atomic_file[: len(atomic_file) // 2])
    with pytest.raises(DatasetError, match=r"train\.npz"):
        inspect(path)
    assert any("train.npz" in problem for problem in inspect(directory).problems)


@pytest.mark.parametrize("ending", ENDINGS)
def test_any_changed_byte_is_an_error_or_a_problem(directory: Path, ending: str) -> None:
    write_dataset(directory, PARTS, CARD, formats=[ending], replace=True)
    check_wrong_bytes(directory, ending, times=40)


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (1" + b"0" * 30 + b",)}",
        b"{'descr': '<i8', 'fortran_order': False, 'shape': (1" + b"0" * 15 + b",)}",
        b"{'descr'",
        b"(" * 5_000,
    ],
    ids=["too long for a number", "too large for a memory", "cut off", "nested too deeply"],
)
def test_an_array_with_a_bad_header_is_refused(directory: Path, header: bytes) -> None:
    magic = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
    with zipfile.ZipFile(directory / "train.npz", "w") as archive:
        archive.writestr("key.npy", magic + header)
    with pytest.raises(DatasetError, match=r"train\.npz: not an NPZ data set"):
        inspect(directory / "train.npz")


BAD_FACTS: list[dict[str, Any]] = [
    {"format": 1},
    {"format": 3},
    {"format": True},
    {"license": "a b"},
    {"limitations": None},
    {"neighbours": {"choice": "x", "linked": {}}},
    {"neighbours": {"choice": "keep", "linked": {}}},
    {"neighbours": {"choice": "keep", "linked": 5}},
    {"board": 5},
    {"board": "9x9"},
    {"seed": None},
    {"title": None},
    {"source": 5},
    {"source": {}},
    {"asked": "x"},
    {"drawn": float("inf")},
    {"columns": [5]},
    {"columns": [{"name": 5}]},
    {"seed": float("inf")},
    {"seed": -1},
    {"seed": 1 << 64},
    {"splits": []},
    {"splits": {"train": 5}},
    {"splits": {"train": {"plies": [5]}}},
    {"split": 5},
    {"split": {"shares": 1}},
    {"split": {"shares": "1"}},
    {"representation": 5},
    {"representation": ["words"]},
    {"splits": {"train": {"plies": [{}]}}},
    {"files": 5},
    {"files": [5]},
    {"files": [{"name": "../x", "split": "train", "sha256": ""}]},
]


def test_bad_cards_are_refused(directory: Path, snapshot: SnapshotAssertion) -> None:
    path = directory / "card.json"
    good = json.loads(path.read_text())

    def said(change: dict[str, Any]) -> str:
        path.write_text(json.dumps(good | change))
        return refusal(inspect, directory, error=DatasetError, hiding=directory)

    assert {json.dumps(change): said(change) for change in BAD_FACTS} == snapshot


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", "\udcff"])
def test_a_card_must_be_an_object(directory: Path, text: str, snapshot: SnapshotAssertion) -> None:
    (directory / "card.json").write_bytes(text.encode(errors="surrogateescape"))
    assert refusal(inspect, directory, error=DatasetError, hiding=directory) == snapshot


def test_a_missing_card_or_data_set_is_reported(directory: Path) -> None:
    (directory / "card.json").unlink()
    with pytest.raises(DatasetError, match=r"card\.json: missing"):
        inspect(directory)
    with pytest.raises(DatasetError, match=r"card\.json: missing"):
        inspect(directory / "train.jsonl")
    with pytest.raises(DatasetError, match="not a file of a data set"):
        inspect(directory / "README.md")


def test_parquet_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(DatasetError, match=r"pip install pyarrow"):
        FORMATS["parquet"].write(tmp_path / "a.parquet", PARTS["train"], "")


def test_only_one_copy_of_a_column_is_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "train.npz"
    size = 32 << 20
    planes = np.ones((size // 40, 2, 4, 5), dtype=np.uint8)
    np.savez(path, planes=planes, card=np.array("{}"))  # not compressed: as large as the column
    tracemalloc.start()
    found, _ = FORMATS["npz"].read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(found["planes"], planes)
    assert peak < 1.3 * size


@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_are_read(tmp_path: Path, representations: tuple[str, ...]) -> None:
    check_densest_part(tmp_path / "train.npz", representations)


def test_columns_beyond_the_allowance_are_refused() -> None:
    allowance = MemoryBudget(1_000_000)
    allowance.take("ply", "u1", (32_000_000,))
    with pytest.raises(ValueError, match="side would take 1 bytes, too many"):
        allowance.take("side", "u1", (1,))


def test_lines_of_moves_of_repeated_positions_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such a file is small, but comparing each line of moves would take time."""
    monkeypatch.setattr(reading, "make_records", None)
    records = {name: np.repeat(array, 2, axis=0) for name, array in PARTS["train"].items()}
    number = len(PARTS["train"]["key"])
    assert list(part_problems(records, TERMS, "train")) == [
        f"{number} positions occur more than once"
    ]


def test_the_number_of_problems_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    records = PARTS["train"] | {
        name: PARTS["train"][name] + 1 for name in ("planes", "ply", "side", "score", "value")
    }
    assert len(list(part_problems(records, TERMS, "train"))) == 6
    monkeypatch.setattr(reading, "MAX_PROBLEMS", 3)
    assert len(list(part_problems(records, TERMS, "train"))) == 3
