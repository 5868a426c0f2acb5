"""``c4 analyze`` with 200,000 lines, of which ten are bad. A million: test_million.py."""

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4


def test_ten_bad_lines_of_many(c4: C4) -> None:
    number = 200_000
    bad = set(range(7, number, number // 10))
    lines = (f"{EASY}\n" if index not in bad else "8\n" for index in range(number))
    (c4.directory / "many").write_text("".join(lines))
    assert c4("analyze", "many", "--output", "out").code == 1
    with (c4.directory / "out").open() as results:
        is_error = ['"error"' in line for line in results]
    assert len(is_error) == number
    assert {index for index, found in enumerate(is_error) if found} == bad
