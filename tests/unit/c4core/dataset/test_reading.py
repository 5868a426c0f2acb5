"""Data set files: they are read as written, and all faults are reported."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from c4core.dataset import reading
from c4core.dataset.card import MAX_CARD, read_card
from c4core.dataset.files import read_npz, write_jsonl, write_npz, write_parquet
from c4core.dataset.reading import inspect, part_problems
from c4core.dataset.writing import write_dataset
from c4core.errors import DatasetError
from tests.support.boards.datasets import (
    check_densest_part,
    check_wrong_bytes,
    made,
    recipe,
)
from tests.support.refusals import refusal

PARTS, CARD = made(recipe())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A data set in two formats."""
    write_dataset(tmp_path, PARTS, CARD, formats=["npz", "jsonl"])
    return tmp_path


def test_records_are_read_as_written(tmp_path: Path) -> None:
    """The same data set has the same bytes, and every part and its card are read again."""
    digests = []
    for name in ("first", "second"):
        there = tmp_path / name
        there.mkdir()
        parts, card = made(recipe())
        complete = write_dataset(there, parts, card, formats=["npz"])
        digests.append([file.sha256 for file in complete.files])
        assert inspect(there).problems == []
        for part, records in parts.items():
            found, text = read_npz(there / f"{part}.npz")
            assert {name: array.tolist() for name, array in found.items()} == {
                name: array.tolist() for name, array in records.items()
            }
            assert read_card(text, "x") == replace(card, part=part)
    assert digests[0] == digests[1]


def test_json_lines_have_the_documented_fields(tmp_path: Path) -> None:
    records = PARTS["train"]
    write_jsonl(tmp_path / "a.jsonl", records, "")
    lines = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(lines) == len(records["key"])
    for index, line in enumerate(lines):
        scores = [-128 if score is None else score for score in line["column_scores"]]
        found = line | {"column_scores": scores, "moves": line["moves"].encode()}
        assert found == {name: array[index].tolist() for name, array in records.items()}


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


def test_a_wrong_entry_is_reported(directory: Path, snapshot: SnapshotAssertion) -> None:
    path = directory / "train.npz"
    good, (other, _) = path.read_bytes(), read_npz(directory / "test.npz")

    def said(change: Callable[[dict[str, Any]], object]) -> list[str]:
        path.write_bytes(good)
        records, text = read_npz(path)
        change(records)
        write_npz(path, records, text)
        return inspect(path).problems

    def wrong(column: str) -> list[str]:
        def change(records: dict[str, Any]) -> None:
            array = records[column]
            array[3] = b"" if column == "moves" else array[3] + 1

        return said(change)

    def without_a_score(records: dict[str, Any]) -> None:
        records["column_scores"][0, np.argmax(records["column_scores"][0])] = -128

    def repeated(records: dict[str, Any]) -> None:
        for array in records.values():
            array[0] = array[1]

    def of_another_part(records: dict[str, Any]) -> None:
        for name, array in records.items():
            array[0] = other[name][0]

    columns = ("planes", "ply", "distance", "best", "quiet", "decisive", "moves")
    assert {column: wrong(column) for column in columns} == snapshot(name="columns")
    assert {
        "no ply": said(lambda records: records.pop("ply")),
        "fewer plies": said(lambda records: records.update(ply=records["ply"][1:])),
        "no keys": said(lambda records: records.update(key=records["key"] + np.uint64(1 << 63))),
        "no score": said(without_a_score),
        "repeated": said(repeated),
        "of another part": said(of_another_part),
        "of another part, with the others": inspect(directory).problems,
    } == snapshot(name="entries")
    (directory / "card.json").unlink()
    assert not any("sha256" in problem for problem in inspect(path).problems)


def test_missing_and_foreign_files_are_reported(directory: Path) -> None:
    (directory / "test.npz").unlink()
    (directory / "train.parquet").write_bytes(b"of another build")
    problems = inspect(directory).problems
    assert problems == [
        "test.npz: missing",
        "train.parquet: not of this data set: the card does not name it",
    ]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PAR1", b"[1]\n"])
def test_bad_files_are_refused(directory: Path, content: bytes) -> None:
    for name in ("train.npz", "train.jsonl"):
        (directory / name).write_bytes(content)
    with pytest.raises(DatasetError, match=r"train\.npz"):
        inspect(directory / "train.npz")
    wrong = "train.jsonl: not the file that was written with the card (sha256)"
    assert inspect(directory / "train.jsonl").problems == [wrong]
    problems = inspect(directory).problems
    assert wrong in problems
    assert any("train.npz" in problem for problem in problems)


@pytest.mark.parametrize("ending", ["npz", "jsonl"])
def test_any_changed_byte_is_an_error_or_a_problem(directory: Path, ending: str) -> None:
    check_wrong_bytes(directory, ending, times=40)


BAD_FACTS: list[dict[str, Any]] = [
    {"format": 1}, {"format": 3}, {"format": True}, {"license": "a b"},
    {"neighbours": {}}, {"neighbours": {"train": 1, "validation": 1, "test": -1}},
    {"neighbours": 5}, {"board": "9x9"}, {"source": {}},
    {"drawn": float("inf")}, {"positions": -1}, {"columns": [5]}, {"columns": [{"name": 5}]},
    {"seed": float("inf")},
    {"seed": -1}, {"seed": 1 << 64}, {"splits": {"train": 5}},
    {"splits": {"train": {"plies": [5]}}}, {"splits": {"train": {"plies": [{}]}}},
    {"split": {"shares": 1}}, {"split": {"shares": "1"}}, {"representation": ["words"]},
    {"files": [{"name": "x.npz", "split": "train", "positions": 1, "sha256": "0"}]},
    {"files": 2 * [{"name": "train.npz", "split": "train", "positions": 1, "sha256": "0"}]},
    {"files": [5]}, {"files": [{"name": "../x", "split": "train", "sha256": ""}]},
]  # fmt: skip


def test_bad_cards_are_refused(directory: Path, snapshot: SnapshotAssertion) -> None:
    path = directory / "card.json"
    good = json.loads(path.read_text())

    def said(text: str) -> str:
        path.write_bytes(text.encode(errors="surrogateescape"))
        return refusal(inspect, directory, error=DatasetError, hiding=directory)

    unchecked = {"sampling", "labels", "orientation", "order"}  # texts that nothing depends on
    train = good["splits"]["train"]
    plies = [{"splits": good["splits"] | {"train": train | {"plies": [{}] * n}}} for n in (1, 99)]
    found = [said(json.dumps(good | change)) for change in (*plies, {"title": "x" * MAX_CARD})]
    assert found == snapshot(name="counts")
    changes = [*BAD_FACTS, *({name: None} for name in good if name not in unchecked)]
    found = {json.dumps(change): said(json.dumps(good | change)) for change in changes}
    assert found == snapshot
    assert [said(text) for text in ("", "[]", "{}", "nonsense", "\udcff")] == snapshot


def test_a_missing_card_or_data_set_is_reported(directory: Path) -> None:
    (directory / "card.json").unlink()
    for path in (directory, directory / "train.jsonl"):
        with pytest.raises(DatasetError, match=r"card\.json: missing"):
            inspect(path)
    with pytest.raises(DatasetError, match="not a file of a data set"):
        inspect(directory / "README.md")


def test_parquet_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(DatasetError, match=r"pip install pyarrow"):
        write_parquet(tmp_path / "a.parquet", PARTS["train"], "")


def test_only_one_copy_of_a_column_is_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "train.npz"
    size = 32 << 20
    planes = np.ones((size // 40, 2, 4, 5), dtype=np.uint8)
    np.savez(path, planes=planes, card=np.array("{}"))  # not compressed: as large as the column
    tracemalloc.start()
    found, _ = read_npz(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(found["planes"], planes)
    assert peak < 1.3 * size


@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_are_read(tmp_path: Path, representations: tuple[str, ...]) -> None:
    check_densest_part(tmp_path / "train.npz", representations)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.npz"
    np.savez_compressed(path, planes=np.zeros(1 << 20, dtype=np.uint8), card=np.array("{}"))
    with pytest.raises(DatasetError, match=r"unpacks to 1,048,[0-9]* bytes, too many"):
        read_npz(path)


def test_the_number_of_problems_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    records = PARTS["train"] | {
        name: PARTS["train"][name] + 1 for name in ("planes", "ply", "side", "score", "value")
    }
    assert len(list(part_problems(records, CARD, "train"))) == 6
    monkeypatch.setattr(reading, "MAX_PROBLEMS", 3)
    assert len(list(part_problems(records, CARD, "train"))) == 3
