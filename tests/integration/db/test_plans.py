"""Plans of the queries behind public requests; the release tests have 5 million rows."""

from tests.support.plans import check_plans


def test_no_query_reads_a_whole_table(database_url: str) -> None:
    check_plans(database_url, 100_000)
