"""The plies of 7x6 that take minutes to count."""

from itertools import islice

from c4core import Position
from c4core.arrays import open_plies


def test_counts_of_7x6_to_ply_12() -> None:
    counts = [len(keys) for keys in islice(open_plies(Position()), 11, 13)]
    assert counts == [2_148_087, 5_832_236]
