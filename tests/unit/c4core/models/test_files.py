"""Model files: writing, reading, and refusing damaged ones."""

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from safetensors.numpy import save, save_file
from syrupy.assertion import SnapshotAssertion

from c4core.errors import ModelError
from c4core.models import files
from c4core.models.files import Model, read_model, write_model
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


def test_a_sparse_file_is_refused_before_it_is_read(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(files.LARGEST_FILE + 1)
    with pytest.raises(ModelError, match="larger than any c4 model"):
        read_model(path)


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


@pytest.mark.parametrize("about", ["{", "[" * 200_000, "[]", json.dumps({"format": 1})])
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
        said(replace(model(), kind=cast("Any", "transformer"))),
        said(replace(model(), board=BoardSize(10, 7))),
        said(replace(model(), architecture={})),
        said(replace(model(), history=[{"epoch": 1}])),
    ] == snapshot


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "nothing")
    with pytest.raises(OSError, match="nowhere/model"):
        write_model(tmp_path / "nowhere" / "model", model())


def test_a_model_that_could_not_be_read_is_not_written(path: Path) -> None:
    before = path.read_bytes()
    for number in (np.nan, np.inf, -np.inf):
        with pytest.raises(ModelError, match=rf"{path} is not written: .*use a smaller rate"):
            write_model(path, model(number))
    assert path.read_bytes() == before
