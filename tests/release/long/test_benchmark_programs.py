"""``c4 bench`` with all its positions, and benchmark programs with their smallest input."""

import json
from pathlib import Path

import pytest

from benchmarks import deep
from c4core.notation import parse_board
from c4core.proof.certificate import BOARDS
from tests.support.running.benchmarks import kept, run
from tests.support.running.command_line import C4


def test_all_positions_have_the_right_score(c4: C4) -> None:
    done = c4("bench", "--threads", "2", "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert not any(row["wrong"] or row["unsolved"] for row in rows)


def test_books_and_data_sets(tmp_path: Path) -> None:
    run(tmp_path, "books", "build", "2")
    run(tmp_path, "books", "sample", "8", "--units", "1")
    found = kept(tmp_path, "books")
    assert len(found["build 2"]["digest"]) == 16
    assert found["sample 8"]["units"] == 1
    options = ("--count", "20", "--plies", "36..", "--threads", "1", "--table-mb", "1")
    run(tmp_path, "datasets", "build", *options)
    assert list(kept(tmp_path, "datasets")) == ["20 of 36.. by 1 threads"]


def test_shipped_certificates_are_reproduced_byte_for_byte(tmp_path: Path) -> None:
    assert run(tmp_path, "certificates", "shipped").count(", the same\n") == len(BOARDS)


def test_engine_quick(tmp_path: Path) -> None:
    run(tmp_path, "engine", "run", "--quick", "--no-rivals")
    found = kept(tmp_path, "engine")["run"]["measurements"]
    assert not any(each["wrong"] for each in found)


def test_deep_continues_from_what_is_proven(tmp_path: Path) -> None:
    size, url, proven = parse_board("6x5"), str(tmp_path / "first.db"), tmp_path / "6x5.json"
    found = deep.answer(["deep", "--board=6x5", f"--db={url}", "--json", "--quiet", ""], 600)
    assert found
    assert deep.keep(proven, size, url, seconds=1.5, nodes=7, pieces=3) == [0, 0]
    (tmp_path / "second").mkdir()
    proof = deep.prove(
        "6x5", tmp_path / "second", proven, threads=1, table_mb=1, minutes=60, single=False
    )
    assert proof["score"] == 0
    assert proof["nodes"] >= found["nodes"] + 7
    assert proof["pieces"] >= found["pieces"]["decided"] + 3
    assert proof["seconds"] > 1.5
    assert not proven.exists()


def test_deep_reports_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proven = tmp_path / "proven.json"
    proof = deep.prove("7x7", tmp_path, proven, threads=1, table_mb=1, minutes=0.02, single=True)
    assert [proof[name] for name in ("score", "nodes", "pieces", "single_nodes")] == [None] * 4
    monkeypatch.setattr(deep, "published_score", lambda _board: 1)
    with pytest.raises(RuntimeError, match="4x4: score 0, but 1 is published"):
        deep.prove("4x4", tmp_path, proven, threads=1, table_mb=1, minutes=60, single=False)
    with pytest.raises(RuntimeError, match=r"deep .* failed with exit code 2"):
        deep.prove("4x4", tmp_path, proven, threads=0, table_mb=1, minutes=60, single=False)
