"""Training: its results, its checkpoints, and that interrupts lose nothing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from c4core.errors import LearningError, ModelError, ModelMismatchError
from c4core.models.files import Model, read_model, write_model
from c4core.models.labels import Labelled, Positions, are_apart, labelled, of_scores, play_finals
from c4core.models.loop import Course, Step, train
from c4core.models.planes import input_planes, words_of_planes
from c4core.models.torch.courses import FinalGridCourse, ResidualCourse
from c4core.models.torch.examples import packed_planes, unpacked_planes
from c4core.models.torch.networks import FinalGridNetwork
from c4core.models.torch.playing import SURE, final_outputs
from c4core.notation import BoardSize
from tests.support.boards.games import SMALL, random_positions
from tests.support.boards.learning import labelled_arrays

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def games() -> Labelled:
    return labelled(play_finals(2000, seed=1), seed=1)


def positions(seed: int) -> Positions:
    arrays = labelled_arrays(random_positions(200, seed=seed))
    return Positions(**arrays, board=SMALL)


def final_course(games: Labelled) -> Course:
    return FinalGridCourse(games, batch=200, seed=3)


SIZES: dict[str, Any] = {"channels": 8, "blocks": 1, "hidden": 8, "steps": 4, "batch": 40}


def residual_course(_games: Labelled) -> Course:
    return ResidualCourse(positions(1), positions(2), **SIZES, epochs=3, games=4, seed=3)


def test_packed_planes_are_the_input_planes() -> None:
    found = positions(1)
    planes = unpacked_planes(torch.from_numpy(packed_planes(found)), SMALL)
    width, height = SMALL
    own, mask = words_of_planes(found.planes)
    assert np.array_equal(planes.numpy(), input_planes(own, mask, BoardSize(width, height)))


@pytest.mark.parametrize("device", ["meta", "nowhere"])
def test_a_device_that_cannot_train_is_refused(device: str) -> None:
    with pytest.raises(LearningError, match=f"PyTorch cannot use the device '{device}'"):
        ResidualCourse(positions(1), positions(2), device=device)


COURSES = [final_course, residual_course]


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
    outputs = final_outputs(course.network, course.test[0])
    assert len(outputs) == round(0.3 * len(games))
    accuracy = ((outputs > SURE) == course.test[1]).double().mean().item()
    assert accuracy == pytest.approx(model.history[-1]["test_accuracy"], abs=1e-6)
    assert accuracy > 0.7
    assert model.history[-1]["loss"] < model.history[0]["loss"]


def test_exact_labels_are_learned(tmp_path: Path) -> None:
    sizes = {"channels": 8, "blocks": 1, "hidden": 16, "steps": 60, "batch": 64}
    course = ResidualCourse(positions(1), positions(1), **sizes, epochs=5, games=10)
    first, *_, last = train(course, tmp_path / "model", epochs=5).history
    assert last["best_share"] > max(first["best_share"], 0.9)
    assert last["result_kept"] > 0.95
    assert last["games_kept"] > first["games_kept"]
    for loss in ("policy_loss", "value_loss", "score_loss"):
        assert last[loss] < 0.9 * first[loss]


def test_the_players_get_weights_of_their_own(tmp_path: Path) -> None:
    course = ResidualCourse(positions(1), positions(2), **SIZES, epochs=3, games=0)

    def are_equal(epochs: int) -> bool:
        path = tmp_path / "model"
        earlier = read_model(path) if path.exists() else None
        weights = train(course, path, epochs=epochs, resume=earlier).weights
        return np.array_equal(weights["sides.0.mixing.weight"], weights["sides.1.mixing.weight"])

    assert [are_equal(epochs) for epochs in (1, 2, 3)] == [True, False, False]
    assert "games_kept" not in read_model(tmp_path / "model").history[-1]


def test_games_teach_no_position_near_the_others() -> None:
    """The first position is one of the others, but openings are always learned."""
    others = positions(2).take(np.flatnonzero(positions(2).ply >= 4))
    course = ResidualCourse(positions(1), positions(2), others=[others], **SIZES, games=30)
    course.epoch(1, lambda _done, _parts: None)
    keys = np.array(sorted(course._seen), dtype=np.uint64)
    played = of_scores(keys, course._perfect.scores_of(keys), SMALL)
    learned = course._from_games[0]
    assert 0 < len(learned) < len(played)
    assert len(learned) == are_apart(played, positions(2), [others]).sum()


def test_another_training_is_not_resumed(games: Labelled, tmp_path: Path) -> None:
    path = tmp_path / "model"
    train(final_course(games), path, epochs=1)
    model = read_model(path)
    for course, words in (
        (residual_course(games), "kind was 'cnn' and is 'residual' now"),
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


def test_another_optimizer_is_not_resumed(games: Labelled, tmp_path: Path) -> None:
    path = tmp_path / "model"
    model = train(residual_course(games), path, epochs=1)
    sound = dict(model.optimizer)
    changes: Any = [
        lambda tensors: tensors.clear(),
        lambda tensors: tensors.popitem(),
        lambda tensors: tensors.update({"policy.bias.more": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"policy.bias.exp_avg": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"policy.bias.step": np.array(1, dtype=np.int8)}),
        lambda tensors: tensors.update({"drawn.chances": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"games.keys": np.zeros(3, dtype=np.uint64)}),
        lambda tensors: tensors.update({"games.scores": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"games.wrong": np.zeros(3, dtype=np.float32)}),
    ]
    for change in changes:
        tensors = dict(sound)
        change(tensors)
        object.__setattr__(model, "optimizer", tensors)
        write_model(path, model)
        with pytest.raises(ModelError, match="cannot be resumed"):
            train(residual_course(games), path, epochs=2, resume=read_model(path))


def test_bad_sizes_and_positions_are_refused(games: Labelled) -> None:
    few = Labelled(games.grids[:1], games.won[:1], games.board)
    four = BoardSize(4, 4)
    other = Positions(**labelled_arrays(random_positions(9, board=four)), board=four)
    bad: list[tuple[str, Callable[[], object]]] = [
        ("channels cannot be 12", lambda: ResidualCourse(positions(1), positions(2), channels=12)),
        ("padding valid leaves nothing of a 4x4 board", lambda: FinalGridNetwork(four, "valid")),
        ("padding is same or valid, not 'full'", lambda: FinalGridNetwork(games.board, "full")),
        ("1 different games are too few", lambda: FinalGridCourse(few)),
        ("trained on 5x4, tested on 4x4", lambda: ResidualCourse(positions(1), other)),
    ]
    for message, make in bad:
        with pytest.raises(LearningError, match=message):
            make()
