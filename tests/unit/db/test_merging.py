import pytest

from db.errors import ContradictionError
from db.evaluations.merging import merge
from db.records.evaluations import StoredEvaluation
from tests.support.running.databases import row

WIDE = row(lower=-5, upper=5, nodes=900)
LEFT = row(lower=-5, upper=2, nodes=30)
RIGHT = row(lower=1, upper=5, nodes=40)
EXACT = row(lower=2, upper=2, nodes=7)
SCORES = (2, 1, 0, -1, -2, -3, -4)


@pytest.mark.parametrize(
    ("one", "other", "bounds", "nodes"),
    [
        (WIDE, LEFT, (-5, 2), 30),
        (WIDE, RIGHT, (1, 5), 40),
        (WIDE, EXACT, (2, 2), 7),
        (LEFT, RIGHT, (1, 2), 40),
        (EXACT, row(lower=2, upper=2, nodes=9), (2, 2), 9),
    ],
)
def test_bounds_tighten_and_the_tighter_search_is_named(
    one: StoredEvaluation, other: StoredEvaluation, bounds: tuple[int, int], nodes: int
) -> None:
    for merged in (merge(one, other), merge(other, one)):
        assert (merged.lower, merged.upper) == bounds
        assert merged.nodes == nodes


def test_the_engine_named_is_the_one_that_proved_it() -> None:
    old = row(lower=2, upper=2, engine_version=1, nodes=50)
    assert merge(old, row(lower=0, upper=5, engine_version=2)).engine_version == 1
    again = merge(old, row(lower=2, upper=2, engine_version=2, nodes=10))
    assert (again.engine_version, again.nodes) == (2, 10)
    crossing = merge(
        row(lower=0, upper=3, engine_version=2), row(lower=-3, upper=1, engine_version=1)
    )
    assert (crossing.lower, crossing.upper, crossing.engine_version) == (0, 1, 1)


def test_scores_stay() -> None:
    known = row(scores=SCORES)
    assert merge(known, EXACT).scores == SCORES
    assert merge(EXACT, known).scores == SCORES


@pytest.mark.parametrize(
    "other",
    [row(lower=3, upper=9), row(lower=-9, upper=1), row(scores=(2, 0, 0, 0, 0, 0, 0))],
)
def test_contradictions(other: StoredEvaluation) -> None:
    with pytest.raises(ContradictionError, match="contradiction at position 1 of 7x6"):
        merge(row(scores=SCORES), other)
