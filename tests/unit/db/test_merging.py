"""Stored bounds only tighten, and the order of storing does not matter."""

from functools import reduce

import pytest
from hypothesis import given, settings, strategies as st
from sqlalchemy import delete

from c4core.version import ENGINE_VERSION
from db.database import Database
from db.evaluations import find, lookup, store, stream
from db.evaluations.storing import merge
from db.models import Evaluation
from db.records.evaluations import EvaluationFilter, StoredEvaluation
from tests.support.running.databases import BOARD, ask, do, row

WIDE = row(lower=-5, upper=5, nodes=900)
LEFT = row(lower=-5, upper=2, nodes=30)
RIGHT = row(lower=1, upper=5, nodes=40)
EXACT = row(lower=2, upper=2, nodes=7)
SCORES = (2, 1, 0, -1, -2, -3, -4)
EVERYTHING = EvaluationFilter(board=BOARD)
OTHERS = [row(key) for key in range(1000, 1100)]
"""Enough rows to make PostgreSQL use another statement."""


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
def test_bounds_tighten_and_name_the_tighter_search(
    one: StoredEvaluation, other: StoredEvaluation, bounds: tuple[int, int], nodes: int
) -> None:
    for merged in (merge(one, other), merge(other, one)):
        assert (merged.lower, merged.upper) == bounds
        assert merged.nodes == nodes


@pytest.mark.parametrize("bounds", [(-5, 5), (-1, -1)])
def test_a_newer_engine_replaces_older_results(bounds: tuple[int, int]) -> None:
    lower, upper = bounds
    newer = row(lower=lower, upper=upper, engine_version=2)
    assert merge(row(scores=SCORES), newer) == merge(newer, row(scores=SCORES)) == newer


@st.composite
def truths(draw: st.DrawFn) -> list[StoredEvaluation]:
    """Rows about a few positions that do not contradict each other.

    Each version of the engine has its own score.
    """
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        key = draw(st.integers(1, 3))
        version = draw(st.integers(1, 2))
        score = 4 - key * version
        rows.append(
            row(
                key,
                lower=score - draw(st.integers(0, 2)),
                upper=score + draw(st.integers(0, 2)),
                nodes=draw(st.integers(1, 3)),
                engine_version=version,
                scores=draw(st.sampled_from([None, (version, 2, 0, -1, -2, -3, -4)])),
            )
        )
    return rows


def merged(*batches: list[StoredEvaluation]) -> dict[int, StoredEvaluation]:
    """The rows, merged in Python: within each batch, then with the earlier ones."""
    found: dict[int, StoredEvaluation] = {}
    for batch in batches:
        for key in {each.key for each in batch}:
            new = reduce(merge, [each for each in batch if each.key == key])
            found[key] = merge(found[key], new) if key in found else new
    return found


def proven(found: StoredEvaluation) -> tuple[object, ...]:
    return found.lower, found.upper, found.scores


@settings(max_examples=50)
@given(st.data())
def test_bounds_never_loosen_in_any_order(data: st.DataObject) -> None:
    rows = data.draw(truths())
    found = merged(rows)
    newest = {key: found[key].engine_version for key in found}
    for each in rows:
        if each.engine_version < newest[each.key]:
            continue
        assert each.lower <= found[each.key].lower <= found[each.key].upper <= each.upper
        assert found[each.key].scores == each.scores or each.scores is None
    shuffled = merged(data.draw(st.permutations(rows)))
    assert {key: proven(shuffled[key]) for key in found} == {
        key: proven(found[key]) for key in found
    }


def test_results_of_another_version_are_unknown(database: Database) -> None:
    rows = [row(key, engine_version=ENGINE_VERSION - 1 + key % 3) for key in (1, 2, 3)]
    do(database, store, BOARD, rows)
    assert list(ask(database, lookup, BOARD, [1, 2, 3])) == [1]
    assert [ask(database, find, BOARD, key) is None for key in (1, 2, 3)] == [False, True, True]
    contrary = row(3, lower=-7, upper=-7)
    assert do(database, store, BOARD, [contrary]) == 1
    assert ask(database, find, BOARD, 3).lower == -7


def test_sql_merges_like_python(database: Database) -> None:
    """One database for all examples; each example clears it first."""

    def store_all(*batches: list[StoredEvaluation]) -> dict[int, StoredEvaluation]:
        """Store the batches in an empty database; return the first rows, without their times."""
        do(database, lambda session: session.execute(delete(Evaluation)))
        for number, batch in enumerate(batches):
            before, after = merged(*batches[:number]), merged(*batches[: number + 1])
            changed = [key for key in after if after[key] != before.get(key)]
            assert do(database, store, BOARD, batch) == len(changed)
        found = ask(database, lambda session: list(stream(session, EVERYTHING)))
        few = (each for each in found if each.key < OTHERS[0].key)
        return {each.key: each._replace(updated_at=0.0) for each in few}

    @settings(max_examples=40 if database.dialect == "sqlite" else 15)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        rows = data.draw(truths())
        expected = merged(rows)
        assert store_all(*([each] for each in rows)) == expected
        cut = data.draw(st.integers(0, len(rows)))
        batches = [rows[:cut], rows[cut:]]
        assert store_all(*batches) == merged(*batches)
        assert store_all(*([each, *OTHERS] for each in rows)) == expected

    holds()
