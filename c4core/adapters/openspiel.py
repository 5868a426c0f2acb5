"""Players as OpenSpiel bots, and conversions between positions and OpenSpiel states.

OpenSpiel's actions are 0-based columns, and its first player, 0, has ``x``. The game for a board of
any size is ``connect_four(rows=R,columns=C)``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pyspiel

from c4core.adapters.mover import AdapterError, Mover
from c4core.errors import C4Error
from c4core.notation import check_board, parse_moves
from c4core.position import Position

if TYPE_CHECKING:
    from c4core.dice import Dice
    from c4core.notation import BoardSize
    from c4core.players import Limits, Resources

NAME: Final = "connect_four"
IN_A_ROW: Final = 4
SEEDS: Final = 1 << 31
EXPLORATION: Final = 2.0
SIMULATIONS: Final = 1_000
MEMORY_MB: Final = 64


def load_game(board: BoardSize) -> pyspiel.Game:
    """Load OpenSpiel's game for a board."""
    return pyspiel.load_game(NAME, {"rows": board.height, "columns": board.width})


def to_state(position: Position) -> pyspiel.State:
    """Convert a position to a state. Its moves, if known, become the history."""
    game = load_game(position.board)
    if position.moves is None:
        return game.new_initial_state(_as_json(position))
    state = game.new_initial_state()
    for column in parse_moves(position.moves, width=position.width):
        state.apply_action(column)
    return state


def to_position(state: pyspiel.State) -> Position:
    """Convert a state to a position, with its moves if its history begins on the empty board."""
    game = state.get_game()
    name = game.get_type().short_name
    if name != NAME:
        raise AdapterError(f"{name} is another game", field="game")
    parameters = game.get_parameters()
    in_a_row = parameters.get("x_in_row", IN_A_ROW)
    if in_a_row != IN_A_ROW:
        raise AdapterError(f"only four in a row is supported, not {in_a_row}", field="x_in_row")
    try:
        board = check_board(parameters["columns"], parameters["rows"])
        position = Position.from_grid(str(state), board=board)
        columns = state.history()
        if len(columns) < position.ply:  # the history does not begin on the empty board
            return position
        return Position.from_columns(columns, board=board)
    except C4Error as error:
        raise AdapterError(str(error), field="state") from None


class PlayerBot(pyspiel.Bot):
    """A player as a bot, for either side."""

    def __init__(
        self,
        player: str = "perfect",
        *,
        seed: int | None = None,
        seconds: float | None = None,
        resources: Resources | None = None,
    ) -> None:
        pyspiel.Bot.__init__(self)
        self._mover = Mover(player, seed=seed, seconds=seconds, resources=resources)

    def step(self, state: pyspiel.State) -> int:
        return self._mover.choose(to_position(state))

    def restart(self) -> None:
        """Do nothing: the player recognizes a new game by its first state."""

    def restart_at(self, state: pyspiel.State) -> None:
        """Do nothing: the player recognizes a new game by its first state."""


def mcts(position: Position, dice: Dice, limits: Limits) -> int:
    """OpenSpiel's Monte Carlo tree search: ``python:c4core.adapters.openspiel:mcts``.

    It runs 1,000 simulations with one random game each, and ignores time limits.
    """
    del limits
    game = load_game(position.board)
    evaluator = pyspiel.RandomRolloutEvaluator(1, dice.below(SEEDS))
    bot = pyspiel.MCTSBot(
        game, evaluator, EXPLORATION, SIMULATIONS, MEMORY_MB, True, dice.below(SEEDS), False
    )
    return int(bot.step(to_state(position)))


def _as_json(position: Position) -> str:
    """Write a position as OpenSpiel reads it: rows from the bottom, and the side to move."""
    rows = [list(row) for row in reversed(str(position).splitlines())]
    winner = {"x": "x", "o": "o", None: "draw" if position.is_over else ""}[position.winner]
    return json.dumps(
        {
            "board": rows,
            "current_player": "Terminal" if position.is_over else position.turn,
            "is_terminal": position.is_over,
            "winner": winner,
        }
    )
