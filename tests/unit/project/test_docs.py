"""The documents: links and named files exist, and examples run as printed."""

import doctest
import importlib.util
import re
import tomllib
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from c4core import Position
from c4core.dataset.records import COLUMNS
from c4core.dice import Dice
from c4core.players import PlayerKind, parse_player, player_kinds
from c4core.players.registry import _kinds
from tests.support.running.command_line import C4
from tests.support.running.console import answer, blocks, dialogue, without_measures

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
TUTORIAL = DOCS / "tutorial.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]

PLAYERS = DOCS / "players.md"
EXAMPLES = blocks(PLAYERS, "python")
PLACES = "c4core|db|workers|cli|tests|benchmarks|deploy|docs|examples"
PATH = re.compile(rf"`((?:{PLACES})/[\w./@-]*)`")


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Readers of the documents have the shipped book."""


def by_name(page: Path) -> str:
    return page.name


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_named_files_exist(page: Path) -> None:
    text = page.read_text()
    names = PATH.findall(text) + re.findall(r"\bdeploy/[\w./@-]+\w", text)
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_datasets_has_a_row_for_each_column() -> None:
    page = (DOCS / "datasets.md").read_text()
    for column in COLUMNS:
        row = rf"^\| `{column.name}` \| \w+ {re.escape(column.shape)} \|"
        assert re.search(row, page, re.MULTILINE)


@pytest.fixture(scope="module")
def house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", DOCS / "house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_architecture_shows_the_current_packages(house: ModuleType) -> None:
    """Run ``python docs/house.py --write`` to update the page."""
    assert blocks(DOCS / "architecture.md", "mermaid") == [f"{house.picture()}\n"]


def test_cython_files_respect_the_layers(house: ModuleType) -> None:
    """lint-imports reads Python files only."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    found = [(module, name) for module, name in house.imports() if module.startswith("c4core.")]
    assert ("c4core.solver", "c4core.engine.board.Board") in found
    for contract in linter["contracts"]:
        above: list[str] = []
        for layer in contract.get("layers", ()):
            rooms = re.split(r" [|:] ", layer)
            for (module, imported), room in product(found, rooms):
                if house.is_within(module, room):
                    assert not any(house.is_within(imported, other) for other in above), (
                        f"{module} imports {imported}"
                    )
            above += rooms


def test_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    """It runs in an empty folder; tests.support.running.console updates the page."""
    c4 = C4(tmp_path)
    parts = [part for block in blocks(TUTORIAL) for part in dialogue(block)]
    assert len(parts) > 10
    for line, expected in parts:
        assert without_measures(answer(c4, line)) == without_measures(expected), line


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", TUTORIAL, DOCS / "python.md", DOCS / "api" / "index.rst"],
    ids=by_name,
)
def test_python_sessions_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(page), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize("kind", player_kinds(), ids=lambda kind: kind.name)
def test_every_player_is_listed_with_its_defaults(kind: PlayerKind) -> None:
    assert f"| `{kind.usage}` |" in PLAYERS.read_text()


def test_players_example_of_a_game_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(EXAMPLES[0], {})  # noqa: S102
    assert re.fullmatch(r"(x|o|None) (four|full) [1-7]+\n", capsys.readouterr().out)


def test_players_example_of_a_new_player_runs() -> None:
    names: dict[str, object] = {}
    try:
        exec(EXAMPLES[2], names)  # noqa: S102
        assert str(parse_player("shy:reach=1")) == "shy:reach=1"
        assert parse_player("shy:reach=1").make().choose(Position("111111"), Dice(1)) == 1
    finally:
        _kinds.pop("shy", None)


def test_players_example_of_consent_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(EXAMPLES[1], names)  # noqa: S102
    with names["mine"] as mine:
        assert mine.choose(Position(), Dice(1)) in range(7)
