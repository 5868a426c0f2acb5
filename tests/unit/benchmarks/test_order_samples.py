"""Samples of move costs, their rows of the network, and the training targets of a sample."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from benchmarks.games import draw_roots
from benchmarks.order import samples as sampling
from benchmarks.order.targets import targets_of
from c4core import Position
from c4core.notation import BoardSize
from c4core.solver import Solver
from tests.support.refused import refused

SIZE = BoardSize(6, 5)
LAST_PLY = 14
SAMPLED = {"board": SIZE, "seed": 5, "last_ply": LAST_PLY, "density": 6.0}
UNITS = 64


def _network(*, board: BoardSize = SIZE, last_ply: int = LAST_PLY) -> bytes:
    dice = np.random.default_rng(1)
    count = sampling.row_groups(board=board, last_ply=last_ply)["all"]
    rows, weights = dice.integers(-40, 40, (2, count, UNITS)), dice.integers(-2000, 2000, UNITS)
    return sampling.network_bytes(rows, weights, board=board, last_ply=last_ply)


@pytest.fixture(scope="module")
def roots() -> list[Position]:
    return draw_roots(SIZE, seed=3, count=24)


@pytest.fixture(scope="module")
def samples(roots: list[Position]) -> np.ndarray:
    return sampling.sample_choices(roots, **SAMPLED)


def _square(position: Position, column: int) -> int:
    return column * (position.height + 1) + position.heights[column]


def _position(sample: np.void) -> Position:
    own, mask = (int(sample[name][0]) for name in ("own", "mask"))
    key = own | (mask + sum(1 << 6 * column for column in range(6)))
    return Position.from_key(key, board=SIZE)


def test_roots_are_different_and_playable(roots: list[Position]) -> None:
    assert len({root.canonical_key for root in roots}) == 24
    for root in roots:
        assert 3 <= root.ply <= 10
        assert not root.is_over
        assert not any(root.is_winning(column) for column in root.legal_columns())
    assert roots[:10] == draw_roots(SIZE, seed=3, count=10)


def test_every_sample_has_a_cut_and_legal_moves(samples: np.ndarray) -> None:
    assert len(samples) > 100
    assert samples.dtype == sampling.sample_type(6)
    assert samples["ply"].max() <= LAST_PLY
    for sample in samples:
        count = int(sample["count"])
        position = _position(sample)
        legal = {_square(position, column) for column in position.legal_columns()}
        squares = sample["square"][:count].tolist()
        assert 2 <= count == len(set(squares))
        assert set(squares) <= legal
        assert position.ply == sample["ply"]
        assert sampling.CUT in sample["result"][:count]
        assert set(sample["result"][:count]) <= {sampling.FAILED, sampling.CUT, sampling.GIVEN_UP}
        assert sample["nodes"][:count].min() >= 1
        assert not sample["nodes"][count:].any()


def test_results_agree_with_the_solver(samples: np.ndarray) -> None:
    solver = Solver()
    for sample in samples[::10]:
        scores = solver.analyze(_position(sample)).scores
        for square, result in zip(
            sample["square"][: sample["count"]], sample["result"], strict=False
        ):
            if result != sampling.GIVEN_UP:
                assert (scores[square // 6] >= sample["beta"]) == (result == sampling.CUT)


def test_abandoned_moves_cost_more_than_the_cheapest_cut(samples: np.ndarray) -> None:
    results = samples["result"]
    given_up = results == sampling.GIVEN_UP
    cheapest = np.where(results == sampling.CUT, samples["nodes"], 1 << 30).min(axis=1)
    assert given_up.any()
    assert (samples["nodes"] >= np.where(given_up, 4 * cheapest[:, None] + 20, 0)).all()


def test_scores_and_nodes_agree_with_the_solver(roots: list[Position]) -> None:
    sampler = sampling.Sampler(**SAMPLED)
    for root in roots[:6]:
        # This board has no network of its own.
        alone = Solver().solve(root)
        assert sampler.solve(root)[0] == alone.score
        assert sampler.solve(root, sampled=False)[1] == alone.nodes


def test_samples_of_a_wide_board() -> None:
    size = BoardSize(9, 7)
    root = Position("9794994917677534152255375311483997241457", board=size)
    options = {"board": size, "seed": 5, "last_ply": 45, "density": 1000.0}
    sampler = sampling.Sampler(**options)
    alone = Solver().solve(root)
    assert sampler.solve(root, sampled=False) == (alone.score, alone.nodes)
    network = _network(board=size, last_ply=45)
    sampler = sampling.Sampler(**options, network=network)
    assert sampler.solve(root)[0] == alone.score
    samples = sampler.samples()
    assert len(samples) > 1
    assert samples["mask"][:, 1].any()  # squares beyond the first 64
    for sample in samples:
        own, mask = (int(low) | int(high) << 64 for low, high in (sample["own"], sample["mask"]))
        assert own & ~mask == 0
        assert mask.bit_count() == sample["ply"]
    assert len(sampling.points_of_choices(samples, network)) == samples["count"].sum()


def test_rows_agree_with_the_engine(samples: np.ndarray) -> None:
    data = _network()
    network = sampling.Network(data)
    assert (network.width, network.height, network.last_ply) == (6, 5, LAST_PLY)
    count = sampling.row_groups(board=SIZE, last_ply=LAST_PLY)["all"]
    table = np.frombuffer(data, np.int8, count=2 * count * UNITS, offset=16).reshape(-1, UNITS)
    weights = np.frombuffer(data, "<i2", count=UNITS, offset=16 + table.size).astype(np.int64)
    rows, starts = sampling.rows_of_choices(samples, board=SIZE, last_ply=LAST_PLY)
    assert len(starts) == samples["count"].sum() + 1
    assert starts[-1] == len(rows)
    sums = np.add.reduceat(table[rows].astype(np.int64), starts[:-1], axis=0)
    expected = np.maximum(sums, 0) @ weights * 33 >> 19
    assert expected.any()
    assert np.array_equal(sampling.points_of_choices(samples, data), expected)


def test_mirrored_rows_agree_with_the_mirror_image() -> None:
    """Only moves in the middle differ, on a board of odd width."""
    size, last_ply = BoardSize(5, 5), 12
    roots = draw_roots(size, seed=1, count=20)
    samples = sampling.sample_choices(roots, board=size, seed=1, last_ply=last_ply, density=20)
    images = samples.copy()
    for image in images:
        for name in ("own", "mask"):
            columns = [int(image[name][0]) >> 6 * column & 63 for column in range(5)]
            image[name][0] = sum(bits << 6 * (4 - column) for column, bits in enumerate(columns))
        squares = image["square"][: image["count"]].astype(int)
        image["square"][: image["count"]] = 6 * (4 - squares // 6) + squares % 6
        image["last"] = 6 * (4 - image["last"] // 6) + image["last"] % 6
    turned = sampling.rows_of_choices(
        samples, board=size, last_ply=last_ply, mirrored=np.ones(len(samples), bool)
    )
    expected = sampling.rows_of_choices(images, board=size, last_ply=last_ply)
    assert all(map(np.array_equal, turned, expected))
    plain, starts = sampling.rows_of_choices(samples, board=size, last_ply=last_ply)
    columns = np.concatenate([s["square"][: s["count"]] // 6 for s in samples])
    for move, column in enumerate(columns):
        here, there = slice(*starts[move : move + 2]), slice(*turned[1][move : move + 2])
        same = sorted(plain[here]) == sorted(turned[0][there])
        assert same or column == 2


def test_bad_arguments_are_refused(samples: np.ndarray, snapshot: SnapshotAssertion) -> None:
    whole = {"board": SIZE, "seed": 0, "last_ply": LAST_PLY}
    changes: tuple[dict[str, object], ...] = (
        {"last_ply": 30},
        {"density": -1.0},
        {"seed": -1},
        {"board": "99x5"},
        {"network": b"C4ORDER1"},
        {"network": _network(board=BoardSize(5, 4))},
        {"network": _network(last_ply=10)},
    )
    assert [refused(sampling.Sampler, **{**whole, **changed}) for changed in changes] == snapshot
    rows, weights = np.zeros((2, 1, UNITS)), np.zeros(UNITS)
    others = [
        refused(sampling.Sampler(**whole).solve, Position()),
        refused(sampling.rows_of_choices, samples, last_ply=20),
        refused(sampling.rows_of_choices, samples, board=SIZE, last_ply=5),
        refused(sampling.points_of_choices, samples, _network(last_ply=10)),
        refused(sampling.network_bytes, rows, weights, board=SIZE, last_ply=LAST_PLY),
        refused(sampling.row_groups, board=SIZE, last_ply=30),
        refused(draw_roots, BoardSize(4, 2), seed=0, count=1000),
    ]
    assert others == snapshot


def test_targets_of_a_sample() -> None:
    sample = np.zeros(1, dtype=sampling.sample_type(6))
    sample["count"], sample["ply"] = 4, 8
    sample["result"][0, :4] = [1, 1, 0, 2]
    sample["nodes"][0, :4] = [10, 40, 10, 60]
    targets = targets_of(sample, cells=30)
    assert targets.valid.tolist() == [[True] * 4 + [False] * 2]
    losses = np.array([0, 2, 1.3, np.log2(7)])
    expected = np.exp(-1.2 * losses)
    assert np.allclose(targets.shares[0, :4], expected / expected.sum())
    assert np.allclose(targets.regret[0], [0, 2, 1, np.log2(7), 0, 0])
    assert targets.shares[0, 4:].tolist() == [0, 0]
    assert targets.weight.tolist() == [1]


def test_the_mean_weight_is_1() -> None:
    samples = np.zeros(400, dtype=sampling.sample_type(6))
    samples["count"], samples["result"][:, 0] = 2, 1
    samples["nodes"][:, 0] = np.arange(400) * 100 + 1
    samples["ply"] = np.arange(400) % 20
    weight = targets_of(samples, cells=30).weight
    assert weight.mean() == pytest.approx(1, abs=1e-5)
    assert weight[samples["ply"] <= 7].mean() == pytest.approx(1, abs=1e-5)
