"""A data set is replaced only on request, and completely: else it has no card.

Its card is also a page.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from c4core.dataset.card import SAMPLING, PartFile, check_license
from c4core.dataset.lots import Shares
from c4core.dataset.reading import inspect
from c4core.dataset.writing import card_page, check_free, write_dataset
from c4core.errors import DatasetExistsError
from tests.support.boards.books import digest
from tests.support.boards.datasets import made, recipe
from tests.support.running.databases import file_size_limit
from tests.support.running.waiting import HANG_SECONDS
from workers.dataset.sources import SOURCES

OLD, OLD_CARD = made(recipe(command="c4 old", count=40))
NEW, NEW_CARD = made(recipe(command="c4 new", seed=2, count=40))
FORMATS = ["npz", "jsonl"]


def digests(directory: Path) -> dict[str, str]:
    return {path.name: digest(path) for path in sorted(directory.iterdir())}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    write_dataset(tmp_path, OLD, OLD_CARD, formats=FORMATS)
    return tmp_path


def test_nothing_is_replaced_without_a_request(directory: Path) -> None:
    before = digests(directory)
    with pytest.raises(DatasetExistsError, match="has another data set already"):
        write_dataset(directory, NEW, NEW_CARD, formats=["npz"])
    with pytest.raises(DatasetExistsError, match="has another data set already"):
        check_free(directory, command="c4 new", formats=["npz"])
    assert digests(directory) == before
    # The same data set may be written again.
    check_free(directory, command="c4 old", formats=FORMATS)
    write_dataset(directory, OLD, OLD_CARD, formats=FORMATS)
    assert digests(directory) == before


def test_a_changed_file_is_not_replaced(directory: Path) -> None:
    (directory / "train.jsonl").write_text("my own\n")
    with pytest.raises(DatasetExistsError):
        write_dataset(directory, OLD, OLD_CARD, formats=FORMATS)
    assert (directory / "train.jsonl").read_text() == "my own\n"
    (directory / "train.jsonl").unlink()
    write_dataset(directory, OLD, OLD_CARD, formats=FORMATS)
    assert inspect(directory).problems == []


@pytest.mark.parametrize("name", ["train.npz", "README.md", "card.json"])
def test_other_files_with_such_names_are_kept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    for try_it in (
        lambda: check_free(tmp_path, command="c4 new", formats=["npz"]),
        lambda: write_dataset(tmp_path, NEW, NEW_CARD, formats=["npz"]),
    ):
        with pytest.raises(DatasetExistsError):
            try_it()
    assert digests(tmp_path).keys() == {name}
    assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("size", [100, 2_000, 4_000])
def test_a_full_disk_leaves_the_old_data_set(directory: Path, size: int) -> None:
    before = digests(directory)
    with file_size_limit(size), pytest.raises(OSError, match=str(directory)) as caught:
        write_dataset(directory, NEW, NEW_CARD, formats=FORMATS, replace=True)
    assert Path(caught.value.filename).parent == directory
    assert digests(directory) == before


KILLED = """
import os, pathlib, signal, sys
from c4core.dataset.writing import write_dataset
from tests.unit.c4core.dataset.test_writing import FORMATS, NEW, NEW_CARD, OLD, OLD_CARD, outcome

path, step, left = pathlib.Path(sys.argv[1]), 0, 0

def counted(function):
    def stand_in(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)
    return stand_in

ended = None
while ended != 0:
    step += 1
    write_dataset(path, OLD, OLD_CARD, formats=FORMATS, replace=True)
    child = os.fork()
    if child == 0:
        left = step
        for name in ("replace", "unlink"):
            setattr(pathlib.Path, name, counted(getattr(pathlib.Path, name)))
        write_dataset(path, NEW, NEW_CARD, formats=FORMATS, replace=True)
        os._exit(0)
    _, ended = os.waitpid(child, 0)
    print(outcome(path))
"""


def outcome(directory: Path) -> str:
    """Return which complete data set is there."""
    if not (directory / "card.json").exists():
        return "incomplete"
    found = inspect(directory)
    return found.card.command if not found.problems else f"mixed: {found.problems}"


def test_killing_at_any_step_leaves_no_card_of_other_files(directory: Path) -> None:
    """The process is killed before each change of a name."""
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(directory)],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_SECONDS,
        env=os.environ | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
    )
    outcomes = run.stdout.splitlines()
    assert run.stderr == ""
    assert set(outcomes) == {"c4 old", "incomplete", "c4 new"}
    assert outcomes == sorted(outcomes, key=["c4 old", "incomplete", "c4 new"].index)


def test_another_data_set_takes_the_place_of_the_old_one(directory: Path) -> None:
    card = json.loads((directory / "card.json").read_text())
    card["files"].append({"name": "train.txt", "split": "train", "positions": 1, "sha256": ""})
    (directory / "card.json").write_text(json.dumps(card))
    (directory / "train.txt").touch()  # only parts are removed, even if the card names it
    parts, card = made(recipe(shares=Shares(80, 0, 20), seed=2))
    write_dataset(directory, parts, card, formats=["npz"], replace=True)
    assert inspect(directory).problems == []
    left = {"README.md", "card.json", "test.npz", "train.npz", "train.txt"}
    assert digests(directory).keys() == left


def test_the_page_of_a_data_set(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    parts, card = made(recipe())
    write_dataset(tmp_path, parts, card, formats=FORMATS)
    page = (tmp_path / "README.md").read_text()
    assert page.replace(card.c4_version, "VERSION") == snapshot
    head: dict[str, Any] = yaml.safe_load(page.split("---\n", 2)[1])
    (config,) = head["configs"]
    assert [file["path"] for file in config["data_files"]] == [
        "train.jsonl", "validation.jsonl", "test.jsonl",
    ]  # fmt: skip
    assert "configs" not in card_page(replace(card, files=[PartFile("train.npz", "train", 1, "")]))


def test_every_source_is_described() -> None:
    assert set(SAMPLING) == set(SOURCES)


@pytest.mark.parametrize("identifier", ["", "a b", "x\ny", "é", "-x", "x" * 80])
def test_bad_licenses_are_refused(identifier: str) -> None:
    with pytest.raises(ValueError, match="not a license identifier"):
        check_license(identifier)
