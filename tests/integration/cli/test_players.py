import csv
import io
import json

import pytest

from c4core.players import player_kinds
from tests.support.running.command_line import C4

NAMES = [kind.name for kind in player_kinds()]


def test_every_player_is_listed(c4: C4) -> None:
    rows = json.loads(c4("players", "list", "--json").out)
    assert [row["player"] for row in rows] == NAMES
    assert c4("players", "list", "--jsonl").objects == rows
    table = list(csv.DictReader(io.StringIO(c4("players", "list", "--csv").out)))
    assert [row["player"] for row in table] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_player_is_shown(c4: C4, name: str) -> None:
    shown = c4("players", "show", name)
    assert shown.code == 0
    assert name in shown.out
    fields = json.loads(c4("players", "show", name, "--json").out)
    assert fields["player"] == name
    for parameter in fields["parameters"]:
        assert parameter["name"] in shown.out
        assert parameter["default"]
