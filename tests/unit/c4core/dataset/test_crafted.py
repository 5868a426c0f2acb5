"""Data sets that somebody has made on purpose: a message, little memory, and not much time."""

import json
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from c4core.arrays import canonical_keys
from c4core.batch import UNPLAYABLE
from c4core.dataset import checking
from c4core.dataset.allowance import LEAST_FILE, MAX_CARD, MAX_PER_BYTE, Allowance
from c4core.dataset.card.reading import read_card
from c4core.dataset.checking import part_problems
from c4core.dataset.directory import write_dataset
from c4core.dataset.errors import DatasetError
from c4core.dataset.formats import FORMATS
from c4core.dataset.inspection import inspect
from c4core.dataset.records import are_full, make_records
from c4core.notation import BoardSize
from c4core.position import Position
from tests.support.boards.datasets import made, recipe
from tests.support.running.command_line import C4

PARTS, CARD = made(recipe(representations=("planes", "moves")))
MEMORY = 60_000_000
"""Bytes that looking at a file of some kilobytes may take at most."""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write_dataset(tmp_path, PARTS, CARD, formats=["npz", "jsonl"])
    return tmp_path


def refused(path: Path) -> str:
    """What is wrong with a file, as it is said; looking at it takes little memory."""
    tracemalloc.start()
    try:
        found = inspect(path)
        problems = found.problems
    except DatasetError as error:
        problems = [str(error)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problems
    assert peak < MEMORY
    return " ".join(problems)


def zeros(path: Path, name: str, header: str, content: int) -> None:
    """An NPZ file with an array of zeros, written without taking its memory."""
    text = header.encode().ljust(118) + b"\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(f"{name}.npy", "w") as stream:
            stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text)
            for _ in range(content >> 20):
                stream.write(bytes(1 << 20))
        archive.writestr("last.npy", b"")


PLANES = "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 2, 4, 5)}"


def test_a_small_file_of_large_columns(directory: Path) -> None:
    path = directory / "train.npz"
    zeros(path, "planes", PLANES % ((100 << 20) // 40), 100 << 20)
    assert path.stat().st_size < 300_000
    assert "column planes would take" in refused(path)
    assert "column planes would take" in refused(directory)


def test_a_column_is_held_once(tmp_path: Path) -> None:
    path = tmp_path / "train.npz"
    size = 24 << 20
    planes = np.random.default_rng(1).integers(0, 2, (size // 40, 2, 4, 5), dtype=np.uint8)
    FORMATS["npz"].write(path, {"planes": planes}, "{}")
    tracemalloc.start()
    found, _ = FORMATS["npz"].read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(found["planes"], planes)
    assert peak < 1.3 * size


def test_many_columns_together(directory: Path) -> None:
    path = directory / "train.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in PARTS["train"]:
            dtype = PARTS["train"][name].dtype
            with archive.open(f"{name}.npy", "w") as stream:
                np.lib.format.write_array(stream, np.zeros(900_000 // dtype.itemsize, dtype))
    assert "would take" in refused(path)


def first_positions(board: BoardSize, plies: int) -> np.ndarray:
    """The canonical keys of all positions with so many stones or fewer."""
    level, found = [Position(width=board.width, height=board.height)], []
    for _ in range(plies + 1):
        keys = np.array(sorted({position.key for position in level}), dtype=np.uint64)
        canonical, _ = canonical_keys(keys, width=board.width, height=board.height)
        found.append(np.unique(canonical))
        known = [Position.from_key(key, width=board.width, height=board.height)
                 for key in found[-1].tolist()]  # fmt: skip
        level = [position.play(column) for position in known for column in position.legal_columns()]
    return np.concatenate(found)


@pytest.mark.parametrize("name", ["npz", "parquet"])
@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_that_there_are(
    tmp_path: Path, name: str, representations: tuple[str, ...]
) -> None:
    """All first positions of the largest board take the most memory for each byte of a file."""
    if name == "parquet":
        pytest.importorskip("pyarrow.parquet")
    board = BoardSize(8, 7)
    keys = np.random.default_rng(1).permutation(first_positions(board, 4))
    scores = np.where(are_full(keys, board), UNPLAYABLE, 0).astype(np.int8)
    records = make_records(keys, scores, board=board, seed=1, representations=representations)
    path = tmp_path / f"train.{name}"
    FORMATS[name].write(path, records, "{}")
    taken = sum(array.nbytes for array in records.values())
    assert taken < 0.6 * MAX_PER_BYTE * max(path.stat().st_size, LEAST_FILE)
    found, _ = FORMATS[name].read(path)
    assert found["key"].tolist() == keys.tolist()


def test_no_column_takes_twice_as_much_as_in_the_densest_parts() -> None:
    allowance = Allowance(1_000_000)
    allowance.take("ply", "u1", (32_000_000,))
    with pytest.raises(
        ValueError, match="side would take 1 bytes, too many for a data set in a file"
    ):
        allowance.take("side", "u1", (1,))


class TestOnePositionManyTimes:
    """Such a file is small, and every line of moves that it is held against takes its time."""

    TERMS = read_card(json.dumps(CARD), "card.json")[1]

    def test_no_lines_of_moves_are_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(checking, "make_records", None)
        records = {name: np.repeat(array, 2, axis=0) for name, array in PARTS["train"].items()}
        number = len(PARTS["train"]["key"])
        assert list(part_problems(records, self.TERMS, "train")) == [
            f"{number} positions occur more than once"
        ]


def test_the_first_problems_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    terms = TestOnePositionManyTimes.TERMS
    records = PARTS["train"] | {
        name: PARTS["train"][name] + 1 for name in ("planes", "ply", "side", "score", "value")
    }
    assert len(list(part_problems(records, terms, "train"))) == 6
    monkeypatch.setattr(checking, "MAX_PROBLEMS", 3)
    assert len(list(part_problems(records, terms, "train"))) == 3


def many_members(number: int) -> bytes:
    """An archive that has the same member so many times."""
    name, content = b"card.npy", b"x"
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 1, 1, len(name), 0) + name
    entry = struct.pack(
        "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 1, 1, len(name), 0, 0, 0, 0, 0, 0
    )
    listed = (entry + name) * number
    begin = len(local + content)
    count = number % (1 << 16)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, len(listed), begin, 0)
    return local + content + listed + end


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (14, "it has 14 members, and no data set has more than 13"),
        (15_000, "it has 15,000 members"),
        (400_000, "its list of members is too long"),
    ],
)
def test_an_archive_of_many_members(directory: Path, number: int, message: str) -> None:
    path = directory / "train.npz"
    path.write_bytes(many_members(number))
    assert message in refused(path)


def test_an_archive_with_a_long_comment(directory: Path) -> None:
    path = directory / "train.npz"
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"x" * 60_000
    records, _ = FORMATS["npz"].read(path)
    assert list(records) == list(PARTS["train"])


def test_an_array_that_is_larger_than_it_says(directory: Path) -> None:
    path = directory / "train.npz"
    zeros(path, "planes", PLANES % 1, 100 << 20)
    assert "another size than it says" in refused(path)


def test_an_archive_that_lies_about_sizes(directory: Path) -> None:
    path = directory / "train.npz"
    zeros(path, "planes", PLANES % 1, 100 << 20)
    size = 128 + (100 << 20)
    content = path.read_bytes().replace(struct.pack("<I", size), struct.pack("<I", 168))
    path.write_bytes(content)
    assert "train.npz" in refused(path)


@pytest.mark.parametrize("dtype", ["<U50000000", "|V50000000", "<U50000000, <U5", "|S70", "|O"])
@pytest.mark.parametrize("name", ["moves", "card"])
def test_an_array_of_another_type(directory: Path, dtype: str, name: str) -> None:
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': ()}}"
    zeros(directory / "train.npz", name, text, 64 << 20)
    assert "train.npz" in refused(directory / "train.npz")


@pytest.mark.parametrize("shape", [(0,), (), (0, 3), (3, 0)])
def test_keys_of_another_shape(directory: Path, shape: tuple[int, ...]) -> None:
    records, text = FORMATS["npz"].read(directory / "train.npz")
    records["key"] = np.zeros(shape, dtype=np.uint64)
    FORMATS["npz"].write(directory / "train.npz", records, text or "")
    assert "instead of (" in refused(directory / "train.npz")
    assert "instead of (" in refused(directory)


def test_a_foreign_column(directory: Path) -> None:
    records, text = FORMATS["npz"].read(directory / "train.npz")
    more = {**records, "more": records["ply"]}
    del more["moves"]  # more members than a data set has would be refused before
    FORMATS["npz"].write(directory / "train.npz", more, text or "")
    assert "an unknown column more" in refused(directory / "train.npz")


FILE = CARD | {"files": [{"name": "train.npz", "split": "train", "sha256": "0"}]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"files": [{"name": {}, "split": "train", "sha256": ""}]}, "it names a file {}"),
        ({"files": [{"name": ["x"], "split": "train", "sha256": ""}]}, "it names a file"),
        ({"files": [{"name": "..", "split": "train", "sha256": ""}]}, "it names a file '..'"),
        ({"files": [{"name": "train.x/../y", "split": "train", "sha256": ""}]}, "names a file"),
        ({"files": [{"name": "train.npz", "split": {}, "sha256": ""}]}, "no data card"),
        ({"files": FILE["files"] * 2}, "names a file twice"),
        ({"title": "\ud800"}, "surrogates not allowed"),
        ({"title": "x" * MAX_CARD}, "longer than"),
        ({"splits": {"train": {"positions": 10**400, "plies": []}}}, "positions cannot be 1000"),
        ({"splits": {"train": {"positions": True, "plies": []}}}, "positions cannot be True"),
        ({"splits": {"train": {"plies": [{}] * 10**5}}}, "more plies than the board"),
        ({"splits": {"train": {**CARD["splits"]["train"], "plies": [{}]}}}, "is missing"),
        ({"command": None}, "command cannot be None"),
        ({"x": json.loads("[" * 100 + "]" * 100)}, "nested more than 100 deep"),
        ({"x": json.loads("[" * 900 + "]" * 900)}, "nested more than 100 deep"),
        ({"command": [0] * 10**5}, r"command cannot be \[0, 0, 0, 0, 0, 0, \.\.\.\]"),
    ],
)
def test_cards(directory: Path, change: dict[str, Any], message: str) -> None:
    path = directory / "card.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DatasetError, match=message) as caught:
        inspect(directory)
    assert len(str(caught.value)) < 500


ROW = {name: array[:1].tolist()[0] for name, array in PARTS["train"].items()} | {"moves": "1"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": "1" * 100}, "line 1: .*no such text"),
        ({"moves": 5}, "no such text"),
        ({"moves": "1" * 5000}, "line 1: .*longer than 4,096 bytes"),
        ({"moves": "é"}, "can't encode"),
        ({"ply": 1.5}, "column ply is of type float64"),
        ({"ply": True}, "column ply is of type bool"),
        ({"ply": float("nan")}, "column ply is of type float64"),
        ({"ply": 256}, "column ply has a number that is out of range"),
        ({"ply": -1}, "column ply has a number that is out of range"),
        ({"key": 1 << 64}, "column key has a number that is out of range"),
        ({"key": []}, "column key has something that is no whole number"),
        ({"key": True}, "column key has something that is no whole number"),
        ({"key": 1.0}, "column key has something that is no whole number"),
        ({"key": -1}, "column key has a number that is out of range"),
        ({"planes": [[1], [1, 2]]}, "no data set in JSON Lines"),
        ({"planes": json.loads("[" * 900 + "]" * 900)}, "no data set in JSON Lines"),
        ({"ply": json.loads('{"x":' * 300 + "1" + "}" * 300)}, "column ply is of type object"),
        ({"more": 1}, "line 1: .*an unknown column 'more'"),
        ({"column_scores": None}, "no data set in JSON Lines"),
    ],
)
def test_lines(directory: Path, change: dict[str, Any], message: str) -> None:
    path = directory / "train.jsonl"
    path.write_text(json.dumps(ROW | change) + "\n")
    with pytest.raises(DatasetError, match=message):
        inspect(path)


def test_a_field_that_the_first_line_does_not_have(directory: Path) -> None:
    path = directory / "train.jsonl"
    path.write_text('{"ply": 1}\n{"side": 1}\n')
    with pytest.raises(DatasetError, match=r"line 2: .*a field 'side' that the first"):
        inspect(path)


def test_lines_take_little_memory(directory: Path) -> None:
    """One long text, and every other one would be as long in an array."""
    path = directory / "train.jsonl"
    row = json.dumps({"moves": "1"}) + "\n"
    path.write_text(row * 30_000 + json.dumps({"moves": "1" * 4000}) + "\n")
    assert "no such text" in refused(path)
    path.write_text(('{"planes": ' + "[]," * 1000).replace(" []", "[[]", 1)[:-1] + "]}\n")
    assert "planes" in refused(path)


class TestParquet:
    @pytest.fixture
    def arrow(self) -> Any:  # noqa: ANN401
        pytest.importorskip("pyarrow.parquet")
        import pyarrow as pa  # noqa: PLC0415

        return pa

    def write(self, arrow: Any, path: Path, **columns: Any) -> None:  # noqa: ANN401
        card = {b"c4_card": json.dumps(CARD | {"part": "train"}).encode()}
        table = arrow.table(columns).replace_schema_metadata(card)
        arrow.parquet.write_table(table, path, compression="zstd")

    def test_a_small_file_of_large_columns(self, arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        flat = arrow.array(np.zeros(40 << 20, dtype=np.uint8))
        self.write(arrow, path, planes=arrow.FixedSizeListArray.from_arrays(flat, 40))
        assert path.stat().st_size < 100_000
        before = arrow.total_allocated_bytes()
        assert "column planes would take" in refused(path)
        assert arrow.total_allocated_bytes() - before < 1 << 20

    def test_lists_of_lists(self, arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        flat = arrow.array(np.zeros(200 * 100_000, dtype=np.uint8))
        inner = arrow.FixedSizeListArray.from_arrays(flat, 100_000)
        outer = arrow.FixedSizeListArray.from_arrays(inner, 1)
        self.write(arrow, path, planes=outer)
        del flat, inner, outer
        assert path.stat().st_size < 40_000
        pool = arrow.default_memory_pool()
        before = pool.max_memory()
        assert "column planes is of type fixed_size_list" in refused(path)
        assert pool.max_memory() - before < 1 << 20

    def test_one_long_text(self, arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        self.write(arrow, path, moves=arrow.array(["1" * (50 << 20)]))
        assert path.stat().st_size < 40_000
        assert "it unpacks to 52," in refused(path)

    def test_a_column_that_is_there_twice(self, arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        one = arrow.array(np.zeros(5, dtype=np.uint8))
        table = arrow.Table.from_arrays([one, one], names=["ply", "ply"])
        arrow.parquet.write_table(table.replace_schema_metadata({b"c4_card": b"{}"}), path)
        assert "a column is there twice" in refused(path)

    def test_long_texts_once(self, arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        texts = arrow.DictionaryArray.from_arrays(
            np.zeros(10_000, dtype=np.int32), ["1" * 1_000_000]
        )
        keys = np.random.default_rng(1).permutation(10_000).astype("u8")
        self.write(arrow, path, moves=texts, key=keys)
        assert "longer than any line" in refused(path)

    @pytest.mark.parametrize(
        "values", [[None], [{"a": 1}], [1.5], ["x"], [[1, 2]], [b"x"], [True], [2**40]]
    )
    def test_other_types(self, arrow: Any, tmp_path: Path, values: list[Any]) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        self.write(arrow, path, ply=arrow.array(values))
        assert "this is no data set in Parquet" in refused(path)

    def test_no_entry(self, arrow: Any, tmp_path: Path) -> None:  # noqa: ANN401
        path = tmp_path / "train.parquet"
        self.write(arrow, path, ply=arrow.array([None], type=arrow.uint8()))
        assert "no entry" in refused(path)


@pytest.mark.parametrize("change", ["keys", "card"])
def test_at_the_command_line(directory: Path, change: str) -> None:
    if change == "keys":
        records, text = FORMATS["npz"].read(directory / "train.npz")
        records["key"] = records["key"][:0]
        FORMATS["npz"].write(directory / "train.npz", records, text or "")
    else:
        card = json.loads((directory / "card.json").read_text())
        card["files"][0]["name"] = {}
        (directory / "card.json").write_text(json.dumps(card))
    done = C4(directory)("dataset", "info", ".")
    assert (done.code, "fault" in done.err) == (1, False)
    assert "train.npz" in done.out or "names a file {}" in done.err
