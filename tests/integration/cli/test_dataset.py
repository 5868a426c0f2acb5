"""``c4 dataset``: the files do not depend on processes or interruptions."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from db.records.jobs import UnitState
from tests.support.boards.books import digest
from tests.support.running.command_line import C4
from tests.support.running.watching import held_back, units
from workers.analyze import job as planning

SMALL = ("dataset", "build", "--board", "5x4", "--count", "120")
HARD = ("dataset", "build", "--plies", "18..19", "--count", "100", "--no-book")
"""A single unit contains all of this work unless it is split."""


def digests(directory: Path) -> dict[str, str]:
    return {path.name: digest(path) for path in sorted(directory.iterdir())}


def keys(directory: Path) -> list[int]:
    """The positions of all parts."""
    found: list[int] = []
    for name in ("train", "validation", "test"):
        with np.load(directory / f"{name}.npz") as archive:
            found += archive["key"].tolist()
    return found


def built(c4: C4, *command: str, output: str = "x") -> dict[str, Any]:
    """Build a data set that passes ``c4 dataset info``, and return its card."""
    done = c4(*command, "--output", output)
    assert done.code == 0, done.err
    assert c4("dataset", "info", output).code == 0
    card: dict[str, Any] = json.loads((c4.directory / output / "card.json").read_text())
    return card


def is_made_again(c4: C4, card: dict[str, Any]) -> bool:
    """Whether the command in the card of ``x`` makes the same files in another database."""
    again = ("--db", "other.db", *card["command"].split()[1:], "--threads", "1", "--output", "y")
    assert c4(*again).code == 0
    return digests(c4.directory / "x") == digests(c4.directory / "y")


def test_a_set_from_play_passes_info(c4: C4) -> None:
    done = c4(*SMALL, "--from", "play", "--output", "x")
    assert done.code == 0
    assert re.search(r"/x: 120 positions \(\d+ train, \d+ validation, \d+ test\)", done.err)
    assert sorted(digests(c4.directory / "x")) == [
        "README.md", "card.json", "test.npz", "train.npz", "validation.npz",
    ]  # fmt: skip
    assert len(set(keys(c4.directory / "x"))) == 120
    for place in ("x", "x/card.json", "x/train.npz"):
        shown = c4("dataset", "info", place)
        assert shown.code == 0
        assert "match the card" in shown.err
        assert "120 positions of 5x4" in shown.out
    told = json.loads(c4("dataset", "info", "x", "--json").out)
    assert (told["problems"], told["positions"]) == ([], 120)
    assert told["command"] == (
        "c4 dataset build --from play --plies 0..19 --count 120 --board 5x4 --seed 1 "
        "--split 80/10/10 --format npz --representation planes"
    )


def test_another_set_is_replaced_only_with_force(c4: C4) -> None:
    formats = ("--format", "npz", "--format", "jsonl", "--representation", "moves")
    assert is_made_again(c4, built(c4, *SMALL, *formats))
    other = (*SMALL, *formats, "--seed", "2", "--output", "y")
    refused = c4(*other)
    assert refused.code == 2
    assert "has another data set already: --force replaces it" in refused.err
    assert digests(c4.directory / "x") == digests(c4.directory / "y")
    assert c4(*other, "--force").code == 0
    assert digests(c4.directory / "x")["train.npz"] != digest(c4.directory / "y/train.npz")


def test_strong_play(c4: C4) -> None:
    few = ("dataset", "build", "--board", "4x4", "--count", "40", "--from", "strong")
    card = built(c4, *few, "--blunder", "0.3")
    assert (card["positions"], card["source"]["blunder"]) == (40, 0.3)
    assert is_made_again(c4, card)


def test_a_wrong_score_is_reported(c4: C4) -> None:
    assert c4(*SMALL, "--output", "x").code == 0
    assert c4("dataset", "export", "x", "--output", "set.txt").code == 0
    lines = (c4.directory / "set.txt").read_text().splitlines(keepends=True)
    moves, score = lines[4].split()
    lines[4] = f"{moves} {3 if int(score) != 3 else 2}\n"
    (c4.directory / "set.txt").write_text("".join(lines))
    read = ("dataset", "build", "--from", "file", "--input", "set.txt", "--board", "5x4")
    done = c4(*read, "--output", "y")
    assert (done.code, "1 of" in done.err, "the first in line 5" in done.err) == (1, True, True)
    assert c4("dataset", "info", "y").code == 0


def test_an_interrupted_build_is_resumed(
    c4: C4, interrupt: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process cannot end before the signal: all units but four are held back."""
    undisturbed = C4(c4.directory / "undisturbed")
    undisturbed.directory.mkdir()
    write = (*HARD, "--output", "out")
    assert undisturbed(*write, "--threads", "1").code == 0
    url = c4.environment["C4_DB"]
    monkeypatch.setattr(planning, "UNIT_SECONDS", 0.002)  # for the job that the process finds
    assert c4(*HARD, "--detach").code == 0
    assert units(url)[UnitState.QUEUED] > 10
    (c4.directory / "out").mkdir()
    with held_back(url, 1, free=4) as kept:
        errors = interrupt(c4, *write, "--threads", "2", done=1)
        assert "Give the same command again to continue" in errors
        assert units(url)[UnitState.LEASED] == kept
    assert list((c4.directory / "out").iterdir()) == []
    last = c4(*write)
    assert (last.code, "job 1 done" in last.err) == (0, True)
    assert digests(c4.directory / "out") == digests(undisturbed.directory / "out")
