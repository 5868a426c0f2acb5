"""Output about models: for people, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cli.output.tables import Facts, Table, write_parts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from c4core.models.files import Model
    from c4core.models.quality import Missed, Quality, Share
    from c4core.models.torch.playing import BestShares, Confusion
    from cli.output.tables import Part
    from cli.shell.settings import Settings


def write_report(
    settings: Settings,
    path: Path,
    model: Model,
    *,
    parameters: int,
    confusion: Confusion | None = None,
    shares: BestShares | None = None,
    quality: Quality | None = None,
    with_history: bool = False,
) -> None:
    """Write a model's description and quality."""
    about: dict[str, Any] = {
        "model": str(path),
        "kind": model.kind,
        "board": str(model.board),
        "weights": model.fingerprint,
        "parameters": parameters,
        "epochs": len(model.history),
        "seconds": round(sum(entry["seconds"] for entry in model.history), 3),
    }
    if settings.json:
        from cli.output.formats import write_object

        about |= {"architecture": model.architecture, "settings": model.settings}
        if with_history:
            about["history"] = model.history
        if confusion is not None:
            from c4core.models.torch.playing import confusion_object

            about["confusion"] = confusion_object(confusion)
        if shares is not None:
            from c4core.models.torch.playing import shares_object

            about["positions"] = shares_object(shares)
        if quality is not None:
            from c4core.models.quality import quality_object

            about["quality"] = quality_object(quality)
        write_object(about)
        return
    _write_text(about, model, confusion, shares, quality)


def _write_text(
    about: Mapping[str, Any],
    model: Model,
    confusion: Confusion | None,
    shares: BestShares | None,
    quality: Quality | None,
) -> None:
    from cli.output.render import duration

    facts = {name: str(value) for name, value in about.items()}
    facts["parameters"] = f"{about['parameters']:,}"
    facts["seconds"] = duration(about["seconds"])
    last = model.history[-1] if model.history else {}
    facts |= {
        name.replace("_", " "): f"{value:.4g}"
        for name, value in last.items()
        if name not in ("epoch", "seconds")
    }
    parts: list[Part] = [Facts(list(facts.items()))]
    if confusion is not None:
        parts.append(confusion_table(confusion))
        parts.append(Facts([("accuracy", f"{confusion.accuracy:.5f}")]))
    if shares is not None:
        parts.append(shares_table(shares))
    if quality is not None:
        parts += quality_parts(quality)
    write_parts(parts)


def confusion_table(confusion: Confusion) -> Table:
    """A confusion matrix; true means that player 1 has won."""
    rows = [
        ["player 1 has won", f"{confusion.true_true:,}", f"{confusion.true_false:,}"],
        ["player 1 has not won", f"{confusion.false_true:,}", f"{confusion.false_false:,}"],
    ]
    title = f"The network's verdict on {confusion.games:,} final grids"
    return Table(("", "says won", "says not won"), rows, title=title)


def shares_table(shares: BestShares) -> Table:
    """Shares of best columns, by the stones on the board."""
    from cli.output.render import percent

    rows = [
        [
            str(ply.ply),
            f"{ply.positions:,}",
            percent(ply.best / ply.positions),
            percent(ply.chance / ply.positions),
        ]
        for ply in shares.plies
    ]
    rows.append(
        [
            "all",
            f"{shares.positions:,}",
            percent(shares.best_share),
            percent(shares.chance_share),
        ]
    )
    title = "How often its column is a best one"
    if shares.value_share is not None:
        title += f"; it names the result of {percent(shares.value_share)}"
    return Table(("stones", "positions", "network", "at random"), rows, left=0, title=title)


_HEADINGS: Final = ("positions", "best column", "result kept")


def quality_parts(quality: Quality) -> list[Part]:
    """Tables of shares by kind of position and by stones, and the missed wins and blocks."""
    from cli.output.render import NOTHING

    kinds = [
        _share_row("all", quality.everywhere),
        _share_row("decisive", quality.decisive),
        _share_row("quiet", quality.quiet),
        _share_row("quiet and decisive", quality.quiet_decisive),
    ]
    plies = [_share_row(str(ply), share) for ply, share in quality.plies]
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


def _share_row(name: str, share: Share) -> list[str]:
    from cli.output.render import percent

    known = share.positions or None
    return [
        name,
        f"{share.positions:,}",
        percent(known and share.strict / known),
        percent(known and share.outcome / known),
    ]


def _missed(missed: Missed) -> str:
    return f"{missed.missed:,} of {missed.positions:,}"
