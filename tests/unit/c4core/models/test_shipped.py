"""The trained network that comes with c4."""

from pathlib import Path

import pytest

from c4core.dice import Dice
from c4core.models.engines import engine_of, named_file, shipped_file
from c4core.models.files import read_model
from c4core.models.labels import Positions
from c4core.models.quality import quality_of_engine
from c4core.notation import DEFAULT_BOARD
from c4core.players import parse_player
from c4core.position import Position
from tests.support.boards.learning import labelled_arrays, random_positions

FILE = shipped_file("residual")
FINGERPRINT = "1045d224f771"
MOST_BYTES = 2_000_000


def test_its_size_and_its_weights() -> None:
    assert FILE.stat().st_size < MOST_BYTES
    model = read_model(FILE)
    assert (model.kind, model.board, model.fingerprint) == ("residual", DEFAULT_BOARD, FINGERPRINT)
    assert model.optimizer == {}
    assert model.settings["positions"] > 1_000_000


def test_names() -> None:
    assert named_file("shipped", "residual") == FILE
    assert named_file("other.safetensors", "residual") == Path("other.safetensors")
    player = parse_player("learning-residual")
    assert player.full == f"learning-residual:model=shipped,weights={FINGERPRINT}"
    assert player.kind.stands_alone
    assert not player.needs_files
    assert parse_player(f"learning-residual:model={FILE}").needs_files


def test_it_needs_no_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("c4core.extras.find_spec", lambda _name: None)
    for name in ("learning-residual", "learning-residual-search"):
        with parse_player(name).make() as player:
            assert player.choose(Position(), Dice(1)) == 3


def test_it_plays_nearly_like_the_proof() -> None:
    """Late positions, whose exact scores are found at once."""
    positions = random_positions(1000, seed=5, board=DEFAULT_BOARD, least_ply=26)
    labelled = Positions(**labelled_arrays(positions), board=DEFAULT_BOARD)
    quality = quality_of_engine(engine_of(read_model(FILE), FILE), labelled, mirrors=True)
    assert quality.everywhere.outcome >= 0.99 * quality.everywhere.positions
    assert quality.everywhere.strict >= 0.97 * quality.everywhere.positions
    assert (quality.wins.missed, quality.mirrored and quality.mirrored.missed) == (0, 0)
    assert quality.wins.positions > 250


def test_the_best_first_moves() -> None:
    engine = engine_of(read_model(FILE), FILE)
    assert engine.choose(Position()) == 3
    assert engine.judge(Position("1"))[1] > engine.judge(Position("4"))[1]
