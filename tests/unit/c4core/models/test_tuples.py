"""N-tuple networks: sums against a slow count, learning, files, and the player."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.dice import Dice
from c4core.errors import ModelError, ModelMismatchError
from c4core.models.files import Model, read_model, write_model
from c4core.models.labels import Positions
from c4core.models.loop import TupleCourse, train
from c4core.models.players import engine_of
from c4core.models.tuples import TupleEngine, random_tuples, table_shape
from c4core.notation import BoardSize
from c4core.players import parse_player
from c4core.position import Position
from tests.support.boards.learning import SMALL, labelled_arrays, random_positions
from tests.support.refusals import refusal

BOARD = BoardSize(7, 6)
SQUARES = random_tuples(Dice(1), tuples=6, length=4)
TABLES = np.random.default_rng(2).normal(0, 0.2, table_shape(6, 4)).astype(np.float32)
ENGINE = TupleEngine(width=7, height=6, squares=SQUARES, tables=TABLES.copy())


def positions(seed: int) -> Positions:
    return Positions(**labelled_arrays(random_positions(150, seed=seed)), board=SMALL)


TRAIN, HELD_OUT = positions(1), positions(2)


def course(**changes: Any) -> TupleCourse:  # noqa: ANN401
    return TupleCourse(TRAIN, HELD_OUT, **{"tuples": 12, "length": 4, "seed": 3} | changes)


def slow_sum(position: Position) -> float:
    total = 0.0
    for number, squares in enumerate(SQUARES.tolist()):
        for mirrored in (False, True):
            index = 0
            for place, square in enumerate(squares):
                row, column = divmod(square, BOARD.width)
                column = BOARD.width - 1 - column if mirrored else column
                stone = position.stone_at(column, row)
                if stone is None:
                    digit = int(position.heights[column] == row)
                else:
                    digit = 2 if stone == position.turn else 3
                index += digit * 4**place
            total += float(TABLES[position.ply % 2, number, index])
    return total


def test_sums_agree_with_a_slow_count() -> None:
    for position in random_positions(60, seed=7, board=BOARD):
        worths, value = ENGINE.evaluate(position)
        assert value == pytest.approx(math.tanh(slow_sum(position)), abs=1e-5)
        for column, worth in enumerate(worths):
            if not position.is_legal(column):
                assert worth is None
                continue
            after = position.play(column)
            if after.winner is not None:
                assert worth > 900
            else:
                wanted = 0 if after.is_over else -slow_sum(after)
                assert worth == pytest.approx(wanted, abs=1e-5)
    assert ENGINE.choose(Position("112233")) == 3  # it wins at once


def test_tuples_are_connected_and_different() -> None:
    found = random_tuples(Dice(5), tuples=40, length=6).tolist()
    images = set()
    for squares in found:
        places = [divmod(square, 7) for square in squares]
        assert len(set(places)) == 6
        for number, (row, column) in enumerate(places[1:], start=1):
            assert any(
                max(abs(row - near), abs(column - aside)) == 1 for near, aside in places[:number]
            )
        images.add(frozenset(places))
        images.add(frozenset((row, 6 - column) for row, column in places))
    symmetric = sum(
        {divmod(s, 7) for s in squares} == {(s // 7, 6 - s % 7) for s in squares}
        for squares in found
    )
    assert len(images) == 2 * len(found) - symmetric


def test_bad_sizes_are_refused(snapshot: SnapshotAssertion) -> None:
    def said(**sizes: int) -> str:
        return refusal(random_tuples, Dice(1), **sizes, error=ValueError)

    assert [
        said(tuples=0, length=4),
        said(tuples=5, length=11),
        said(tuples=256, length=10),
        said(tuples=30, length=1),
        said(tuples=1, length=5, width=2, height=2),
    ] == snapshot


def test_it_learns_exact_labels(tmp_path: Path) -> None:
    learned = TupleCourse(TRAIN, TRAIN, tuples=20, length=5)
    first, *_, last = train(learned, tmp_path / "model", epochs=6).history
    assert last["best_share"] > max(first["best_share"], 0.9)
    assert last["result_kept"] > 0.9
    assert last["policy_loss"] < 0.7 * first["policy_loss"]
    assert last["value_loss"] < first["value_loss"]


def test_resumed_training_gives_the_same_tables(tmp_path: Path) -> None:
    whole = train(course(), tmp_path / "whole", epochs=3)
    train(course(), tmp_path / "parts", epochs=1)
    earlier = read_model(tmp_path / "parts")
    parts = train(course(), tmp_path / "parts", epochs=3, resume=earlier)
    assert parts.fingerprint == whole.fingerprint != earlier.fingerprint
    assert read_model(tmp_path / "parts").fingerprint == whole.fingerprint
    other = train(course(seed=4), tmp_path / "other", epochs=1)
    assert other.fingerprint != earlier.fingerprint


def test_another_training_is_not_resumed(tmp_path: Path) -> None:
    model = train(course(), tmp_path / "model", epochs=1)
    with pytest.raises(ModelMismatchError, match="architecture: tuples was 12 and is 9 now"):
        train(course(tuples=9), tmp_path / "model", epochs=2, resume=model)
    for name, message in (("squares", "it has other tuples"), ("tables", "do not fit")):
        weights = {key: array for key, array in model.weights.items() if key != name}
        with pytest.raises(ModelError, match=message):
            train(course(), tmp_path / "model", epochs=2, resume=replace(model, weights=weights))


def test_bad_input_is_refused(snapshot: SnapshotAssertion) -> None:
    words, rows = np.zeros(2, dtype=np.uint64), np.zeros((2, 7), dtype=np.int8)
    best, weights = rows.astype(np.uint8), np.ones(2, dtype=np.float32)
    four = BoardSize(4, 4)
    elsewhere = Positions(**labelled_arrays(random_positions(9, board=four)), board=four)
    wide = [replace(part, board=BoardSize(10, 7)) for part in (TRAIN, HELD_OUT)]
    assert [
        refusal(ENGINE.learn, words, words[:1], best, rows, weights, rate=1),
        refusal(ENGINE.learn, words, words, best[:, :5].copy(), rows, weights, rate=1),
        refusal(course, length=11),
        refusal(TupleCourse, TRAIN, elsewhere),
        refusal(TupleCourse, *wide, tuples=12, length=4, seed=3),
    ] == snapshot


def model(**changes: Any) -> Model:  # noqa: ANN401
    weights = {"squares": SQUARES, "tables": TABLES} | changes
    return Model("tuples", BOARD, {"tuples": 6, "length": 4}, {}, [], weights)


def test_the_player_plays_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    write_model(path, model())
    player = parse_player(f"learning-tuples:model={path}").make()
    for position in random_positions(20, seed=9, board=BOARD):
        assert player.choose(position, Dice(1)) == ENGINE.choose(position)


def test_damaged_models_are_refused(snapshot: SnapshotAssertion) -> None:
    def said(**changes: object) -> str:
        return refusal(engine_of, model(**changes), Path("model"), error=ModelError)

    without_tables = replace(model(), weights={"squares": SQUARES})
    assert [
        said(squares=SQUARES[:5]),
        said(squares=SQUARES + 42),
        said(squares=SQUARES.astype(np.int64)),
        said(tables=TABLES[:, :, :9].copy()),
        said(tables=TABLES.astype(np.float64)),
        refusal(engine_of, without_tables, Path("model"), error=ModelError),
    ] == snapshot
    assert "wrong number of dimensions" in said(tables=TABLES[0])
