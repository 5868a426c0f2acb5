"""Hostile files are refused with the right message, using little memory."""

import functools
from collections.abc import Callable

import pytest

from tests.support.hostile import Case, cards, npz
from tests.support.hostile.checking import Reader, all_cases, check, reader
from tests.support.hostile.small import small_dataset
from tests.support.running.command_line import C4


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Reader]:
    """The readers of the files, by name."""
    return functools.cache(lambda name: reader(name, tmp_path_factory.mktemp(name)))


@pytest.mark.parametrize(("subject", "case"), all_cases("cards", "modelfiles", "npz"))
def test_hostile_file_is_refused(
    readers: Callable[[str], Reader], subject: str, case: Case
) -> None:
    check(readers(subject), case)


def test_a_small_stack_is_not_reported_as_a_fault(readers: Callable[[str], Reader]) -> None:
    """A deeply nested description makes Python's JSON reader fail."""
    of = readers("modelfiles")
    (case,) = (case for case in all_cases("modelfiles") if "900 deep" in str(case.id))

    def deeply(left: int) -> list[str]:
        return deeply(left - 1) if left else of.answer(case.values[1].make(of.sample))

    (answer,) = deeply(100)
    assert "damaged" in answer


@pytest.mark.parametrize("name", ["npz", "jsonl"])
def test_command_line_shows_the_answer(c4: C4, name: str) -> None:
    part = small_dataset(c4.directory, name)
    if name == "npz":
        keys = next(case for case in npz.CASES if case.name == "keys of shape (0,)")
        part.write_bytes(keys.make(part.read_bytes()))
    else:
        file = next(case for case in cards.CASES if case.name == "a file named {}")
        card = c4.directory / "card.json"
        card.write_bytes(file.make(card.read_bytes()))
    done = c4("dataset", "info", ".")
    assert (done.code, "fault" in done.err) == (1, False)
    assert "test.npz" in done.out or "at `$.files[0].name`" in done.err
