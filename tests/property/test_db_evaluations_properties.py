"""Whatever is stored in whatever order: bounds only tighten, and the order does not matter."""

from hypothesis import given, settings
from hypothesis import strategies as st

from c4core.notation import BoardSize
from db.database import Database
from db.evaluations import lookup, store
from db.evaluations.merging import merge
from db.records.evaluations import StoredEvaluation
from tests.support.running.databases import BOARD, ask, clear, do, row

SCORES = (4, 2, 0, -1, -2, -3, -4)
OTHERS = [row(key) for key in range(1000, 1100)]
"""With them PostgreSQL takes rows in another way than without."""


@st.composite
def truths(draw: st.DrawFn) -> list[StoredEvaluation]:
    """Rows about a few positions, all of them true: around a score that is fixed per position."""
    rows = []
    for _ in range(draw(st.integers(1, 8))):
        key = draw(st.integers(1, 3))
        score = 4 - key
        rows.append(
            row(
                key,
                lower=score - draw(st.integers(0, 2)),
                upper=score + draw(st.integers(0, 2)),
                nodes=draw(st.integers(1, 3)),
                engine_version=draw(st.integers(1, 2)),
                scores=draw(st.sampled_from([None, SCORES])),
            )
        )
    return rows


def stored(database: Database, batches: list[list[StoredEvaluation]]) -> list[StoredEvaluation]:
    """What is in an empty database after the batches, time aside."""
    clear(database)
    for batch in batches:
        do(database, store, BOARD, batch)
    found = ask(database, lookup, BOARD, [1, 2, 3])
    return [found[key]._replace(updated_at=0.0) for key in sorted(found)]


def proven(rows: list[StoredEvaluation]) -> list[tuple[object, ...]]:
    return [(found.key, found.lower, found.upper, found.scores) for found in rows]


class TestStore:
    """One database for all examples; each begins by clearing it."""

    def test_sql_merges_as_python_does(self, database: Database) -> None:
        @settings(max_examples=60)
        @given(truths())
        def holds(rows: list[StoredEvaluation]) -> None:
            expected: dict[int, StoredEvaluation] = {}
            for given_row in rows:
                before = expected.get(given_row.key)
                expected[given_row.key] = given_row if before is None else merge(before, given_row)
            one_by_one = stored(database, [[given_row] for given_row in rows])
            assert one_by_one == [expected[key] for key in sorted(expected)]
            assert stored(database, [rows]) == one_by_one
            assert stored(database, [[given_row, *OTHERS] for given_row in rows]) == one_by_one

        holds()

    def test_the_order_does_not_matter_for_what_is_proven(self, database: Database) -> None:
        @settings(max_examples=60)
        @given(st.data())
        def holds(data: st.DataObject) -> None:
            rows = data.draw(truths())
            shuffled = data.draw(st.permutations(rows))
            cut = data.draw(st.integers(0, len(rows)))
            assert proven(stored(database, [shuffled[:cut], shuffled[cut:]])) == proven(
                stored(database, [rows])
            )

        holds()

    def test_bounds_never_loosen(self, database: Database) -> None:
        @settings(max_examples=60)
        @given(truths())
        def holds(rows: list[StoredEvaluation]) -> None:
            clear(database)
            for given_row in rows:
                with database.write() as session:
                    before = lookup(session, BOARD, [given_row.key]).get(given_row.key)
                    changed = store(session, BOARD, [given_row])
                    after = lookup(session, BOARD, [given_row.key])[given_row.key]
                assert after.lower >= given_row.lower
                assert after.upper <= given_row.upper
                assert changed == (
                    before is None
                    or after._replace(updated_at=0.0) != before._replace(updated_at=0.0)
                )
                if before is not None:
                    assert after.lower >= before.lower
                    assert after.upper <= before.upper
                    assert after.scores == (before.scores or given_row.scores)

        holds()


@given(st.permutations([row(lower=-5, upper=5), row(lower=-1, upper=3), row(nodes=9), row()]))
def test_of_rows_within_each_other_all_orders_give_the_same_row(
    rows: list[StoredEvaluation],
) -> None:
    merged = rows[0]
    for other in rows[1:]:
        merged = merge(merged, other)
    assert merged == row(nodes=100)


def test_boards_do_not_mix(database: Database) -> None:
    with database.write() as session:
        store(session, BOARD, [row(1)])
        store(session, BoardSize(6, 7), [row(1, width=6, height=7, lower=-3, upper=-3)])
        assert lookup(session, BOARD, [1])[1].score == 2
        assert lookup(session, BoardSize(6, 7), [1])[1].score == -3
