"""The options that say what a data set shall be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.shell import parameters

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.dataset.lots import Shares
    from c4core.notation import BoardSize
    from cli.shell.parameters import Range
    from workers.dataset.order import Order

LARGEST_SEED = 2**63 - 1
MAX_POSITIONS = 100_000_000


def read_shares(_context: click.Context, _parameter: click.Parameter, text: str) -> Shares:
    """An option's text as shares: ``80/10/10``."""
    from c4core.dataset.lots import Shares

    try:
        return Shares.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def read_license(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    """An option's text as the identifier of a license: ``cc-by-4.0``."""
    from c4core.dataset.card_reading import check_license

    try:
        return check_license(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


_SOURCE = (
    click.option(
        "--from",
        "source",
        type=click.Choice(["plies", "play", "strong", "games", "book", "file"]),
        default="plies",
        show_default=True,
        help="plies: random games, equally many positions of each ply; play: random games, one "
        "position of each; strong: games of perfect play with errors; games: stored games; "
        "book: a book; file: positions with scores, as of public evaluation sets.",
    ),
    click.option(
        "--count",
        type=parameters.IntRange(1, MAX_POSITIONS),
        metavar="N",
        default=10_000,
        show_default=True,
        help="How many different positions.",
    ),
    click.option(
        "--plies",
        metavar="N|A..B",
        callback=parameters.read_range,
        help="Only positions with so many stones; an end can be left open.  [default: all]",
    ),
    click.option(
        "--only",
        type=click.Choice(["quiet", "decisive"]),
        multiple=True,
        help="quiet: neither side could win with its next stone; decisive: columns differ in their "
        "results. Can be given again, for both.",
    ),
    click.option(
        "--blunder",
        type=parameters.FiniteFloat(0, 1),
        metavar="P",
        help="With strong: how often a column is played that is not best.  [default: 0.1]",
    ),
    click.option(
        "--corpus",
        type=parameters.WholeNumber(1),
        multiple=True,
        metavar="MATCH",
        help="With games: those of this match; can be given again.  "
        "[default: all finished matches]",
    ),
    click.option(
        "--input",
        "file",
        type=click.Path(exists=True, dir_okay=False),
        metavar="FILE",
        help="With file: lines of moves and scores, or a ConnectX validation set.",
    ),
    parameters.board_option,
    click.option(
        "--seed",
        type=parameters.IntRange(0, LARGEST_SEED),
        default=1,
        show_default=True,
        metavar="S",
        help="Start of all random numbers: the same seed, the same files.",
    ),
)

_FORM = (
    click.option(
        "--split",
        "shares",
        metavar="A/B/C",
        default="80/10/10",
        show_default=True,
        callback=read_shares,
        help="Shares of train, validation and test; one with 0 has no file.",
    ),
    click.option(
        "--neighbours",
        type=click.Choice(["keep", "together", "drop"]),
        default="keep",
        show_default=True,
        help="Positions of different parts that are a move apart: keep them, put all that are "
        "linked together into one part, or drop those in train.",
    ),
    click.option(
        "--format",
        "formats",
        type=click.Choice(["npz", "parquet", "jsonl"]),
        multiple=True,
        default=["npz"],
        show_default=True,
        help="Of the files; can be given again. parquet needs pyarrow.",
    ),
    click.option(
        "--representation",
        "representations",
        type=click.Choice(["planes", "moves"]),
        multiple=True,
        default=["planes"],
        show_default=True,
        help="How positions are shown; can be given again.",
    ),
    click.option(
        "--license",
        metavar="ID",
        default="cc0-1.0",
        show_default=True,
        callback=read_license,
        help="The license under which you give the data set away.",
    ),
)


def order_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that :func:`order_of` reads."""
    for option in reversed((*_SOURCE, *_FORM)):
        command = option(command)
    return command


def order_of(wishes: dict[str, Any]) -> Order:
    """The order that the options make.

    Raises:
        click.BadParameter: the board has no such plies.
    """
    from workers.dataset.order import BLUNDER, Order

    board: BoardSize = wishes["board"]
    plies: Range | None = wishes["plies"]
    first = 0 if plies is None or plies.first is None else plies.first
    last = board.cells - 1 if plies is None or plies.last is None else plies.last
    if not 0 <= first <= last < board.cells:
        raise click.BadParameter(
            f"on {board} positions that are not over have 0 to {board.cells - 1} stones",
            param_hint="'--plies'",
        )
    return Order(
        source=wishes["source"],
        board=board,
        first_ply=first,
        last_ply=last,
        matches=tuple(sorted(set(wishes["corpus"]))),
        book=wishes["book"],
        count=wishes["count"],
        seed=wishes["seed"],
        shares=wishes["shares"],
        formats=tuple(dict.fromkeys(wishes["formats"])),
        representations=tuple(dict.fromkeys(wishes["representations"])),
        file=wishes["file"],
        blunder=BLUNDER if wishes["blunder"] is None else wishes["blunder"],
        quiet="quiet" in wishes["only"],
        decisive="decisive" in wishes["only"],
        neighbours=wishes["neighbours"],
        license=wishes["license"],
    )
