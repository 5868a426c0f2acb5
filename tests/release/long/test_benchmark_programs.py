"""Programs that measure and take some seconds, each with its smallest input."""

from pathlib import Path

import pytest

from benchmarks.deep import boards as deep
from benchmarks.engine.results import Results
from c4core.proof.certificate import BOARDS
from tests.support.running.benchmarks import read, run, use_copies


def test_books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = use_copies(tmp_path, monkeypatch, "benchmarks.books.results")
    run("books", "build", "2")
    run("books", "sample", "8", "--units", "1")
    run("books", "ways", "8", "--units", "1")
    found = read(figures)
    assert {len(entry["digest"]) for entry in found["built"] if entry["plies"] == 2} == {16}
    (compared,) = (entry for entry in found["compared"] if entry["plies"] == 8)
    assert (compared["units"], len(compared["ways"]) > 2) == (1, True)
    page = (tmp_path / "books.md").read_text()
    for way in compared["ways"]:
        assert f"| {way['name']} | " in page


def test_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = use_copies(tmp_path, monkeypatch, "benchmarks.datasets.results")
    options = ("--count", "20", "--plies", "36..", "--threads", "1", "--table-mb", "1")
    run("datasets", *options)
    assert [entry["plies"] for entry in read(figures) if entry["positions"] == 20] == ["36.."]


def test_plain_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figures = use_copies(tmp_path, monkeypatch, "benchmarks.certificates.results")
    run("certificates", "plain", "4x4")
    assert {entry["score"] for entry in read(figures)["plain"] if entry["board"] == "4x4"} == {0}


def test_shipped_certificates_are_made_again_byte_for_byte() -> None:
    assert run("certificates", "shipped").count(", the same\n") == len(BOARDS)


def test_storage_rates() -> None:
    assert "looks at a job's progress" in run("storage", "rates", "--rows", "50", "--rounds", "1")


def test_engine_quick(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    run("", "run", "--quick", "--no-rivals", "--output", str(out))
    assert Results.read(out).wrong == 0


class TestDeepBoards:
    """Whatever goes wrong with a proof is reported."""

    def test_too_little_time(self, tmp_path: Path) -> None:
        proof = deep.prove("7x7", tmp_path, threads=1, table_mb=1, minutes=0.02, single=True)
        assert (proof.score, proof.nodes, proof.pieces, proof.single_nodes) == (None,) * 4
        assert proof.seconds == pytest.approx(1.2)

    def test_wrong_answer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        first = deep.FIRST_PLAYERS[4]
        monkeypatch.setitem(deep.FIRST_PLAYERS, 4, first | {4: "+"})
        with pytest.raises(RuntimeError, match=r"4x4: score 0, where \+ is known"):
            deep.prove("4x4", tmp_path, threads=1, table_mb=1, minutes=60, single=False)

    def test_command_that_fails(self, tmp_path: Path) -> None:
        with pytest.raises(RuntimeError, match=r"deep .* ended with 2"):
            deep.prove("4x4", tmp_path, threads=0, table_mb=1, minutes=60, single=False)
