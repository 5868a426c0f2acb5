"""``c4 certificate``: proofs of this program and of others, and players that use them."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from c4core.proof import Certificate
from tests.support.certificates import CHECKER
from tests.support.running.command_line import C4

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a certificate of 5x4."""
    folder = tmp_path_factory.mktemp("proven")
    done = C4(folder)("prove", "", "--board", "5x4", "--output", "small.c4proof")
    assert done.code == 0
    assert "the empty 5x4 board scores exactly 0" in done.err
    return folder


@pytest.fixture
def c4(proven: Path, tmp_path: Path) -> C4:
    """Run commands beside a copy of it."""
    shutil.copy(proven / "small.c4proof", tmp_path)
    return C4(tmp_path)


def checked(c4: C4, *names: str) -> tuple[int, list[str]]:
    """The exit code and the lines of the independent checker."""
    command = [sys.executable, "-I", str(CHECKER), *names]
    done = subprocess.run(command, cwd=c4.directory, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def test_output_for_programs(c4: C4) -> None:
    verified, about, shown = (
        json.loads(c4("certificate", *words.split(), "--json").out)
        for words in ("verify small.c4proof", "info small.c4proof", "show small.c4proof 1")
    )
    assert (verified["proven"], verified["lower"], verified["upper"]) == (True, 0, 0)
    assert about["board"] == "5x4"
    assert about["positions"] == sum(sum(half["plies"]) for half in about["halves"])
    upper = shown["halves"][1]
    assert (upper["prover"], upper["why"], len(upper["columns"])) == ("o", "move", 1)


def test_the_independent_checker_is_a_program(c4: C4) -> None:
    code, (first, second) = checked(c4, "small.c4proof", "missing")
    assert code == 1
    assert first.startswith("small.c4proof: proven: on 5x4 the position with key ")
    assert first.endswith(" scores at least 0 and at most 0")
    assert second.startswith("missing: NOT PROVEN: ")


def after_a_rule(file: Path) -> tuple[str, str]:
    """Moves to positions after a rule has ended the branch: x to move, then o."""
    proof = Certificate.open(file).check(prover="o")
    dice = random.Random(1)
    moves, position = "", proof.info.start
    by_x = by_o = ""
    while not by_x or not by_o:
        if position.is_over:
            moves, position = "", proof.info.start
        (word,) = proof.ask(position)
        if word.why == "follow" and word.columns:
            by_o = moves
        elif word.why == "follow":
            by_x = moves
        column = dice.choice(word.columns or position.legal_columns())
        position, moves = position.play(column), moves + str(column + 1)
    return by_x, by_o


def test_show_after_a_rule_has_ended_the_branch(c4: C4) -> None:
    by_x, by_o = after_a_rule(c4.directory / "small.c4proof")
    done = c4("certificate", "show", "small.c4proof", by_x)
    words = "by the rule that ends the branch"
    assert f"at most 0: any move of x is answered, {words}" in done.out
    done = c4("certificate", "show", "small.c4proof", by_o)
    assert re.search(f"at most 0: o plays [1-5, ]+, {words}", done.out)


def test_a_board_names_the_shipped_certificate(c4: C4) -> None:
    done = c4("certificate", "verify", "5x4")
    assert done.out.startswith("5x4 is a proof: the empty 5x4 board scores exactly 0 (")
    assert "the empty 7x6 board scores exactly 1" in c4("certificate", "info", "7x6").out
    (c4.directory / "small.c4proof").rename(c4.directory / "9x7")
    assert c4("certificate", "verify", "./9x7").code == 0


def test_a_proof_plays_a_match_and_a_game(c4: C4) -> None:
    names = ("match", "proof:small.c4proof", "random")
    done = c4(*names, "--board", "5x4", "--games", "6", "--swap", "--judge", "none", "--json")
    assert done.code == 0
    played = json.loads(done.out)["a"]
    assert (played["losses"], played["forfeits"]) == (0, 0)
    done = c4(*names, "--games", "2")
    assert done.code == 2
    assert "small.c4proof is for 5x4, not 7x6" in done.err
    game = ("play", "--board", "5x4", "--second", "proof:small.c4proof", "--no-store")
    done = c4(*game, stdin="3\nquit\n")
    assert "o (proof:small.c4proof) plays " in done.out


def test_a_false_claim_is_refused(c4: C4) -> None:
    done = c4("prove", "", "--board", "4x4", "--at-least", "1", "--output", "no.c4proof")
    assert done.code == 2
    assert done.err.endswith("\nError: the claim is wrong: the score is less than 1\n")
    assert not (c4.directory / "no.c4proof").exists()


def test_other_files_are_not_replaced(c4: C4) -> None:
    before = (c4.directory / "small.c4proof").read_bytes()
    again = ("prove", "", "--board", "5x4", "--rules", "none", "--output", "small.c4proof")
    done = c4(*again)
    assert done.code == 2
    assert "exists already: --force replaces it" in done.err
    assert (c4.directory / "small.c4proof").read_bytes() == before
    said = json.loads(c4(*again, "--force", "--json").out)
    assert said["rules"] == []
    assert c4("certificate", "verify", "small.c4proof").code == 0
