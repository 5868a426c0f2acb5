"""Hostile files that only optional packages can read."""

import functools
import resource
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from c4core.errors import ModelError
from c4core.models.files import LARGEST, read_model
from c4core.models.torch.networks import network_of
from tests.release.fuzz.target import Target, load
from tests.support.boards.datasets import check_densest_part
from tests.support.hostile import Case
from tests.support.hostile.checking import MEMORY, all_cases, check
from tests.support.hostile.modelfiles import crafted


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Target]:
    """The readers of the files, by name."""
    return functools.cache(lambda name: load(name, tmp_path_factory.mktemp(name)))


@pytest.mark.parametrize(("subject", "case"), all_cases("models", "parquet"))
def test_hostile_file_is_refused(
    targets: Callable[[str], Target], subject: str, case: Case
) -> None:
    target = targets(subject)
    data = case.make(target.sample)  # not counted
    usual = pa.default_memory_pool()
    counting = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(counting)
    try:
        check(target, case._replace(make=lambda _sample: data))
    finally:
        pa.set_memory_pool(usual)
    assert (counting.max_memory() or 0) < MEMORY


@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_are_read(tmp_path: Path, representations: tuple[str, ...]) -> None:
    check_densest_part(tmp_path / "train.parquet", representations)


def test_the_largest_network_without_weights_takes_little_memory(
    targets: Callable[[str], Target], tmp_path: Path
) -> None:
    """Its weights would take 40 MB."""
    path = tmp_path / "model"
    path.write_bytes(crafted(targets("models").sample, architecture=LARGEST))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelError):
        network_of(read_model(path), path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000
