"""The data card as a page for people, in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from c4core.dataset.card import OUTCOMES, total

if TYPE_CHECKING:
    from collections.abc import Iterable

    Json = dict[str, Any]

_HEADS: Final = ("positions", *OUTCOMES)


def card_page(card: Json) -> str:
    """The page for a card."""
    everything = total(card["splits"])
    has_more = "no more were found" if card["is_all"] else "there are more"
    lines = [
        f"# {card['title']}",
        "",
        "Made by",
        "",
        "```console",
        f"$ {card['command']}",
        "```",
        "",
        f"with c4 {card['c4_version']} (engine {card['engine_version']}), seed {card['seed']}.",
        "",
        "| source | |",
        "|---|---|",
        *(f"| {name.replace('_', ' ')} | {_text(value)} |" for name, value in _source(card)),
        f"| asked for | {card['asked']:,} |",
        f"| positions | {card['positions']:,}; {has_more} |",
        f"| looked at | {card['drawn']:,} |",
        f"| duplicates dropped | {card['duplicates']:,} |",
        "",
        card["labels"],
        "",
        "## Parts",
        "",
        f"{card['split']['shares']} of train, validation and test. {card['split']['rule']}",
        "",
        f"{card['orientation']} {card['order']}",
        "",
        "Won, drawn and lost for the side to move:",
        "",
        *_table("part", [{"part": name, **part} for name, part in card["splits"].items()]),
        _row("all", everything),
        "",
        "## Plies",
        "",
        *_table("ply", everything["plies"]),
        "",
        "## Columns",
        "",
        "N positions, W columns and H rows on the board.",
        "",
        "| column | type | shape | meaning |",
        "|---|---|---|---|",
        *(
            f"| `{column['name']}` | {column['dtype']} | {column['shape']} | {column['meaning']} |"
            for column in card["columns"]
        ),
    ]
    return "\n".join(lines) + "\n"


def _source(card: Json) -> list[tuple[str, Any]]:
    return [("board", card["board"]), *card["source"].items()]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if type(value) is int else str(value)


def _table(name: str, rows: Iterable[Json]) -> list[str]:
    heads = (name, *_HEADS)
    return [
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
        *(_row(str(row[name]), row) for row in rows),
    ]


def _row(name: str, row: Json) -> str:
    """A row of numbers, with the shares of the outcomes."""
    number = row["positions"]
    shares = [
        f"{row[outcome]:,} ({100 * row[outcome] / max(number, 1):.1f} %)" for outcome in OUTCOMES
    ]
    return f"| {name} | {number:,} | {' | '.join(shares)} |"
