"""Cells of CSV, which programs and spreadsheets read."""

import pytest

from workers.csv_lines import csv_cell, csv_lines


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3+cmd", "'-2+3+cmd"),
        ("-x", "'-x"),
        (["=1", 2], "'=1 2"),
        ("\t=1+1", "\\t=1+1"),
        ("\r=1+1", "/=1+1"),
        ("a=b", "a=b"),
        ("", ""),
        ("-3", "-3"),
        ("+0.5", "+0.5"),
        ("-", "-"),
        (-3, -3),
        (-0.5, -0.5),
        ([-5, None, 2], "-5 - 2"),
        ([None, None], "- -"),
        (None, None),
        (True, "true"),
    ],
)
def test_formulas_are_text_and_numbers_stay_numbers(value: object, cell: object) -> None:
    assert csv_cell(value) == cell


def test_a_name_from_elsewhere_in_a_table() -> None:
    rows = [{"label": '=HYPERLINK("http://x")', "score": -3, "scores": [-1, None]}]
    assert list(csv_lines(rows)) == [
        "label,score,scores\n",
        '"\'=HYPERLINK(""http://x"")",-3,-1 -\n',
    ]
