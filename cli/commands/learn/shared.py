"""Shared parts of training and evaluation: options, final grids, reports about models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from c4core import extras
from c4core.errors import LearningMissingError
from c4core.models.labels import labelled, play_finals, read_finals
from c4core.models.quality import quality_object
from cli.output import progress
from cli.output.formats import write_object
from cli.output.render import duration, percent
from cli.output.tables import Facts, Table, write_parts
from cli.shell import parameters
from cli.shell.commands import refuse
from cli.shell.parameters import WholeNumber, number, option
from cli.shell.process import input_name, reading
from db import games
from workers.match.table import read_corpus
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from c4core.extras import Extra
    from c4core.models.files import Model
    from c4core.models.labels import Labelled
    from c4core.models.quality import Missed, Quality, Share
    from c4core.notation import BoardSize
    from c4core.players import FinalGrids
    from cli.output.tables import Part
    from cli.shell.settings import Settings


def require(extra: Extra | None = None) -> None:
    """Check that packages are installed; without an argument, PyTorch."""
    extras.require(extra or extras.LEARN, LearningMissingError)


TRAINING_GAMES: Final = 300_000
"""The number of games to play if no source of final grids is given."""


@dataclass(frozen=True, kw_only=True)
class Finals:
    """The source of final grids."""

    games: int | None = number(
        WholeNumber(1), f"Play N games, set against set.  [default: {TRAINING_GAMES}]"
    )
    csv: BinaryIO | None = option(
        "Final grids of a file, as c4 games export --format csv writes them.",
        type=click.File("rb"),
        metavar="FILE",
    )
    match: tuple[int, ...] = number(
        WholeNumber(1),
        "The stored games of this match; can be given again.",
        metavar="MATCH",
        multiple=True,
    )
    board: BoardSize = parameters.board()

    @property
    def given(self) -> int:
        """The number of sources that are given."""
        return sum((self.games is not None, self.csv is not None, bool(self.match)))


def labelled_games(settings: Settings, finals: Finals, *, seed: int) -> Labelled:
    """Label the final grids, and leave out repeated ones.

    If no source is given, :data:`TRAINING_GAMES` games are played.
    """
    refuse((finals.given > 1, "--games, --csv and --match cannot be used together"))
    board = finals.board
    if finals.csv is not None:
        name = input_name(finals.csv)
        with reading(name):
            grids = read_finals(finals.csv, name=name, board=board)
    elif finals.match:
        grids = _stored(settings, finals.match, board)
    else:
        wanted = TRAINING_GAMES if finals.games is None else finals.games
        shown = progress.is_shown(settings)
        with progress.counting("playing games", shown=shown, total=wanted) as update:
            grids = play_finals(wanted, seed=seed, board=board, tell=update)
    found = labelled(grids, seed=seed)
    repeated = len(grids) - len(found)
    settings.say(
        count(len(found), "game") + (f", {repeated:,} repeated ones left out" if repeated else "")
    )
    return found


def _stored(settings: Settings, matches: tuple[int, ...], board: BoardSize) -> FinalGrids:
    with settings.open_database() as database:
        with database.read() as session:
            for match in matches:
                other = games.get_terms(session, match).board
                if other != board:
                    raise click.BadParameter(
                        f"match {match} was played on {other}, not on {board}",
                        param_hint="'--match'",
                    )
        return read_corpus(database, board, matches)


def write_report(
    settings: Settings,
    path: Path,
    model: Model,
    *,
    parameters: int,
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
        about |= {"architecture": model.architecture, "settings": model.settings}
        if with_history:
            about["history"] = model.history
        if quality is not None:
            about["quality"] = quality_object(quality)
        write_object(about)
        return
    _write_text(about, model, quality)


def _write_text(about: Mapping[str, Any], model: Model, quality: Quality | None) -> None:
    facts = {name: str(value) for name, value in about.items()}
    facts["parameters"] = f"{about['parameters']:,}"
    facts["seconds"] = duration(about["seconds"])
    facts |= figure_texts(model.history[-1] if model.history else {})
    parts: list[Part] = [Facts(list(facts.items()))]
    if quality is not None:
        parts += quality_parts(quality)
    write_parts(parts)


def figure_texts(figures: Mapping[str, float]) -> dict[str, str]:
    """The figures of an epoch for people, without its number and duration."""
    return {
        name.replace("_", " "): f"{value:.4g}"
        for name, value in figures.items()
        if name not in ("epoch", "seconds")
    }


_HEADINGS: Final = ("positions", "best column", "result kept")


def quality_parts(quality: Quality) -> list[Part]:
    """Tables of shares by kind of position and by stones, and the missed wins and blocks."""
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
    ]
    return [
        Table(("", *_HEADINGS), kinds, title="How its columns keep to the proof"),
        Table(("stones", *_HEADINGS), plies, left=0, title="By the stones on the board"),
        Facts(facts),
    ]


def _share_row(name: str, share: Share) -> list[str]:
    known = share.positions or None
    return [
        name,
        f"{share.positions:,}",
        percent(known and share.strict / known),
        percent(known and share.outcome / known),
    ]


def _missed(missed: Missed) -> str:
    return f"{missed.missed:,} of {missed.positions:,}"
