"""Our players in Kaggle's ConnectX, and its agents as our players, with the real package."""

from pathlib import Path
from typing import Any

import kaggle_environments as kaggle
import pytest

from c4core.adapters.kaggle import make_agent
from c4core.arena.game import Ending, play_game
from c4core.players import ANY_PROGRAM, Resources, parse_player
from c4core.position import Position

EXAMPLE = Path(__file__).parents[4] / "examples" / "kaggle_agent.py"


def played(agents: list[Any], **configuration: int) -> kaggle.core.Environment:
    patient = {"actTimeout": 600}  # no game is lost on a busy machine
    environment = kaggle.make("connectx", configuration=patient | configuration)
    environment.run(agents)
    return environment


def check_finished(environment: kaggle.core.Environment) -> None:
    """Both sides reached the end, and the end agrees with our rules."""
    assert [side["status"] for side in environment.state] == ["DONE", "DONE"]
    cells = environment.state[0]["observation"]["board"]
    width = environment.configuration.columns
    rows = [cells[first : first + width] for first in range(0, len(cells), width)]
    final = Position.from_grid("\n".join("".join(".xo"[cell] for cell in row) for row in rows))
    assert final.is_over
    rewards = [side["reward"] for side in environment.state]
    assert rewards == {"x": [1, -1], "o": [-1, 1], None: [0, 0]}[final.winner]


@pytest.mark.parametrize("player", ["perfect", "random", "minimax-windows", "set"])
@pytest.mark.parametrize(("columns", "rows"), [(5, 4), (7, 6)])
def test_games_against_negamax(player: str, columns: int, rows: int) -> None:
    for seed in range(4):
        agent = make_agent(player, seed=seed)
        agents = [agent, "negamax"] if seed % 2 else ["negamax", agent]
        environment = played(agents, columns=columns, rows=rows)
        check_finished(environment)
        if seed % 2 and player == "perfect" and columns == 7:  # the first player wins
            assert environment.state[0]["reward"] == 1


def test_a_file_agent() -> None:
    environment = played([str(EXAMPLE), "random"])
    check_finished(environment)
    assert environment.state[0]["reward"] == 1


def test_five_in_a_row_is_an_error_of_the_agent() -> None:
    environment = played([make_agent("random"), "random"], inarow=5)
    assert environment.state[0]["status"] == "ERROR"
    (log,) = environment.logs[-1][:1]
    assert "only four in a row is supported, not 5" in log["stderr"]


@pytest.mark.parametrize("name", ["negamax", "random"])
def test_kaggle_agents_as_players(name: str) -> None:
    spec = parse_player(f"python:c4core.adapters.kaggle_opponents:{name}")
    other = parse_player("minimax-windows").make()
    start = Position(board="5x4")
    with spec.make(Resources(programs=ANY_PROGRAM)) as theirs:
        games = [play_game(theirs, other, seed=seed, start=start) for seed in (1, 1, 2)]
    assert {game.ending for game in games} <= {Ending.FOUR, Ending.FULL}
    assert games[0].columns == games[1].columns  # the same seed
    assert len({game.columns for game in games}) > 1
