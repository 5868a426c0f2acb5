"""``docs/scaling.md`` says what ``docs/scaling.json`` holds, and the commands write both."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from benchmarks.page import fill
from benchmarks.scaling import pages
from benchmarks.scaling.__main__ import main
from benchmarks.scaling.books import PLIES
from benchmarks.scaling.costs import Measured

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docs" / "scaling.json"
PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")
MEASURED = Measured.read(FILE)


def places(page: str) -> dict[str, str]:
    """The text of every place of a page, by name."""
    pattern = r"<!-- begin (\w+) -->\n(.*?)\n<!-- end \1 -->"
    return dict(re.findall(pattern, page, flags=re.DOTALL))


def test_tables_are_current() -> None:
    assert fill(PAGE, pages.sections(MEASURED)) == PAGE, "python -m benchmarks.scaling report"


def test_every_command_on_the_page_is_there() -> None:
    named = set(re.findall(r"python -m benchmarks\.scaling (\w+)", PAGE))
    assert named == set(main.commands)


def test_every_place_is_filled() -> None:
    for name, text in places(PAGE).items():
        assert len(text.splitlines()) > 2, name


def test_positions_of_books_are_counted() -> None:
    """Those that can be counted in a moment."""
    from itertools import islice  # noqa: PLC0415

    from c4core import Position  # noqa: PLC0415
    from c4core.arrays import wins_now  # noqa: PLC0415
    from c4core.book.building.units import cut_units  # noqa: PLC0415
    from c4core.reachable import open_plies  # noqa: PLC0415

    levels = list(islice(open_plies(Position()), 11))
    for ply in (8, 10):
        assert len(levels[ply]) == PLIES[ply].positions
        assert len(levels[ply]) - int(wins_now(levels[ply]).sum()) == PLIES[ply].searched
    units = sum(1 for _ in cut_units(levels[6:11], least=500, most=2_000))
    assert units == PLIES[10].units


def test_limits_shows_the_most_that_a_service_can_do() -> None:
    options = ["--workers", "4", "--threads", "2", "--unit-seconds", "0.5"]
    result = CliRunner().invoke(main, ["limits", str(FILE), *options])
    assert result.exit_code == 0, result.output
    assert re.search(r"^units/s, at most +15\.\d$", result.output, re.MULTILINE)
    assert re.search(r"^threads that search +9\d\.\d%$", result.output, re.MULTILINE)
    assert "database serves" in result.output


def test_book_keeps_the_cost_of_a_position(tmp_path: Path) -> None:
    file = tmp_path / "scaling.json"
    shutil.copy(FILE, file)
    result = CliRunner().invoke(main, ["book", "12", "3.5", str(file)])
    assert result.exit_code == 0, result.output
    assert Measured.read(file).book_seconds[12] == 0.0035


def test_report_fills_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(re.sub(r"(<!-- begin \w+ -->\n).*?(<!-- end)", r"\1\2", PAGE, flags=re.DOTALL))
    result = CliRunner().invoke(main, ["report", str(FILE), "--page", str(page)])
    assert result.exit_code == 0, result.output
    assert page.read_text() == PAGE


def test_a_book_whose_search_was_not_measured_is_left_out() -> None:
    measured = replace(MEASURED, book_seconds={12: 0.004})
    assert [row.split()[1] for row in pages.books(measured).splitlines()[2:]] == ["12"]
    assert "ply 14" not in pages.limits(measured)


def test_report_refuses_a_page_without_places(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing")
    result = CliRunner().invoke(main, ["report", str(tmp_path / "page.md"), "--page", str(page)])
    assert result.exit_code != 0
    assert "Error: " in result.output
