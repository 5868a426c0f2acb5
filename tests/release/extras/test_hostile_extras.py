"""Hostile files that only optional packages can read."""

import functools
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from c4core.errors import ModelError
from c4core.models.files import LARGEST, read_model
from c4core.models.players import engine_of
from c4core.models.torch.networks import network_of
from c4core.models.torch.playing import residual_columns
from c4core.notation import BoardSize
from c4core.position import Position
from tests.support.boards.learning import model_file
from tests.support.hostile import Case
from tests.support.hostile.checking import Reader, all_cases, check
from tests.support.hostile.modelfiles import crafted


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Reader]:
    """The readers of the files, by name."""
    return functools.cache(lambda name: reader_of_models(tmp_path_factory.mktemp(name)))


def reader_of_models(directory: Path) -> Reader:
    """A residual network, which plays a move."""
    path = model_file(directory, "learning-residual", BoardSize(5, 4))

    def read() -> list[str]:
        model = read_model(path)
        position = Position(width=model.board.width, height=model.board.height)
        assert engine_of(model, path).choose(position) in position.legal_columns()
        residual_columns(network_of(model, path), [position])
        return []

    return Reader(path, path.read_bytes(), read)


@pytest.mark.parametrize(("subject", "case"), all_cases("models"))
def test_hostile_file_is_refused(
    readers: Callable[[str], Reader], subject: str, case: Case
) -> None:
    check(readers(subject), case)


def test_the_largest_network_without_weights_takes_little_memory(
    readers: Callable[[str], Reader], tmp_path: Path
) -> None:
    """Its weights would take 40 MB."""
    path = tmp_path / "model"
    path.write_bytes(crafted(readers("models").sample, architecture=LARGEST))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelError):
        network_of(read_model(path), path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000
