"""The curves of a training as pictures; matplotlib draws them."""

from pathlib import Path

import pytest

from c4core.models.files import Model
from c4core.models.loop import draw_curves
from tests.support.boards.learning import SMALL

SHARES = ("result_kept", "quiet_decisive", "best_share")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("cnn", ("accuracy", "test_accuracy", "loss", "test_loss")),
        ("exact", ("best_share", "value_accuracy", "policy_loss", "value_loss")),
        ("selfplay", ("won_random", "won_set", "loss")),
        ("residual", (*SHARES, "policy_loss", "kept_loss", "value_loss")),
        ("tuples", (*SHARES, "policy_loss", "value_loss")),
    ],
)
def test_curves_are_drawn(tmp_path: Path, kind: str, names: tuple[str, ...]) -> None:
    history = [{"epoch": epoch, **dict.fromkeys(names, 1 / epoch)} for epoch in (1, 2, 3)]
    model = Model(kind, SMALL, {}, {}, history, {})
    paths = [tmp_path / name for name in ("a.svg", "b.svg", "c.png")]
    for path in paths:
        draw_curves(model, path)
    assert paths[0].read_bytes().startswith(b"<?xml")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[2].read_bytes().startswith(b"\x89PNG")
