"""What tests of players share."""

import pytest

from c4core.players.roster import external
from tests.support.running.waiting import HANG_SECONDS


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a program that hangs is too slow, however busy the machine is."""
    for name in ("START_SECONDS", "QUIT_SECONDS"):
        monkeypatch.setattr(external, name, HANG_SECONDS)
