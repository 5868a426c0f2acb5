"""``/api/v1/players`` and ``/api/v1/move``: the available players, and their moves."""

from pathlib import Path

import pytest

from c4core import extras
from c4core.players import ANY_PROGRAM, LEVELS, Consent, parse_player, player_kinds
from c4core.position import Position
from c4core.solver import Solver
from tests.support.web_api import Api, serving
from web.settings import Limits

PLAYERS = "/api/v1/players"
MOVE = "/api/v1/move"
ENDLESS = "minimax-windows:depth=20"
"""It thinks for hours, and needs consent."""
SLOW = "montecarlo-flat:simulations=10000000,stop_gap=1"
LATE = "532336513633217277452711665127"


def test_all_players_and_levels_are_listed(api: Api) -> None:
    found = {player["name"]: player for player in api.get(PLAYERS)}
    assert set(found) == {kind.name for kind in player_kinds()} | set(LEVELS)
    assert {name for name, player in found.items() if player["stands_for"]} == set(LEVELS)
    for kind in player_kinds():
        shown = found[kind.name]
        assert shown["summary"] == kind.summary
        names = [each["name"] for each in shown["parameters"]]
        assert names == [each.name for each in kind.parameters]


def in_a_description(value: object) -> str:
    """A parameter's value as the page writes it into a player's description."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def test_parameters_can_be_written_as_described(api: Api) -> None:
    """A form made from the descriptions gives valid player descriptions."""
    for player in api.get(PLAYERS):
        if player["argument"] or any(each["required"] for each in player["parameters"]):
            continue
        defaults, others = [], []
        for each in player["parameters"]:
            defaults.append(f"{each['name']}={in_a_description(each['default'])}")
            values = [each["low"], each["high"], *(each["choices"] or [])]
            others += [f"{each['name']}={value}" for value in values if value is not None]
        spec = parse_player(player["name"] + (f":{','.join(defaults)}" if defaults else ""))
        assert spec == parse_player(player["name"])
        for other in others:
            if player["name"] not in {"perfect", "montecarlo-timed"}:  # they exclude each other
                parse_player(f"{player['name']}:{other}")


def test_missing_packages_and_consent_are_reported(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    with serving(programs=ANY_PROGRAM) as trusting:
        found = {player["name"]: player for player in trusting.get(PLAYERS)}
        assert not found["learning-cnn"]["available"]
        assert "pip install torch" in found["learning-cnn"]["reason"]
        assert found["exec"]["available"]
        refusal = trusting.refused(MOVE, {"moves": "", "player": "learning-cnn:model=/no/file"})
        assert refusal == (501, "player")
    found = {player["name"]: player for player in api.get(PLAYERS)}
    for name, consents in (("perfect", False), ("learning-residual", False), ("exec", True)):
        assert ("--allow-programs" in (found[name]["reason"] or "")) is consents
        assert found[name]["available"] is not consents
    assert "--allow-programs" in found["proof"]["reason"]


def test_moves(api: Api) -> None:
    move = api.post(MOVE, {"moves": LATE, "seconds": 30})
    best = Solver(table_mb=1).analyze(Position(LATE)).best
    assert move["column"] - 1 in best
    assert move["moves"] == f"{LATE}{move['column']}"
    assert move["player"] == parse_player("perfect").full
    same = {"moves": "44", "player": "random", "seed": 7}
    columns = {api.post(MOVE, same)["column"] for _ in range(5)}
    assert len(columns) == 1
    seeds = {api.post(MOVE, same | {"seed": seed})["column"] for seed in range(20)}
    assert len(seeds) > 2
    by_key = api.post(MOVE, {"key": str(Position(LATE).key), "player": "stupid"})
    assert (by_key["moves"], by_key["column"]) == (None, 1)
    large = api.post(MOVE, {"moves": "", "board": "12x4", "player": "hard", "seconds": 30})
    assert 1 <= large["column"] <= 12


@pytest.mark.parametrize(
    ("status", "players"),
    [
        (400, ("nobody", "hard:depth=3", "minimax-windows:depth=99", "random\0")),
        (400, ("mcts-uct:iterations=5000000",)),
        (403, ("exec:ls", "python:os:getcwd", "kaggle:/etc/passwd", "proof:/etc/passwd")),
        (403, ("learning-cnn:model=/etc/passwd",)),
        (422, (SLOW,)),
    ],
)
def test_players_that_are_refused(api: Api, status: int, players: tuple[str, ...]) -> None:
    for player in players:
        asked = {"moves": "44", "player": player, "seconds": 0.02}
        assert api.refused(MOVE, asked) == (status, "player"), player


def test_programs_and_proofs_with_consent(tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("def agent(observation, configuration):\n    return 2\n")
    player = f"kaggle:{agent}"
    with serving(programs=Consent.to([player])) as api:
        assert api.post(MOVE, {"moves": "", "player": player, "seconds": 30})["column"] == 3
        assert api.refused(MOVE, {"moves": "", "player": "exec:true"}) == (403, "player")
    asked = {"board": "5x4", "player": "proof:5x4", "seconds": 30}
    with serving(programs=ANY_PROGRAM) as api:
        move = api.post(MOVE, {"moves": "", **asked})
        assert move["player"] == "proof:5x4"
        assert api.post(MOVE, {"moves": move["moves"], **asked})["column"] in range(1, 6)
        for wrong in ("proof:5x4", "proof:/no/file"):
            assert api.refused(MOVE, {"moves": "", "player": wrong}) == (400, "player")


def test_a_player_that_looks_games_up_plays_on_every_board(tmp_path: Path) -> None:
    with serving(database_url=str(tmp_path / "c4.db")) as api:
        for board in ("1x5", "7x6", "3x40", "1x5"):
            body = {"moves": "", "board": board, "player": "database-montecarlo:playouts=1"}
            assert api.post(MOVE, body)["column"] >= 1


def test_a_client_that_disconnects_ends_the_move() -> None:
    body = b'{"moves":"","player":"%s","seconds":86400}' % ENDLESS.encode()
    with serving(limits=Limits(budget_seconds=86_400), programs=ANY_PROGRAM) as api:
        with api.searching(MOVE, body) as statuses:
            assert statuses == []
        assert statuses == [499]
        assert api.service.searches == 0
