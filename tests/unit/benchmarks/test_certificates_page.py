"""The page about certificates: its figures are those that were kept, and keep what it promises."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from benchmarks.certificates import narrow, playing, proving, results
from benchmarks.certificates.__main__ import main
from benchmarks.certificates.proving import Claim
from benchmarks.page import fill
from c4core.certificate.shipped import BOARDS, shipped_file
from cli.bench.positions import shipped_set

PAGE = results.PAGE.read_text(encoding="utf-8")
FIGURES = json.loads(results.FIGURES.read_text(encoding="utf-8"))


def test_figures_are_those_that_were_kept() -> None:
    assert fill(PAGE, results.page_parts(FIGURES)) == PAGE


def test_every_score_is_known() -> None:
    scores = {position.moves: position.score for position in shipped_set()["begin-hard"]}
    for entry in FIGURES[results.POSITIONS]:
        assert scores[entry["moves"]] == entry["score"]
    by_board = {entry["board"]: entry["score"] for entry in FIGURES[results.BOARDS]}
    for entry in FIGURES[results.PLAIN]:
        assert by_board[entry["board"]] == entry["score"]


def test_no_game_was_below_its_bound_and_nothing_was_searched() -> None:
    for entry in FIGURES[results.GAMES]:
        assert (entry["below"], entry["forfeits"], entry["searches"]) == (0, 0, 0)
        assert entry["wins"] + entry["draws"] + entry["losses"] == entry["games"]


def test_both_checkers_said_the_same_of_changed_files() -> None:
    for entry in FIGURES[results.TAMPERED]:
        assert entry["accepted"] == entry["independently"] == entry["both"] == entry["true"]


def test_the_page_names_what_is_shipped() -> None:
    named = " and ".join([", ".join(map(str, BOARDS[:-1])), str(BOARDS[-1])])
    assert f"the empty boards {named} come with the program" in PAGE
    assert all(shipped_file(board).stat().st_size <= 2_000_000 for board in BOARDS)


def test_a_certificate_is_measured() -> None:
    found = proving.measure(Claim("4x4", table_mb=1))
    assert (found.score, found.board) == (0, "4x4")
    assert found.positions > 100
    assert found.python_seconds is not None
    assert min(found.make_seconds, found.check_seconds, found.python_seconds) > 0


@pytest.mark.long
def test_the_shipped_certificates_are_made_again_byte_for_byte() -> None:
    done = CliRunner().invoke(main, ["shipped"])
    assert done.exit_code == 0, done.output
    assert done.output.count(", the same\n") == len(BOARDS)


def test_games_are_counted() -> None:
    for opponent in ("random", "perfect"):
        played = playing.measure("5x4", opponent, 6)
        assert (played.games, played.below, played.forfeits, played.searches) == (6, 0, 0, 0)
        assert played.wins + played.draws == 6


def test_narrow_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MOST_CELLS", "MOST_NARROW_CELLS"):
        monkeypatch.setattr(narrow, limit, 6)
    found = narrow.measure()
    assert found.boards == 14  # one to six columns of as many rows as fit
    assert len(list(narrow.boards(narrow=False))) == 0
