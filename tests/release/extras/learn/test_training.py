"""Training: its results, its checkpoints, and that interrupts lose nothing."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from c4core.errors import LearningError, ModelError, ModelMismatchError
from c4core.models.evaluator import input_planes, words_of_planes
from c4core.models.files import Model, read_model, write_model
from c4core.models.labels import Labelled, Positions, labelled, play_finals
from c4core.models.loop import Course, Step, train
from c4core.models.torch.courses import (
    ExactCourse,
    FinalGridCourse,
    ResidualCourse,
    packed_planes,
    unpacked_planes,
)
from c4core.models.torch.networks import FinalGridNetwork
from c4core.models.torch.playing import Confusion
from c4core.models.torch.selfplay import SelfPlayCourse
from c4core.notation import BoardSize
from tests.support.boards.learning import SMALL, labelled_arrays, random_positions

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def games() -> Labelled:
    return labelled(play_finals(2000, seed=1), seed=1)


def positions(seed: int) -> Positions:
    arrays = labelled_arrays(random_positions(200, seed=seed))
    return Positions(**arrays, board=SMALL)


def final_course(games: Labelled) -> Course:
    return FinalGridCourse(games, batch=200, seed=3)


def exact_course(_games: Labelled) -> Course:
    return ExactCourse(positions(1), positions(2), channels=4, hidden=8, batch=50, seed=3)


def residual_course(_games: Labelled) -> Course:
    sizes = {"channels": 8, "blocks": 1, "hidden": 8}
    return ResidualCourse(positions(1), positions(2), **sizes, batch=50, seed=3)


def selfplay_course(_games: Labelled) -> Course:
    return SelfPlayCourse(board=BoardSize(4, 4), channels=4, hidden=8, games=40, batch=64, seed=3)


def test_packed_planes_are_the_input_planes() -> None:
    found = positions(1)
    planes = unpacked_planes(torch.from_numpy(packed_planes(found)), SMALL)
    width, height = SMALL
    own, mask = words_of_planes(found.planes)
    assert np.array_equal(planes.numpy(), input_planes(own, mask, width=width, height=height))


@pytest.mark.parametrize("device", ["meta", "nowhere"])
def test_a_device_that_cannot_train_is_refused(device: str) -> None:
    with pytest.raises(LearningError, match=f"PyTorch cannot use the device '{device}'"):
        ResidualCourse(positions(1), positions(2), device=device)


COURSES = [final_course, exact_course, residual_course, selfplay_course]


def same(one: Model, other: Model) -> bool:
    """Whether two models are equal except for their training times."""
    histories = [[{**entry, "seconds": 0} for entry in model.history] for model in (one, other)]
    arrays = [{**model.weights, **model.optimizer} for model in (one, other)]
    return (
        histories[0] == histories[1]
        and arrays[0].keys() == arrays[1].keys()
        and all(np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[0])
    )


@pytest.mark.parametrize("make", COURSES)
def test_resumed_training_gives_the_same_weights(
    make: Callable[[Labelled], Course], games: Labelled, tmp_path: Path
) -> None:
    whole = train(make(games), tmp_path / "whole", epochs=3)
    for epochs in (1, 2, 3):  # in three runs
        path = tmp_path / "parts"
        earlier = read_model(path) if path.exists() else None
        parts = train(make(games), path, epochs=epochs, resume=earlier)
    assert same(whole, parts)
    assert same(whole, read_model(tmp_path / "whole"))
    assert len(whole.optimizer) == 3 * len(whole.weights)


@pytest.mark.parametrize("make", COURSES)
def test_an_interrupt_leaves_the_last_complete_epoch(
    make: Callable[[Labelled], Course], games: Labelled, tmp_path: Path
) -> None:
    path = tmp_path / "model"

    def interrupt(step: Step) -> None:
        if (step.epoch, step.done > 0 or step.parts == 1) == (1, True):
            raise KeyboardInterrupt

    def interrupt_at_once(_step: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(make(games), path, epochs=2, tell=interrupt_at_once)
    assert read_model(path).history == []
    if make is not selfplay_course:  # it has one part for each epoch here
        with pytest.raises(KeyboardInterrupt):
            train(make(games), path, epochs=2, resume=read_model(path), tell=interrupt)
        assert len(read_model(path).history) == 1
    resumed = train(make(games), path, epochs=2, resume=read_model(path))
    assert same(resumed, train(make(games), tmp_path / "whole", epochs=2))


def test_progress_is_reported(games: Labelled, tmp_path: Path) -> None:
    steps: list[Step] = []
    train(final_course(games), tmp_path / "model", epochs=2, tell=steps.append)
    assert [step.epoch for step in steps if step.parts == 0] == [1, 2]
    parts = [(step.epoch, step.done, step.parts) for step in steps if step.parts]
    assert parts == [(epoch, done, 7) for epoch in (0, 1) for done in range(7)]
    assert steps[0].figures == {}
    assert steps[-1].figures["test_accuracy"] > 0.5


def test_two_thousand_games_give_better_results_than_chance(
    games: Labelled, tmp_path: Path
) -> None:
    course = FinalGridCourse(games, batch=100, seed=1)
    model = train(course, tmp_path / "model", epochs=8)
    confusion = Confusion.of(course.network, *course.test)
    assert confusion.games == round(0.3 * len(games))
    assert confusion.accuracy == pytest.approx(model.history[-1]["test_accuracy"], abs=1e-6)
    assert confusion.accuracy > 0.7
    assert model.history[-1]["loss"] < model.history[0]["loss"]


def test_exact_labels_are_learned(tmp_path: Path) -> None:
    course = ExactCourse(positions(1), positions(1), channels=8, hidden=32, batch=20, rate=0.01)
    first, *_, last = train(course, tmp_path / "model", epochs=15).history
    assert last["best_share"] > max(first["best_share"], 0.6)
    assert last["policy_loss"] < 0.8 * first["policy_loss"]
    assert last["value_loss"] < first["value_loss"]


def test_threats_help_to_learn_exact_labels(tmp_path: Path) -> None:
    course = ResidualCourse(positions(1), positions(1), channels=8, blocks=1, batch=20, rate=0.01)
    first, *_, last = train(course, tmp_path / "model", epochs=12).history
    assert last["best_share"] > max(first["best_share"], 0.75)
    assert last["result_kept"] > 0.75
    for loss in ("policy_loss", "value_loss", "score_loss"):
        assert last[loss] < 0.9 * first[loss]


def test_weights_of_positions_change_the_result(tmp_path: Path) -> None:
    even, quiet = (
        ResidualCourse(
            positions(1), positions(2), channels=8, blocks=1, quiet_weight=weight, decisive_weight=1
        )
        for weight in (1, 100)
    )
    one, other = (train(course, tmp_path / "model", epochs=1) for course in (even, quiet))
    assert one.settings["quiet_weight"] == 1
    assert one.fingerprint != other.fingerprint
    with pytest.raises(ModelMismatchError, match="settings: quiet_weight was 1 and is 100 now"):
        train(quiet, tmp_path / "model", epochs=2, resume=one)


def test_another_training_is_not_resumed(games: Labelled, tmp_path: Path) -> None:
    path = tmp_path / "model"
    train(final_course(games), path, epochs=1)
    model = read_model(path)
    for course, words in (
        (exact_course(games), "kind was 'cnn' and is 'exact' now"),
        (FinalGridCourse(games, batch=200, seed=4), "settings: seed was 3 and is 4 now"),
        (FinalGridCourse(games, batch=200, padding="valid", seed=3), "architecture: padding"),
        (
            FinalGridCourse(labelled(play_finals(2000, seed=2), seed=1), batch=200, seed=3),
            "settings: (games|data) was",
        ),
    ):
        with pytest.raises(ModelMismatchError, match=words):
            train(course, path, epochs=2, resume=model)
    assert read_model(path).fingerprint == model.fingerprint


def test_weights_that_do_not_fit_are_refused(games: Labelled, tmp_path: Path) -> None:
    model = train(final_course(games), tmp_path / "model", epochs=1)
    fewer = {name: array for name, array in model.weights.items() if "weight" in name}
    object.__setattr__(model, "weights", fewer)
    write_model(tmp_path / "model", model)
    with pytest.raises(ModelError, match="cannot be resumed"):
        train(final_course(games), tmp_path / "model", epochs=2, resume=model)


def test_bad_sizes_and_positions_are_refused(games: Labelled) -> None:
    few = Labelled(games.grids[:1], games.won[:1], games.board)
    four = BoardSize(4, 4)
    other = Positions(**labelled_arrays(random_positions(9, board=four)), board=four)
    bad: list[tuple[str, Callable[[], object]]] = [
        ("channels cannot be 12", lambda: ResidualCourse(positions(1), positions(2), channels=12)),
        ("padding valid leaves nothing of a 4x4 board", lambda: FinalGridNetwork(four, "valid")),
        ("padding is same or valid, not 'full'", lambda: FinalGridNetwork(games.board, "full")),
        ("1 different games are too few", lambda: FinalGridCourse(few)),
        ("trained on 5x4, tested on 4x4", lambda: ExactCourse(positions(1), other)),
    ]
    for message, make in bad:
        with pytest.raises(LearningError, match=message):
            make()
