"""``c4 play``: a game at the terminal between people, players, or both."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click

from c4core.arena.file_formats import json_object
from c4core.errors import MoveError
from c4core.players.errors import PlayerError, ProgramRefusedError
from c4core.players.player import ANY_PROGRAM, Consent
from c4core.reader import read_moves
from cli.commands.play.game import (
    Game,
    check_replaceable,
    default_file,
    read_game,
    read_seat,
)
from cli.commands.play.opponents import GameResources, Scores
from cli.commands.play.plain import PlainGame
from cli.output.formats import writable_path
from cli.positions.books import Books
from cli.shell import parameters
from cli.shell.commands import Command, refuse
from cli.shell.options import flag, group, number, option, takes
from cli.shell.parameters import Engine
from cli.shell.process import Exit, echo, ignoring_closed_stderr
from workers.answers.question import find_book

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from c4core.notation import BoardSize
    from cli.commands.play.app import PlayApp
    from cli.commands.play.game import Seat
    from cli.shell.settings import Settings


LEAST_SIDE = 4
"""Smallest width and height with room for four in a row in every direction."""

EXAMPLES = (
    "c4 play",
    "c4 play --first hard --second human",
    "c4 play --resume",
    "c4 play --first perfect --second mcts-uct:iterations=5000 --board 6x5",
    "printf '4\\n4\\nhint\\n' | c4 play --plain --new --second easy",
)


read_own_seat = partial(read_seat, programs=ANY_PROGRAM)
"""Parse a player that the command line names, which is consent to start it."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """Parameters of ``c4 play``."""

    first: Seat = option(
        "Player of x, who moves first: human, a level (beginner to expert), or another player.",
        metavar="WHO",
        default="human",
        read=read_own_seat,
    )
    second: Seat = option("Player of o.", metavar="WHO", default="medium", read=read_own_seat)
    board: BoardSize = parameters.board()
    moves: str = option("Start after these moves.", metavar="MOVES", default="")
    seed: int | None = option(
        "Seed of all random choices.  [default: a random one]", type=int, metavar="N"
    )
    resume: bool = flag("Continue the saved game.")
    programs: Consent = parameters.programs("that the saved game names.")
    new: bool = flag("Replace the saved game by a new one without asking.")
    file_name: str | None = option(
        "Save the game in this file.  [default: play.json in your data directory]",
        "--file",
        type=click.Path(dir_okay=False),
        metavar="FILE",
    )
    plain: bool = flag("Play line by line on standard input and output.")
    delay: float = number(
        parameters.FiniteFloat(0, 60),
        "Delay between moves if no person plays.",
        metavar="SECONDS",
        default=0.5,
    )
    no_animation: bool = flag("Do not show stones falling.")
    books: Books = group(Books)
    no_store: bool = flag("Use no database for hints and players.")
    engine: Engine = group(Engine)


@click.command(cls=Command, examples=EXAMPLES)
@takes(Given)
@click.pass_context
def play(context: click.Context, given: Given) -> None:
    """Play Connect Four at the terminal.

    Type a column or click it. Press u to take a move back, h to show the exact score of every
    column, and ? for help. The levels beginner, easy, medium, hard and expert get stronger in this
    order; perfect is stronger than all. Every other player of "c4 players list" can also play, on
    either side or on both.

    The game is saved in a file after every move. Use --resume to continue it; programs that the
    file names are started only with --allow-programs. With NO_COLOR the sides are x and o. When you
    leave, the moves are written to standard output, one game per line. With --json they are written
    as "c4 games import" reads them.

    With --plain, moves are read from standard input, one column per line, and the board is written
    after each. With --json only the game is written, at the end. Type "help" for the commands.
    """
    settings: Settings = context.obj
    refuse(
        (given.resume and given.new, "--resume and --new cannot be used together"),
        (
            given.resume and _is_described(context),
            "--resume uses the saved players, board and moves",
        ),
        (
            not given.plain and not _on_terminal(),
            "c4 play needs a terminal; use --plain without one",
        ),
    )
    file = (
        default_file()
        if given.file_name is None
        else writable_path(given.file_name, option="--file")
    )
    if given.new and given.file_name is not None:  # the default file belongs to c4
        check_replaceable(file)
    kept = (
        None
        if given.new
        else read_game(file, programs=_with_named(given.programs, given.first, given.second))
    )
    unfinished = kept if kept is not None and kept.columns and not kept.is_over else None
    refuse(
        (given.resume and kept is None, f"no game is saved in {file}"),
        (
            given.plain and not given.resume and unfinished is not None,
            f"an unfinished game is saved in {file}: use --resume to continue, --new to replace it",
        ),
    )
    _check_consent(kept if given.resume else unfinished, file)
    game = (
        kept
        if given.resume and kept is not None
        else _game(given.first, given.second, given.board, given.moves, given.seed)
    )
    opened = find_book(given.books.path(), game.board)
    with ExitStack() as stack:
        database = (
            None if given.no_store else stack.enter_context(settings.open_database(create=True))
        )
        scores = Scores(
            database,
            table_mb=given.engine.table_mb,
            threads=given.engine.threads,
            book=opened,
            on_trouble=settings.say,
        )
        supplies = GameResources(scores, database)
        playing: PlainGame | PlayApp
        if given.plain:
            playing = PlainGame(game, file=file, supplies=supplies, silent=settings.json)
        else:
            from cli.commands.play.app import PlayApp
            from cli.commands.play.screen import Setup

            setup = Setup(file, supplies, given.delay, animated=not given.no_animation)
            playing = PlayApp(game, setup, unfinished=None if given.resume else unfinished)
        try:
            playing.play()
        except KeyboardInterrupt:
            with ignoring_closed_stderr():  # the terminal may be closed
                _say_where(playing.game, given.file_name, settings)
            raise
    _write_games(playing.games, settings, plain=given.plain)
    _say_where(playing.game, given.file_name, settings)
    if playing.mistakes and not sys.stdin.isatty():
        raise click.exceptions.Exit(Exit.PROBLEMS)


def _with_named(programs: Consent, *seats: Seat) -> Consent:
    """Add the players that the command line names to the allowed programs."""
    return Consent(programs.everything, frozenset(seat.text for seat in seats))


def _check_consent(game: Game | None, file: Path) -> None:
    """Refuse a saved game with programs that this command line does not allow."""
    if game is None:
        return
    try:
        for seat in (game.first, game.second):
            seat.check_consent()
    except ProgramRefusedError as error:
        raise click.UsageError(f"{file}: {error}; start another game with --new") from None


def _on_terminal() -> bool:
    """Whether standard input and standard error are a terminal, which drawing needs."""
    return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _is_described(context: click.Context) -> bool:
    sources = map(context.get_parameter_source, ("first", "second", "board", "moves", "seed"))
    return any(source is not click.core.ParameterSource.DEFAULT for source in sources)


def _game(first: Seat, second: Seat, board: BoardSize, moves: str, seed: int | None) -> Game:
    if min(board) < LEAST_SIDE:
        raise click.BadParameter(
            f"{board} is too small for four in a row: use at least {LEAST_SIDE} columns and rows",
            param_hint="'--board'",
        )
    for name, seat in (("--first", first), ("--second", second)):
        try:
            seat.check_board(board)
        except PlayerError as error:
            raise click.BadParameter(str(error), param_hint=f"'{name}'") from None
    try:
        columns = read_moves(moves, board)
        return Game(first, second, secrets.randbits(32) if seed is None else seed, board, columns)
    except MoveError as error:
        raise click.BadParameter(str(error), param_hint="'--moves'") from None


def _write_games(games: Sequence[Game], settings: Settings, *, plain: bool) -> None:
    """Write the games, one per line, after the screen was closed."""
    for game in games:
        if settings.json:
            known = {
                "over": game.is_over,
                "outcome": game.outcome(),
                "play_seed": game.seed,
            }
            echo(json.dumps(json_object(game.entry()) | known))
        elif not plain and game.columns:
            echo(f"{game.moves}: {game.outcome()}")


def _say_where(game: Game, file_name: str | None, settings: Settings) -> None:
    """Say how to continue an unfinished game."""
    if game.columns and not game.is_over:
        option = "" if file_name is None else f" --file {shlex.quote(file_name)}"
        if game.first.is_program or game.second.is_program:
            option += " --allow-programs"
        settings.say(f"The game is saved; continue with: c4 play --resume{option}")
