import pytest

from c4core.players import PlayerError
from c4core.players.registry import parse_players


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("set", ["set"]),
        ("blog-v6:depth=0..2", ["blog-v6:depth=0", "blog-v6:depth=1", "blog-v6:depth=2"]),
        ("pvs:depth=2/4/6..7", [f"pvs:depth={depth}" for depth in (2, 4, 6, 7)]),
        (
            "mcts-uct:iterations=10/20",
            ["mcts-uct:iterations=10", "mcts-uct:iterations=20"],
        ),
        ("perfect:blunder=0.25", ["perfect:blunder=0.25"]),
        ("exec:cat a..b/c", ["exec:cat a..b/c"]),
    ],
)
def test_what_a_description_stands_for(text: str, players: list[str]) -> None:
    assert [spec.text for spec in parse_players(text)] == players


def test_every_combination() -> None:
    found = parse_players("montecarlo-flat:simulations=1..2,center_weight=1/2")
    assert [(spec.values[0], spec.values[1]) for spec in found] == [(1, 1), (1, 2), (2, 1), (2, 2)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("blog-v6:depth=4..2", "depth=4..2: 4 is more than 2"),
        ("blog-v6:depth=1..99", "cannot be '9'"),
        ("blog-v6:depth=1/x", "cannot be 'x'"),
        ("montecarlo-flat:simulations=1..2000", "more than 1,000 values"),
        ("montecarlo-flat:simulations=1..900,center_weight=1/2", "stands for 1,800 players"),
        ("nobody:depth=1..2", "no player is called 'nobody'"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(PlayerError, match=words.replace("(", r"\(")):
        parse_players(text)
