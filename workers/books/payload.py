"""The compact form of a book's units: sorted keys in the payload, scores in the result.

They are base64 text, because storage keeps JSON. A key takes some three characters, a score less
than two.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

import numpy as np

from c4core.book.units import pack_keys, unpack_keys
from db.decoding import decoding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from db.records.jobs import Json

    Keys = NDArray[np.uint64]
    Scores = NDArray[np.int8]


def encode_keys(keys: Keys) -> Json:
    """The payload for sorted keys.

    Raises:
        BookContentError: the keys are not sorted, or one occurs twice.
    """
    return {"keys": b64encode(pack_keys(keys)).decode("ascii")}


def decode_keys(payload: Json) -> Keys:
    """The keys of a payload.

    Raises:
        DamagedValueError: it holds no keys.
    """
    with decoding("a unit's positions"):
        return unpack_keys(b64decode(payload["keys"], validate=True))


def encode_scores(scores: Scores) -> str:
    """Scores as text, row by row."""
    return b64encode(scores.tobytes()).decode("ascii")


def decode_scores(text: str, *, columns: int) -> Scores:
    """The scores that :func:`encode_scores` wrote.

    Args:
        text: what it wrote.
        columns: scores of a row; 1 where there is one for each position.

    Raises:
        DamagedValueError: the text holds no such scores.
    """
    with decoding("a unit's scores"):
        return np.frombuffer(b64decode(text, validate=True), dtype=np.int8).reshape(-1, columns)
