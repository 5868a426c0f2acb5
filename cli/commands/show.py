"""``c4 show``: draw a board or a game, at the terminal or as a picture."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from c4core.notation import column_label, parse_moves
from c4core.position import Position
from cli.output import drawing, render
from cli.positions.given import from_arguments, from_grids
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.parameters import Engine, argument, flag, group, option, takes
from cli.shell.process import echo, run_in_background

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from workers.answers.question import Answer

OUTPUT: Final = "--output"
EXAMPLES: Final = (
    "c4 show 4453",
    "c4 show 4453 --scores --threats --output board.svg",
    "c4 show 4444432651631 --game --output game.svg",
)


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 show``."""

    moves: str | None = argument(required=False)
    board: BoardSize = parameters.board()
    grid: IO[str] | None = option("Show the text grid in this file.", type=click.File())
    scores: bool = flag("Show the columns' scores, and arrows to the best.")
    threats: bool = flag("Show the cells that would complete a four, by side.")
    is_game: bool = flag("Show all moves as an animation.", "--game")
    outputs: tuple[str, ...] = option(
        "Draw into an .svg, .png or .gif; can be given again.  [default: the terminal]",
        "-o",
        OUTPUT,
        metavar="FILE",
        multiple=True,
    )
    no_store: bool = parameters.no_store()
    engine: Engine = group(Engine)


@click.command(cls=Command, json=False, examples=EXAMPLES)
@takes(Given)
@click.pass_obj
def show(settings: Settings, given: Given) -> None:
    """Draw a position or a game.

    MOVES are the columns played so far, as in 4453. In a picture a ring marks the last move, and
    thick rings mark a four. Threats are rings for x, which is red, and dots for o, which is yellow.

    Only a .png or .gif needs other packages. --game makes an animated .svg or a .gif.
    """
    refuse(
        (
            (given.moves is None) == (given.grid is None),
            'give MOVES, "" for the empty board, or a --grid',
        ),
        (given.is_game and given.moves is None, "--game needs MOVES"),
        (given.is_game and not given.outputs, "--game needs a picture file: give --output FILE"),
        (
            given.is_game and (given.scores or given.threats),
            "--game cannot be used with --scores or --threats",
        ),
    )
    suffixes = (".svg", ".gif") if given.is_game else (".svg", ".png", ".gif")
    drawing.check_pictures(given.outputs, suffixes=suffixes, option=OUTPUT)

    if given.grid is None:
        requests = from_arguments([given.moves or ""], board=given.board)
    else:
        requests = from_grids(given.grid)
        refuse((len(requests) > 1, "--grid: the file has several grids; give one"))
    position = requests[0].position
    answer = None
    if given.scores and not position.is_over:
        answer = _answer(settings, position, given)
    if not given.outputs:
        _write(position, answer, threats=given.threats)
    for name in given.outputs:
        if given.is_game:
            content = _game(requests[0].moves or "", given.board, Path(name).suffix)
        else:
            content = _board(position, answer, Path(name).suffix, threats=given.threats)
        drawing.write_picture(name, content, option=OUTPUT)
        settings.say(name)


def _answer(settings: Settings, position: Position, given: Given) -> Answer:
    """Find the scores of all columns: in the book, the database, or by a search."""
    from workers.answers.question import Question
    from workers.answers.service import AnswerService, SearchStop

    stop = SearchStop()
    with nullcontext() if given.no_store else settings.open_database(create=True) as database:
        service = AnswerService(database, **vars(given.engine))
        try:
            ask = partial(service.answer, [position], Question(), stop)
            (answer,) = run_in_background(ask, stop.set)
        finally:
            service.close()
    return answer


def _write(position: Position, answer: Answer | None, *, threats: bool) -> None:
    out = render.console()
    out.print(render.board(position, None if answer is None else answer.bounds))
    if answer is not None or position.is_over:
        from workers.answers.find import answer_at_end

        out.print(render.result_sentence(position, answer or answer_at_end(position)))
    else:
        echo(f"{position.turn} to move")
    if threats:
        for side, cells in position.threats().items():
            places = [f"{column_label(column)}/{row + 1}" for column, row in cells]
            echo(f"threats of {side}, column/row: {' '.join(places) or 'none'}")


def _board(position: Position, answer: Answer | None, suffix: str, *, threats: bool) -> bytes:
    from c4core.pictures.board import analysis_marks, board_picture

    picture = board_picture(position, analysis_marks(position, answer, threats=threats))
    if suffix == ".svg":
        from c4core.pictures.svg import svg_text

        return svg_text(picture).encode()
    from c4core.pictures.raster import gif_bytes, png_bytes

    return png_bytes(picture) if suffix == ".png" else gif_bytes([picture], [1.0])


def _game(moves: str, board: BoardSize, suffix: str) -> bytes:
    from c4core.arena.judging import positions_of
    from c4core.pictures.games import animated_svg, game_pictures

    start = Position(board=board)
    last = Position(moves, board=board)
    positions = [*positions_of(start, parse_moves(moves, width=board.width)), last]
    if suffix == ".svg":
        return animated_svg(positions).encode()
    from c4core.pictures.raster import gif_bytes

    return gif_bytes(*game_pictures(positions), scale=1.5)
