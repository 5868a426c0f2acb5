"""The players' page: it lists every player correctly, and its examples run."""

import re
from pathlib import Path
from typing import Any

import pytest

from c4core import Position
from c4core.dice import Dice
from c4core.players import PlayerKind, parse_player, player_kinds
from c4core.players.registry import _kinds

PAGE = (Path(__file__).parents[3] / "docs" / "players.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("kind", player_kinds(), ids=lambda kind: kind.name)
def test_every_player_is_listed_with_its_defaults(kind: PlayerKind) -> None:
    assert f"| `{kind.usage}` |" in PAGE


def test_example_of_a_game_runs(capsys: pytest.CaptureFixture[str]) -> None:
    exec(EXAMPLES[0], {})  # noqa: S102
    assert re.fullmatch(r"(x|o|None) (four|full) [1-7]+\n", capsys.readouterr().out)


def test_example_of_a_new_player_runs() -> None:
    names: dict[str, object] = {}
    try:
        exec(EXAMPLES[2], names)  # noqa: S102
        assert str(parse_player("shy:reach=1")) == "shy:reach=1"
        assert parse_player("shy:reach=1").make().choose(Position("111111"), Dice(1)) == 1
    finally:
        _kinds.pop("shy", None)


def test_example_of_consent_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[3])
    names: dict[str, Any] = {}
    exec(EXAMPLES[1], names)  # noqa: S102
    with names["mine"] as mine:
        assert mine.choose(Position(), Dice(1)) in range(7)
