"""Answers that will never change, kept as they were written: those that were asked for last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

LONGEST_QUESTION: Final = 256
"""Bytes; what is longer is not kept, so that the memory has a bound."""


class Known:
    """The last so many answers. For the event loop only.

    Args:
        most: how many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()

    def find(self, path: str, query: bytes) -> bytes | None:
        """The answer to a question, as it was written; None if it is not kept."""
        answer = self._answers.get((path, query))
        if answer is not None:
            self._answers.move_to_end((path, query))
        return answer

    def keep(self, path: str, query: bytes, answer: bytes) -> None:
        """Keep an answer that is the same whoever asks, and for ever."""
        if len(query) > LONGEST_QUESTION:
            return
        self._answers[path, query] = answer
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)
