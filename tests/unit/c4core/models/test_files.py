"""Model files: writing, reading, and refusing damaged ones."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save, save_file
from syrupy.assertion import SnapshotAssertion

from c4core.errors import ModelError
from c4core.models import files
from c4core.models.files import (
    MAX_TEXT,
    METADATA,
    Model,
    read_model,
    read_tensors,
    write_model,
    write_tensors,
)
from c4core.notation import BoardSize
from tests.support.refusals import refusal


def model(value: float = 1.5) -> Model:
    return Model(
        kind="residual",
        board=BoardSize(5, 4),
        architecture={"channels": 8, "blocks": 1, "hidden": 8},
        settings={"seed": 7, "rate": 0.001},
        history=[{"epoch": 1, "loss": 0.5, "seconds": 0.1}],
        weights={"a.weight": np.full((2, 3), value, dtype=np.float32)},
        optimizer={"a.weight.step": np.array(3, dtype=np.float32)},
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "model.safetensors"
    write_model(target, model())
    return target


def test_a_model_is_read_as_written(path: Path) -> None:
    found = read_model(path)
    assert (found.kind, found.board) == ("residual", (5, 4))
    for name in ("architecture", "settings", "history"):
        assert getattr(found, name) == getattr(model(), name)
    assert found.weights["a.weight"].tolist() == [[1.5] * 3] * 2
    assert found.optimizer["a.weight.step"].shape == ()
    assert found.fingerprint == model().fingerprint != model(2.5).fingerprint
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    before = path.read_bytes()
    write_model(path, found)
    assert path.read_bytes() == before


def test_every_flipped_byte_is_found(path: Path) -> None:
    good = path.read_bytes()
    damaged = path.with_name("damaged")
    for index in range(0, len(good), 3):
        damaged.write_bytes(good[:index] + bytes([good[index] ^ 0x15]) + good[index + 1 :])
        with pytest.raises(ModelError) as caught:
            read_model(damaged)
        assert str(damaged) in str(caught.value)


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("executed",)


def test_foreign_and_truncated_files_are_refused(
    path: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    def said(content: bytes) -> str:
        path.write_bytes(content)
        return refusal(read_model, path, error=ModelError, hiding=path.parent)

    good = path.read_bytes()
    parts = [good[: int(len(good) * share)] for share in (0, 0.001, 0.3, 0.9, 0.999)]
    foreign = [pickle.dumps(Bomb()), b"PK\x03\x04", b"\0" * 100, b"text\n"]
    no_model = save({"a": np.zeros(3, dtype=np.float32)}, {"format": "pt"})
    assert [said(content) for content in [*parts, *foreign, no_model]] == snapshot
    assert capsys.readouterr().out == ""  # no code in them was run


@pytest.mark.parametrize(
    "about", ["{", "[" * 200_000, "[]", "{}", '{"format": "1"}', json.dumps({"format": 1})]
)
def test_a_bad_description_is_refused(path: Path, about: str) -> None:
    save_file({"weights.a": np.zeros(3, dtype=np.float32)}, path, {"c4": about})
    with pytest.raises(ModelError, match="is a damaged model"):
        read_model(path)


def test_models_of_other_programs_are_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    def said(changed: Model, **constants: object) -> str:
        with monkeypatch.context() as patch:
            for name, value in constants.items():
                patch.setattr(files, name, value)
            write_model(path, changed)
        return refusal(read_model, path, error=ModelError, hiding=path.parent)

    assert [
        said(model(), FORMAT=2),
        said(model(), FORMAT=0),
        said(replace(model(), kind="transformer"), KINDS=("transformer",)),
        said(replace(model(), board=BoardSize(10, 7))),
    ] == snapshot


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "nothing")
    with pytest.raises(OSError, match="nowhere/model"):
        write_model(tmp_path / "nowhere" / "model", model())


def test_a_model_that_could_not_be_read_is_not_written(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(ModelError, match=r"the limit is 4,194,304"):
        write_model(path, replace(model(), settings={"x": "x" * MAX_TEXT}))
    for number in (np.nan, np.inf, -np.inf):
        with pytest.raises(ModelError, match=rf"{path} is not written: .*use a smaller rate"):
            write_model(path, model(number))
    assert path.read_bytes() == before


TENSORS = {
    "bytes": np.arange(3, dtype=np.uint8),
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "none": np.zeros((0, 4), dtype=np.int16),
    "one": np.array(7, dtype=np.int64),
    "yes": np.array([True, False]),
}
LIMITS = {"max_header": 10_000, "max_tensors": 10}


def same(found: dict[str, Any]) -> bool:
    return found.keys() == TENSORS.keys() and all(
        array.dtype == TENSORS[name].dtype and np.array_equal(array, TENSORS[name])
        for name, array in found.items()
    )


def test_safetensors_and_c4_read_each_others_files(tmp_path: Path) -> None:
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    write_tensors(own, TENSORS, {"c4": "text"})
    save_file(TENSORS, theirs, {"c4": "text"})
    assert same(load_file(own))
    for path in (own, theirs):
        metadata, found = read_tensors(path, **LIMITS)
        assert metadata == {"c4": "text"}
        assert same(found)


def entry(shape: object, begin: object, end: object, dtype: object = "U8") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


class Twice(dict[str, object]):
    """An object whose fields are written twice."""

    def items(self) -> Any:  # noqa: ANN401
        return [*super().items()] * 2


BAD_HEADERS: dict[str, object] = {
    "no object": [],
    "metadata as a list": {METADATA: []},
    "a number in the metadata": {METADATA: {"a": 1}},
    "a number as a tensor": {"a": 5},
    "an unknown type": {"a": entry([4], 0, 4, "F128")},
    "a list as a type": {"a": entry([4], 0, 4, ["U8"])},
    "a negative size": {"a": entry([-4], 0, 4)},
    "a truth value as a size": {"a": entry([True] * 2, 0, 4)},
    "a huge size": {"a": entry([1 << 60], 0, 1 << 60)},
    "too many dimensions": {"a": entry([1] * 40, 0, 1)},
    "a number as a shape": {"a": entry(4, 0, 4)},
    "a place that is too large": {"a": entry([3], 0, 4)},
    "a type that is too large": {"a": entry([4], 0, 4, "F32")},
    "more than the file": {"a": entry([1 << 40], 0, 1 << 40)},
    "a gap at the begin": {"a": entry([3], 1, 4)},
    "an overlap": {"a": entry([3], 0, 3), "b": entry([2], 2, 4)},
    "bytes at the end": {"a": entry([3], 0, 3)},
    "too many tensors": {str(number): entry([0], 0, 0) for number in range(11)},
    "too long a header": "x" * 20_000,
    "a tensor twice": Twice({"a": entry([4], 0, 4)}),
}


def test_bad_headers_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    def said(header: object) -> str:
        text = json.dumps(header).encode()
        (tmp_path / "file").write_bytes(len(text).to_bytes(8, "little") + text + b"1234")
        return refusal(read_tensors, tmp_path / "file", **LIMITS, error=ValueError)

    assert {name: said(header) for name, header in BAD_HEADERS.items()} == snapshot


def test_unsupported_types_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tensor a cannot be of type complex64"):
        write_tensors(tmp_path / "file", {"a": np.zeros(2, dtype=np.complex64)}, {})
