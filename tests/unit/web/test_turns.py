"""Short turns of the threads, and a collector that leaves the program alone."""

import gc
import sys

import pytest

from web.http.turns import TURN_SECONDS, quick_turns


def test_all_is_as_before_at_the_end() -> None:
    before, frozen = sys.getswitchinterval(), gc.get_freeze_count()
    with quick_turns():
        assert sys.getswitchinterval() == pytest.approx(TURN_SECONDS)
        assert gc.get_freeze_count() > frozen
    assert sys.getswitchinterval() == before
    assert gc.get_freeze_count() == frozen


def test_what_comes_later_is_still_collected() -> None:
    class Node:
        def __init__(self) -> None:
            self.itself = self
            gone.append(0)

        def __del__(self) -> None:
            gone.pop()

    gone: list[int] = []
    with quick_turns():
        for _ in range(10):
            Node()
        gc.collect()
        assert not gone
