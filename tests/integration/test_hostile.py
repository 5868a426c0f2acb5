"""Hostile archives are refused with the right message, using little memory."""

import pytest

from tests.support.hostile import Case, npz
from tests.support.hostile.checking import Reader, check, reader
from tests.support.hostile.small import small_dataset
from tests.support.running.command_line import C4


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return reader("npz", tmp_path_factory.mktemp("npz"))


@pytest.mark.parametrize("case", npz.CASES, ids=str)
def test_hostile_file_is_refused(archive: Reader, case: Case) -> None:
    check(archive, case)


def test_command_line_shows_the_answer(c4: C4) -> None:
    part = small_dataset(c4.directory, "npz")
    keys = next(case for case in npz.CASES if case.name == "keys of shape (0,)")
    part.write_bytes(keys.make(part.read_bytes()))
    done = c4("dataset", "info", ".")
    assert (done.code, "fault" in done.err) == (1, False)
    assert "test.npz" in done.out
