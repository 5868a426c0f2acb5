"""The two files as strangers may hand them in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from c4core.errors import BoardError
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.proof import weakc4
from c4core.proof.errors import SolutionFileError
from c4core.proof.weakc4 import read_solution
from tests.support.refused import own_words
from tests.support.weakc4 import squares_of, write_solution

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

BOARD = BoardSize(4, 4)
ROWS = ["0123", "4567", "89ab", "cdef"]


def test_what_is_read(tmp_path: Path) -> None:
    paths = write_solution(tmp_path, {"": "4", "4422": 0, "11": "2"}, [ROWS, ["0000"] * 4])
    solution = read_solution(*paths, board=BOARD)
    assert solution.board == BOARD
    assert solution.diagrams == (squares_of(ROWS), (0b01111_01111_01111_01111,))
    said = {entry.position.moves: entry for entry in solution.entries.values()}
    assert {moves: (entry.is_diagram, entry.number) for moves, entry in said.items()} == {
        "": (False, 3),
        "4422": (True, 0),
        "11": (False, 1),
    }


def test_entries_are_for_mirror_images_too(tmp_path: Path) -> None:
    paths = write_solution(tmp_path, {"4422": 0}, [ROWS])
    solution = read_solution(*paths, board=BOARD)
    position = Position("4422", width=4, height=4)
    straight, mirrored = solution.find(position), solution.find(position.mirrored())
    assert straight is not None
    assert mirrored is not None
    assert (straight[1], mirrored[1]) == (False, True)
    assert solution.find(position.play(0)) is None
    mirror_image = solution.diagram(0, is_mirrored=True)
    assert mirror_image == squares_of([row[::-1] for row in ROWS])
    assert solution.diagram(0, is_mirrored=False) == squares_of(ROWS)


def refusal(entries: object, diagrams: object, folder: Path) -> str:
    """What is wrong with the files, and with which; without the folder."""
    paths = write_solution(folder, entries, diagrams)
    with pytest.raises(SolutionFileError) as caught:
        read_solution(*paths, board=BOARD)
    return own_words(str(caught.value).removeprefix(f"{folder}/"))


def test_bad_entries(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    bad: tuple[object, ...] = (
        [],
        {"5": "1"},
        {"x!": "1"},
        {"1" * 5: "1"},
        {"1" * 9999: "1"},
        {"1212121": "1"},
        {"1": "12"},
        {"1": ""},
        {"1": "5"},
        {"1111": "1"},
        {"1": 1},
        {"1": -1},
        {"1": True},
        {"1": None},
        {"1": 0.0},
        {"1": {"2": [[]]}},
        {"12": "1", "43": 0},
        {"1234": "1", "3214": "1"},
    )
    assert [refusal(entries, [ROWS], tmp_path) for entries in bad] == snapshot


def test_bad_diagrams(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    bad: tuple[object, ...] = (
        {},
        [ROWS, "0123"],
        [ROWS[1:]],
        [[*ROWS[:3], 4]],
        [["0", *ROWS[1:]]],
        [[ROWS[0], "00g0", *ROWS[2:]]],
        [["\u06600\ud8000", *ROWS[1:]]],
    )
    assert [refusal({}, diagrams, tmp_path) for diagrams in bad] == snapshot


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"1": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b'{"1": "2", "2": "1", "1": "3"}', "not JSON: the field '1' is there twice"),
    ],
    ids=["empty", "bytes", "deep", "long", "twice"],
)
def test_what_is_no_json(text: bytes, message: str, tmp_path: Path) -> None:
    paths = write_solution(tmp_path, {}, [])
    for path in paths:
        before = path.read_bytes()
        path.write_bytes(text)
        with pytest.raises(SolutionFileError) as caught:
            read_solution(*paths, board=BOARD)
        assert str(caught.value).startswith(f"{path}: {message}")
        path.write_bytes(before)


def test_long_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weakc4, "MAX_BYTES", 100)
    paths = write_solution(tmp_path, {}, [])
    paths[1].write_text(json.dumps([]) + " " * 98)
    read_solution(*paths, board=BOARD)
    paths[1].write_text(json.dumps([]) + " " * 99)
    with pytest.raises(SolutionFileError, match="longer than 100 bytes"):
        read_solution(*paths, board=BOARD)


def test_what_is_no_file(tmp_path: Path) -> None:
    paths = write_solution(tmp_path, {}, [])
    with pytest.raises(IsADirectoryError):
        read_solution(tmp_path, paths[1])
    with pytest.raises(FileNotFoundError):
        read_solution(paths[0], tmp_path / "missing")
    with pytest.raises(BoardError):
        read_solution(*paths, board=BoardSize(0, 6))
