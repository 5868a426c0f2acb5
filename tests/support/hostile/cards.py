"""Data cards whose JSON is not a valid card."""

import json
from collections.abc import Callable
from typing import Any

from c4core.dataset.card import MAX_CARD
from tests.support.hostile import Case

NO_NAME = r"Expected `str` matching regex .* - at `\$.files\[0\].name`"


def nested(depth: int) -> Any:  # noqa: ANN401
    return json.loads("[" * depth + "]" * depth)


def changed(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[bytes], bytes]:
    """Replace fields of a JSON object."""

    def make(sample: bytes) -> bytes:
        fields = json.loads(sample)
        return json.dumps(fields | change(fields)).encode()

    return make


def having(name: str, answer: str, **fields: Any) -> Case:  # noqa: ANN401
    """A card with other fields."""
    return Case(name, changed(lambda _card: fields), answer)


def file_named(name: object, split: object = "test") -> list[dict[str, object]]:
    return [{"name": name, "split": split, "positions": 1, "sha256": "0"}]


def positions(number: object) -> dict[str, object]:
    return {"test": {"positions": number, "plies": []}}


def with_plies(plies: list[Any]) -> Callable[[bytes], bytes]:
    """Replace the census of the only part."""
    return changed(lambda card: {"splits": {"test": card["splits"]["test"] | {"plies": plies}}})


CASES = (
    having("a file named {}", "Expected `str`, got `object`", files=file_named({})),
    having("a file named ..", NO_NAME, files=file_named("..")),
    having("a file of another directory", NO_NAME, files=file_named("test.x/../y")),
    having("a file above the card", NO_NAME, files=file_named("../secret.npz")),
    having("a file anywhere", NO_NAME, files=file_named("/etc/passwd")),
    having("a file below the card", NO_NAME, files=file_named("set/../x.npz")),
    having("a file of another part", "it names a file 'x.npz'", files=file_named("x.npz")),
    having("a part named {}", "not a data card", files=file_named("test.npz", {})),
    having("a file twice", "names a file twice", files=file_named("test.npz") * 2),
    having("a lone surrogate", "not a data card", title="\ud800"),
    having("a long title", "longer than", title="x" * MAX_CARD),
    having("true positions", "Expected `int`, got `bool`", splits=positions(True)),
    Case("10,000 plies", with_plies([{}] * 10**4), "more plies than the board"),
    Case("an empty ply", with_plies([{}]), "a part has no number ply"),
    having("no command", "Expected `str`, got `null`", command=None),
    having("nested 900 deep, which is harmless", "", x=nested(900)),
    having("a long command", "Expected `str`, got `array`", command=[0] * 10**4),
)
