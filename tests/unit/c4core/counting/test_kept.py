"""A count that is kept in a file, and files that are not a kept count."""

import contextlib
import hashlib
import random
import re
from itertools import islice
from pathlib import Path

import pytest

from c4core.counting import Progress, begin, count, read_kept, write_kept
from c4core.counting.diagram import CountFileError


@pytest.fixture
def half() -> Progress:
    *_, last = islice(count(begin(4, 3)), 6)
    return last


@pytest.fixture
def content(half: Progress, tmp_path: Path) -> bytes:
    write_kept(tmp_path / "whole", half)
    return (tmp_path / "whole").read_bytes()


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with pytest.raises(CountFileError) as caught:
        read_kept(path)
    assert caught.value.path == str(path)
    return str(caught.value)


def sealed(content: bytes) -> bytes:
    """With a checksum that is right, whatever else is not."""
    return content[:-32] + hashlib.sha256(content[:-32]).digest()


def test_it_goes_on_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "kept.c4count"
    *_, last = count(begin(4, 4))
    progress = begin(4, 4)
    while not progress.is_done:
        write_kept(path, progress)
        progress = next(count(read_kept(path)))
    assert progress.plies == last.plies
    write_kept(path, progress)
    assert list(count(read_kept(path))) == []


def test_a_file_that_is_cut_short(content: bytes, tmp_path: Path) -> None:
    for length in [*range(60), *range(60, len(content), 41)]:
        refused(tmp_path / "cut", content[:length])
    refused(tmp_path / "longer", content + b"\0")


def test_every_byte_counts(content: bytes, tmp_path: Path) -> None:
    for place in range(0, len(content), 13):
        changed = bytearray(content)
        changed[place] ^= 0x10
        refused(tmp_path / "changed", bytes(changed))


def test_forged_files_lead_nowhere(content: bytes, tmp_path: Path) -> None:
    chance = random.Random(1)
    for _ in range(150):
        forged = bytearray(content)
        for _ in range(chance.randint(1, 4)):
            forged[chance.randrange(len(forged))] = chance.choice((0, 1, 2, 255, 128))
        path = tmp_path / "forged"
        path.write_bytes(sealed(bytes(forged)))
        with contextlib.suppress(CountFileError):
            assert read_kept(path).open_positions.nodes > 0


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (0, 0, "this is no kept count"),
        (8, 2, "version 2 of the format"),
        (10, 200, "impossible board 200x3|the limit"),
        (12, 14, "no 14 plies"),
        (12, 0, "no 0 plies"),
        (16 + 24 * 7, 2, "its length is not that of its levels"),
        (16, 99, "checksum"),
    ],
)
def test_messages_of_wrong_files(
    content: bytes, tmp_path: Path, place: int, value: int, problem: str
) -> None:
    changed = bytearray(content)
    changed[place] = value
    assert re.search(problem, refused(tmp_path / "file", bytes(changed)))


def test_an_arc_out_of_its_level(content: bytes, tmp_path: Path) -> None:
    changed = bytearray(content)
    changed[-34] = 0xFF
    said = refused(tmp_path / "arc", sealed(bytes(changed)))
    assert "level 15 has an arc to a node that does not exist" in said


def test_numbers_that_contradict_the_diagram(content: bytes, tmp_path: Path) -> None:
    changed = bytearray(content)
    changed[16 + 24 * 6] ^= 1
    said = refused(tmp_path / "number", sealed(bytes(changed)))
    assert "its diagram has another number of positions than its last ply" in said


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_kept(tmp_path)
