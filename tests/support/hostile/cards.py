"""Data cards whose JSON is not a valid card."""

import json
from collections.abc import Callable
from typing import Any

from c4core.dataset.files import MAX_CARD
from tests.support.hostile import Case


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
    return [{"name": name, "split": split, "sha256": "0"}]


def positions(number: object) -> dict[str, object]:
    return {"test": {"positions": number, "plies": []}}


def with_plies(plies: list[Any]) -> Callable[[bytes], bytes]:
    """Replace the census of the only part."""
    return changed(lambda card: {"splits": {"test": card["splits"]["test"] | {"plies": plies}}})


CASES = (
    having("a file named {}", "it names a file {}", files=file_named({})),
    having("a file named by a list", "it names a file", files=file_named(["x"])),
    having("a file named ..", r"it names a file '\.\.'", files=file_named("..")),
    having("a file of another directory", "names a file", files=file_named("test.x/../y")),
    having("a file above the card", "names a file", files=file_named("../secret.npz")),
    having("a file anywhere", "names a file", files=file_named("/etc/passwd")),
    having("a file below the card", "names a file", files=file_named("set/../x.npz")),
    having("a part named {}", "not a data card", files=file_named("test.npz", {})),
    having("a file twice", "names a file twice", files=file_named("test.npz") * 2),
    Case(
        "a field twice",
        lambda sample: sample.replace(b"{", b'{"license": "other", ', 1),
        r"not a data card: an object has the field 'license' twice",
    ),
    having("a lone surrogate", "surrogates not allowed", title="\ud800"),
    having("a long title", "longer than", title="x" * MAX_CARD),
    having("10**400 positions", "positions cannot be 1000", splits=positions(10**400)),
    having("true positions", "positions cannot be True", splits=positions(True)),
    Case("10,000 plies", with_plies([{}] * 10**4), "more plies than the board"),
    Case("an empty ply", with_plies([{}]), "is missing"),
    having("no command", "command cannot be None", command=None),  # words: ok
    having("nested 100 deep", "nested more than 100 deep", x=nested(100)),
    having("nested 900 deep", "nested more than 100 deep", x=nested(900)),
    having("a long command", r"command cannot be \[(0, ){6}\.\.\.\]", command=[0] * 10**4),
)
