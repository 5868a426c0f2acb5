"""The measures of a player's columns, as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cli.output.tables import Facts, Table
from cli.reports.figures import NOTHING, percent

if TYPE_CHECKING:
    from c4core.models.quality import Missed, Quality, Share
    from cli.output.tables import Part

_HEADINGS: Final = ("positions", "best column", "result kept")


def quality_parts(quality: Quality) -> list[Part]:
    """Tables of shares by kind of position and by stones, and what is missed."""
    kinds = [
        _row("all", quality.everywhere),
        _row("decisive", quality.decisive),
        _row("quiet", quality.quiet),
        _row("quiet and decisive", quality.quiet_decisive),
    ]
    plies = [_row(str(ply), share) for ply, share in quality.plies]
    facts = [
        ("wins in one missed", _missed(quality.wins)),
        ("blocks missed", _missed(quality.blocks)),
        (
            "mirrored column not played",
            NOTHING if not quality.mirrored else _missed(quality.mirrored),
        ),
    ]
    return [
        Table(("", *_HEADINGS), kinds, title="How its columns keep to the proof"),
        Table(("stones", *_HEADINGS), plies, left=0, title="By the stones on the board"),
        Facts(facts),
    ]


def _row(name: str, share: Share) -> list[str]:
    known = share.positions or None
    return [
        name,
        f"{share.positions:,}",
        percent(known and share.strict / known),
        percent(known and share.outcome / known),
    ]


def _missed(missed: Missed) -> str:
    return f"{missed.missed:,} of {missed.positions:,}"
