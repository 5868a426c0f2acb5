import pytest

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (bytes(range(256)) * 4, "is binary"), ("44\n".encode("utf-16"), "UTF-16")],
)
def test_files_of_another_kind_are_refused(c4: C4, content: bytes, message: str) -> None:
    (c4.directory / "input").write_bytes(content)
    for done in (c4("analyze", "input"), c4("analyze", "-", stdin=content)):
        assert done.code == 2
        assert done.out == ""
        assert message in done.err
    assert c4("jobs", "list", "--jsonl").out == ""


def test_a_missing_package_is_reported_before_the_work(
    c4: C4, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("c4core.extras.find_spec", lambda _name: None)
    refused = c4("analyze", "-o", "r.parquet", "-", stdin=f"{EASY}\n")
    assert refused.code == 2
    assert "Parquet files need the package pyarrow: pip install pyarrow" in refused.err
    assert c4("jobs", "list", "--jsonl").out == ""
