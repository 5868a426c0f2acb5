"""The dialogues in ``dialogues.txt``, each in an empty directory."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.running.command_line import C4

TEXT = Path(__file__).with_name("dialogues.txt").read_text()
TITLES, DIALOGUES = (re.split(r"^## (.*)\n", TEXT, flags=re.MULTILINE)[at::2] for at in (1, 2))


@pytest.mark.parametrize("lines", DIALOGUES, ids=TITLES)
def test_a_dialogue(c4: C4, dialogue: Callable[..., None], lines: str) -> None:
    dialogue(c4, *(line for line in lines.splitlines() if line and not line.startswith("#")))
