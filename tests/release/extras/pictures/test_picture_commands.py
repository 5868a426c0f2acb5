"""Pictures drawn by commands: matplotlib draws books and trainings, resvg boards."""

from pathlib import Path

import pytest
import resvg_py  # noqa: F401 (draws them)

from c4core.models.files import Model
from c4core.models.loop import draw_curves
from tests.support.boards.learning import SMALL
from tests.support.running.command_line import C4

PNG, SVG, GIF = b"\x89PNG", b"<?xml", b"GIF89a"
SHARES = ("result_kept", "quiet_decisive", "best_share")


def test_show_and_review(c4: C4) -> None:
    assert c4("show", "1213", "-o", "a.png", "-o", "a.gif", "-q").code == 0
    assert c4("show", "1213", "--game", "-o", "game.gif", "-q").code == 0
    assert c4("review", "--board", "4x4", "1213", "--plot", "review.png").code == 0
    for name, begin in (("a.png", PNG), ("a.gif", GIF), ("game.gif", GIF), ("review.png", PNG)):
        assert (c4.directory / name).read_bytes().startswith(begin)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("cnn", ("accuracy", "test_accuracy", "loss", "test_loss")),
        ("residual", (*SHARES, "policy_loss", "kept_loss", "value_loss")),
    ],
)
def test_curves_are_drawn(tmp_path: Path, kind: str, names: tuple[str, ...]) -> None:
    history = [{"epoch": epoch, **dict.fromkeys(names, 1 / epoch)} for epoch in (1, 2, 3)]
    model = Model(kind, SMALL, {}, {}, history, {})
    paths = [tmp_path / name for name in ("a.svg", "b.svg", "c.png")]
    for path in paths:
        draw_curves(model, path)
    assert paths[0].read_bytes().startswith(SVG)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[2].read_bytes().startswith(PNG)
