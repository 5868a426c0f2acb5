"""Addresses that the documents once named still work, and say where to go."""

import importlib
import sys

import pytest

from c4core import dice
from c4core.players import player


@pytest.mark.parametrize(
    ("address", "names", "home"),
    [
        ("c4core.players.base", ["GameStart", "Limits", "NO_LIMITS", "Player"], player),
        ("c4core.players.dice", ["Dice"], dice),
    ],
)
def test_old_addresses(address: str, names: list[str], home: object) -> None:
    sys.modules.pop(address, None)
    with pytest.warns(DeprecationWarning, match=f"not {address}"):
        module = importlib.import_module(address)
    for name in names:
        assert getattr(module, name) is getattr(home, name)
