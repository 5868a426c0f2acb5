"""``docs/scaling.md`` says what ``docs/scaling.json`` holds, and the commands write both."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.page import fill
from benchmarks.scaling import pages, plot, studies
from benchmarks.scaling.__main__ import main
from benchmarks.scaling.books import PLIES
from benchmarks.scaling.costs import Measured
from benchmarks.scaling.studies import STANDARD

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docs" / "scaling.json"
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
MEASURED = Measured.read(FILE)


def places(page: str) -> dict[str, str]:
    """The text of every place of a page, by name."""
    pattern = r"<!-- begin (\w+) -->\n(.*?)\n<!-- end \1 -->"
    return dict(re.findall(pattern, page, flags=re.DOTALL))


def test_tables_of_what_was_measured_are_current() -> None:
    texts = places(PAGE) | pages.measured_sections(MEASURED)
    assert fill(PAGE, texts) == PAGE, "python -m benchmarks.scaling report"


def test_tables_of_what_was_simulated_are_those_of_the_same_costs() -> None:
    costs = MEASURED.costs(STANDARD.kind)
    outcome = studies.simulate(costs, STANDARD.scenario(workers=64))
    assert f"| 64 x 1 | {outcome.units_per_second:.1f} |" in places(PAGE)["growth"]


def test_every_place_is_filled() -> None:
    for name, text in places(PAGE).items():
        assert len(text.splitlines()) > 2, name


def test_positions_of_books_are_counted() -> None:
    """Those that can be counted in a moment."""
    from itertools import islice  # noqa: PLC0415

    from c4core import Position  # noqa: PLC0415
    from c4core.book.building.minimax import wins_now  # noqa: PLC0415
    from c4core.book.building.units import cut_units  # noqa: PLC0415
    from c4core.reachable import open_plies  # noqa: PLC0415

    levels = list(islice(open_plies(Position()), 11))
    for ply in (8, 10):
        assert len(levels[ply]) == PLIES[ply].positions
        assert len(levels[ply]) - int(wins_now(levels[ply]).sum()) == PLIES[ply].searched
    units = sum(1 for _ in cut_units(levels[6:11], least=500, most=2_000))
    assert units == PLIES[10].units


def test_a_table_has_its_first_column_to_the_left() -> None:
    table = pages.table(["what", "how much"], [("one", "1"), ("two", "2")])
    assert table.splitlines() == [
        "| what | how much |",
        "| --- | ---: |",
        "| one | 1 |",
        "| two | 2 |",
    ]


def test_simulate_shows_shares_and_limits() -> None:
    options = ["--workers", "4", "--threads", "2", "--unit-seconds", "0.5"]
    result = CliRunner().invoke(main, ["simulate", str(FILE), *options])
    assert result.exit_code == 0, result.output
    assert re.search(r"^units/s +1[4-6]\.\d$", result.output, re.MULTILINE)
    assert "threads: search" in result.output
    assert "database serves" in result.output


def test_book_keeps_the_cost_of_a_position(tmp_path: Path) -> None:
    file = tmp_path / "scaling.json"
    shutil.copy(FILE, file)
    result = CliRunner().invoke(main, ["book", "12", "3.5", str(file)])
    assert result.exit_code == 0, result.output
    assert Measured.read(file).book_seconds[12] == 0.0035


def test_report_fills_a_page_and_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(studies, "THREADS", (1, 16))
    monkeypatch.setattr(studies, "BOOK_THREADS", (16,))
    monkeypatch.setattr(studies, "UNIT_POSITIONS", (1_000,))
    monkeypatch.setattr(studies, "DISTANCES", (0.0,))
    page = tmp_path / "page.md"
    page.write_text(re.sub(r"(<!-- begin \w+ -->\n).*?(<!-- end)", r"\1\2", PAGE, flags=re.DOTALL))
    drawn = tmp_path / "growth.svg"
    result = CliRunner().invoke(
        main, ["report", str(FILE), "--page", str(page), "--plot", str(drawn)]
    )
    assert result.exit_code == 0, result.output
    assert places(page.read_text())["limits"] == places(PAGE)["limits"]
    assert "threads that search" in drawn.read_text()
    plot.draw(MEASURED, tmp_path / "again")
    assert (tmp_path / "again.svg").read_bytes() == drawn.read_bytes()


def test_report_refuses_a_page_without_places(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing")
    result = CliRunner().invoke(main, ["report", str(tmp_path / "page.md"), "--page", str(page)])
    assert result.exit_code != 0
    assert "Error: " in result.output
