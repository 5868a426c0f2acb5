"""Players as OpenSpiel bots, in games against its own bots, and states in both directions."""

import pyspiel
import pytest

from c4core.adapters.mover import AdapterError
from c4core.adapters.openspiel import PlayerBot, load_game, to_position, to_state
from c4core.arena.game import Ending, play_game
from c4core.notation import BoardSize
from c4core.players import ANY_PROGRAM, ProgramRefusedError, Resources, parse_player
from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.games import random_games

BOARDS = [BoardSize(7, 6), BoardSize(5, 4), BoardSize(4, 7), BoardSize(5, 3)]


def their_bot(game: pyspiel.Game, seed: int, simulations: int = 50) -> pyspiel.MCTSBot:
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 16, True, seed, False)


@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize("place", [0, 1])
def test_evaluate_bots(board: BoardSize, place: int) -> None:
    game = load_game(board)
    for seed, player in enumerate(("minimax-windows", "random", "blog-v6", "set")):
        bots = [their_bot(game, seed), their_bot(game, seed)]
        bots[place] = PlayerBot(player, seed=seed)
        returns = pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert sorted(returns) in ([-1.0, 1.0], [0.0, 0.0])


def test_perfect_play_keeps_the_value_of_a_position() -> None:
    solver, values = Solver(table_mb=1), set()
    for seed, moves in enumerate(random_games(8, empty=16)):
        value = solver.solve(moves).value
        values.add(value)
        state = to_state(Position(moves))
        place = state.current_player()
        bots = [their_bot(state.get_game(), seed), their_bot(state.get_game(), seed)]
        bots[place] = PlayerBot("perfect", seed=seed)
        returns = pyspiel.evaluate_bots(state, bots, seed)
        assert returns[place] >= {"win": 1, "draw": 0, "loss": -1}[str(value)]
    assert "win" in values


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_states_round_trip(board: BoardSize) -> None:
    for empty in (board.cells, board.cells - 6, 7, 1):
        for moves in random_games(3 if empty < board.cells else 1, empty=empty, board=board):
            position = Position(moves, board=board)
            state = to_state(position)
            assert state.current_player() == ("x", "o").index(position.turn)
            assert tuple(state.legal_actions()) == position.legal_columns()
            assert str(state).strip() == str(position)
            back = to_position(state)
            assert (back, back.moves) == (position, position.moves)
            unknown = Position.from_grid(str(position), board=board)
            assert to_position(to_state(unknown)) == position
            assert to_state(unknown).legal_actions() == state.legal_actions()


def test_a_game_continues_from_a_grid() -> None:
    state = to_state(Position.from_grid(str(Position("4455"))))
    state.apply_action(5)
    assert to_position(state) == Position("44556")
    state.apply_action(0)
    state.apply_action(2)
    assert state.is_terminal()
    assert to_position(state).winner == "x"


def test_other_games_are_refused() -> None:
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    with pytest.raises(AdapterError, match="tic_tac_toe is another game"):
        to_position(state)
    five = pyspiel.load_game("connect_four(x_in_row=5)").new_initial_state()
    with pytest.raises(AdapterError, match="only four in a row is supported, not 5") as caught:
        to_position(five)
    assert caught.value.field == "x_in_row"
    wide = pyspiel.load_game("connect_four(rows=6,columns=20)").new_initial_state()
    with pytest.raises(AdapterError, match="impossible board 20x6"):
        to_position(wide)
    with pytest.raises(ProgramRefusedError):
        PlayerBot("exec:ls")


def test_openspiel_search_as_a_player() -> None:
    spec = parse_player("python:c4core.adapters.openspiel:mcts")
    start = Position(board="5x4")
    with spec.make(Resources(programs=ANY_PROGRAM)) as theirs:
        games = [
            play_game(theirs, parse_player("stupid").make(), seed=seed, start=start)
            for seed in (1, 1)
        ]
    assert {game.ending for game in games} <= {Ending.FOUR, Ending.FULL}
    assert games[0].columns == games[1].columns
    assert games[0].winner == "x"
