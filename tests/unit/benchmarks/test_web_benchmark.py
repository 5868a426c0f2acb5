"""The benchmark of the server: what it asks, and the page that shows what came of it."""

from itertools import pairwise

from benchmarks.page import DOCS, fill
from benchmarks.web.questions import book_moves, position_targets, positions, steps
from benchmarks.web.results import FORMAT, read, sections
from c4core.position import Position

FIGURES = DOCS / "web.json"
PAGE = DOCS / "web.md"
LOAD = {
    "what": "the book",
    "connections": 16,
    "requests": 30_000,
    "seconds": 10.0,
    "p50_ms": 4.25,
    "p99_ms": 120.4,
    "longest_ms": 200.0,
    "failed": 0,
}
ASKED = {"questions": 10, "p50_ms": 1.0, "p99_ms": 2.0, "longest_ms": 3.0}
SAMPLE = {
    "format": FORMAT,
    "date": "2026-01-01",
    "command": "python -m benchmarks.web measure",
    "machine": {"processor": "P", "cores": 2, "system": "S"},
    "versions": {"C4": "1"},
    "loads": [LOAD],
    "asked": [{"what": "one", "alone": ASKED, "beside": ASKED | {"p50_ms": 8.0}}],
    "memory": [{"what": "none", "most_mb": [80.4]}, {"what": "all", "most_mb": [99.6, 100.1]}],
}


def test_openings_are_of_every_ply_of_the_book() -> None:
    moves = book_moves(1, 120)
    assert sorted({len(text) for text in moves}) == list(range(12))
    assert moves == book_moves(1, 120)


def test_positions_are_different_and_not_over() -> None:
    found = [Position(text) for text in positions(1, 50, 22)]
    assert len({position.canonical_key for position in found}) == 50
    assert not any(position.is_over for position in found)


def test_clients_step_through_their_games() -> None:
    asked = steps(1, clients=3, games=2)
    mine = asked[::3]
    assert len(mine) == 2 * 12
    for one, other in pairwise(mine):
        assert other.startswith(one) or other == ""
    assert not any(Position(text).is_over for text in asked)
    assert position_targets(["44"]) == ["/api/v1/position?moves=44"]


def test_tables() -> None:
    shown = sections(SAMPLE)
    assert "| the book | 16 | 3,000 | 4.2 ms | 120 ms | 0 |" in shown["loads"]
    assert "| one | two | 8.0 ms | 2.0 ms | 3.0 ms |" in shown["asked"]
    assert "| none | 80 MB |  |" in shown["memory"]
    assert "| all | 100 MB | 100 MB |" in shown["memory"]
    assert "- Day: 2026-01-01" in shown["run"]


def test_page_shows_the_figures_that_were_kept() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert fill(text, sections(read(FIGURES))) == text
