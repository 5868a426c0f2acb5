"""Reading JSON that somebody else may have written.

Python takes the last of two fields with one name, other programs take the first, so two programs
would read two things in the same file. Python also reads NaN, Infinity and 1e999, which are not
JSON, and cannot be written again.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections import Counter
from typing import Any, Final, NoReturn


def read_json(text: str | bytes) -> Any:  # noqa: ANN401
    """The value of a JSON text; bytes are UTF-8.

    Raises:
        ValueError: the text is not JSON, a number is out of range, or an object has two fields of
            one name.
        RecursionError: it is nested too deeply.
    """
    return _DECODER.decode(text if isinstance(text, str) else text.decode("utf-8-sig"))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the field {reprlib.repr(twice)} is there twice in an object")
    return fields


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{reprlib.repr(digits)[1:-1]} is out of range")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_float, parse_constant=_refuse_constant
)
