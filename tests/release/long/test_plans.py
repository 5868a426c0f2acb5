"""Plans of the queries behind public requests on a large database."""

from tests.support.plans import check_plans


def test_no_query_reads_a_whole_table(database_url: str) -> None:
    check_plans(database_url, 5_000_000)
