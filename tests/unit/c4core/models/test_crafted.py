"""What is written can be read again; hostile models are in ``tests/support/hostile``."""

from dataclasses import replace
from pathlib import Path

import pytest

from c4core.models.files import MAX_TEXT, read_model, write_model
from c4core.models.kinds import ModelError
from tests.release.fuzz.target import load


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(load("modelfiles", tmp_path).sample)
    before = path.read_bytes()
    model = replace(read_model(path), settings={"x": "x" * MAX_TEXT})
    with pytest.raises(ModelError, match=r"no more than 4,194,304 are read again"):
        write_model(path, model)
    assert path.read_bytes() == before
