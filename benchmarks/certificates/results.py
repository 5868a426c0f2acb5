"""The file of measurements of certificates, and the page that shows them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from benchmarks.certificates.narrow import LEAST_SIDE, MOST_NARROW_CELLS, Narrow
from benchmarks.certificates.playing import Played
from benchmarks.certificates.proving import Proven
from benchmarks.page import DOCS, RESULTS, fill_file, table
from benchmarks.record import write_json
from c4core.notation import parse_board
from tests.support.certificates import Verdicts

if TYPE_CHECKING:
    Figures: TypeAlias = dict[str, list[dict[str, Any]]]

Figure: TypeAlias = Proven | Narrow | Played | Verdicts

FIGURES: Final = RESULTS / "certificates.json"
PAGE: Final = DOCS / "certificates.md"

BOARDS: Final = "boards"
POSITIONS: Final = "positions"
PLAIN: Final = "plain"
NARROW: Final = "narrow"
TAMPERED: Final = "tampered"
GAMES: Final = "games"

CASES: Final = {
    BOARDS: ("board",),
    POSITIONS: ("moves",),
    PLAIN: ("board",),
    NARROW: (),
    TAMPERED: (),
    GAMES: ("certificate", "opponent"),
}
"""The kinds of figures, and the fields that tell two figures of a kind apart."""

COSTS: Final = ("positions", "bytes", "made", "memory", "checked", "memory", "in Python", "memory")


def keep(kind: str, figure: Figure) -> None:
    """Keep a figure in place of an older one for the same case, and write the page again."""
    figures: Figures = {name: [] for name in CASES}
    if FIGURES.exists():
        figures |= json.loads(FIGURES.read_text(encoding="utf-8"))
    entry = asdict(figure)
    case = [entry[field] for field in CASES[kind]]
    others = [each for each in figures[kind] if [each[field] for field in CASES[kind]] != case]
    figures[kind] = [*others, entry]
    write_json(FIGURES, figures)
    fill_file(PAGE, page_parts(figures))


def page_parts(figures: Figures) -> dict[str, str]:
    """The text for every place of the page, in Markdown."""
    boards = sorted((Proven(**each) for each in figures[BOARDS]), key=_by_size)
    positions = sorted((Proven(**each) for each in figures[POSITIONS]), key=_by_size)
    plain = sorted((Proven(**each) for each in figures[PLAIN]), key=_by_size)
    by_board = {proven.board: proven for proven in boards}
    parts = {
        BOARDS: table(
            ("board", "score", *COSTS),
            [(each.board, str(each.score), *_costs(each)) for each in boards],
        ),
        POSITIONS: table(
            ("position", "score", *COSTS),
            [(f"`{each.moves}`", str(each.score), *_costs(each)) for each in positions],
        ),
        PLAIN: table(
            ("board", *COSTS, "times the positions", "times the bytes"),
            [
                (each.board, *_costs(each), *_times(each, by_board.get(each.board)))
                for each in plain
            ],
        ),
        NARROW: "\n".join(_narrow(Narrow(**each)) for each in figures[NARROW]),
        TAMPERED: "\n".join(_tampered(Verdicts(**each)) for each in figures[TAMPERED]),
        GAMES: table(
            ("certificate", "against", "games", "won", "drawn", "lost", "below the bound",
             "forfeited", "searches", "microseconds a move"),
            [_played(Played(**each)) for each in figures[GAMES]],
            left=2,
        ),
    }  # fmt: skip
    processors = sorted({each.processor for each in (*boards, *positions, *plain)})
    engines = sorted({str(each.engine_version) for each in (*boards, *positions, *plain)})
    parts["machine"] = f"Engine {', '.join(engines)}; {', '.join(processors)}."
    return {name: f"\n{text}\n" for name, text in parts.items()}


def _by_size(proven: Proven) -> tuple[int, str]:
    return proven.positions, proven.moves


def _costs(proven: Proven) -> tuple[str, ...]:
    return (
        f"{proven.positions:,}",
        f"{proven.file_bytes:,}",
        *(f"{proven.make_seconds:.1f} s", f"{proven.make_mb:,.0f} MB"),
        *(f"{proven.check_seconds:.1f} s", f"{proven.check_mb:,.0f} MB"),
        "" if proven.python_seconds is None else f"{proven.python_seconds:.1f} s",
        "" if proven.python_mb is None else f"{proven.python_mb:,.0f} MB",
    )


def _times(plain: Proven, ruled: Proven | None) -> tuple[str, str]:
    if ruled is None:
        return "", ""
    return (
        f"{plain.positions / ruled.positions:.1f}",
        f"{plain.file_bytes / ruled.file_bytes:.2f}",
    )


def _narrow(narrow: Narrow) -> str:
    largest = parse_board(narrow.largest)
    return (
        f"The other {narrow.boards} boards of up to {MOST_NARROW_CELLS} squares have fewer than "
        f"{LEAST_SIDE} columns or rows. Both checkers accept the certificates of all of them: "
        f"{narrow.positions:,} positions, {narrow.file_bytes:,} bytes; the largest is that of "
        f"{largest}, {narrow.largest_bytes:,} bytes (`python -m benchmarks.certificates narrow`)."
    )


def _tampered(found: Verdicts) -> str:
    return (
        f"Of {found.files:,} changed files the checker of C4 accepted {found.accepted:,}, the "
        f"other {found.independently:,}, both of them the same {found.both:,}; a search says that "
        f"the claims of {found.true:,} of these are true."
    )


def _played(played: Played) -> tuple[str, ...]:
    return (
        played.certificate,
        f"`{played.opponent}`",
        *(f"{number:,}" for number in (played.games, played.wins, played.draws, played.losses)),
        *(f"{number:,}" for number in (played.below, played.forfeits, played.searches)),
        f"{played.move_microseconds:,.0f}",
    )
