"""Fixtures for tests of players."""

import pytest

from c4core.players.roster import external
from tests.support.running.waiting import HANG_SECONDS


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long time limits: only a program that hangs exceeds them on a busy machine."""
    for name in ("START_SECONDS", "QUIT_SECONDS"):
        monkeypatch.setattr(external, name, HANG_SECONDS)
