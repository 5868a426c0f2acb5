"""Empty boards proven by ``c4 deep``, and by one search for comparison."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.page import span_text
from benchmarks.record import this_processor, write_json
from c4core.notation import parse_board
from c4core.position import Position
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FIRST_PLAYERS: Final = {
    4: {4: "=", 5: "=", 6: "-", 7: "=", 8: "-", 9: "-", 10: "-", 11: "-"},
    5: {4: "=", 5: "=", 6: "=", 7: "=", 8: "+", 9: "+", 10: "+"},
    6: {4: "=", 5: "=", 6: "-", 7: "+", 8: "-", 9: "-"},
    7: {4: "=", 5: "=", 6: "+", 7: "=", 8: "+"},
    8: {4: "=", 5: "=", 6: "-", 7: "+"},
    9: {4: "=", 5: "=", 6: "+"},
    10: {4: "=", 5: "="},
    11: {4: "="},
}
"""The known results of empty boards, by height and width: won (+), drawn (=) or lost (-) for the
first player (J. Tromp's table of solved boards)."""

SIGNS: Final = {"+": 1, "=": 0, "-": -1}
PATIENCE_SECONDS: Final = 60.0
"""The time that a command may take to stop after it was told to."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The costs of an empty board."""

    board: str
    score: int | None
    """The score for the first player; None if the board was not proven in time."""
    seconds: float
    """The seconds that ``c4 deep`` reports, or the time limit."""
    nodes: int | None
    """Nodes that it searched, without those of pieces that were cut off."""
    pieces: int | None
    """Pieces that were decided by a search."""
    threads: int
    single_nodes: int | None
    """Nodes of one search by one thread; None if it did not end in time."""
    single_seconds: float | None
    processor: str


def prove(
    board: str, directory: Path, *, threads: int, table_mb: int, minutes: float, single: bool
) -> Proof:
    """Prove a board in an empty database.

    Args:
        board: WxH.
        directory: an empty directory for the database.
        threads: the number of threads of the command.
        table_mb: the size of their table, and of the table of the single search.
        minutes: the time limit of the command, and of the single search.
        single: whether to search the position by one thread as well.

    Raises:
        RuntimeError: the command failed, or its answer is wrong.
    """
    command = ["deep", "", f"--board={board}", f"--threads={threads}", f"--table-mb={table_mb}"]
    command += [f"--db={directory / f'{board}.db'}", "--json", "--quiet"]
    found = answer(command, 60 * minutes)
    score = None if found is None else int(found["score"])
    size = parse_board(board)
    value = FIRST_PLAYERS[size.height][size.width]
    if score is not None and (score > 0) - (score < 0) != SIGNS[value]:
        raise RuntimeError(f"{board}: score {score}, where {value} is known")
    alone = None
    if single:
        start = Position(width=size.width, height=size.height)
        alone = Solver(table_mb=table_mb).solve(start, time_limit=60 * minutes)
        if score is not None and alone.score not in (None, score):
            raise RuntimeError(f"{board}: {score} by pieces, {alone.score} by one search")
    is_alone_done = alone is not None and alone.score is not None
    return Proof(
        board=board,
        score=score,
        seconds=60 * minutes if found is None else found["seconds"],
        nodes=None if found is None else found["nodes"],
        pieces=None if found is None else found["pieces"]["decided"],
        threads=threads,
        single_nodes=alone.nodes if alone and is_alone_done else None,
        single_seconds=alone.seconds if alone and is_alone_done else None,
        processor=this_processor(),
    )


def answer(command: list[str], seconds: float) -> dict[str, Any] | None:
    """The output of ``c4``; None if it did not end in time."""
    process = subprocess.Popen([sys.executable, "-m", "cli", *command], stdout=subprocess.PIPE)
    with process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_SECONDS)
            return None
    if process.returncode:
        raise RuntimeError(f"c4 {' '.join(command)} ended with {process.returncode}")
    answer: dict[str, Any] = json.loads(output)
    return answer


def keep(proof: Proof, file: Path) -> list[Proof]:
    """Keep a proof in place of an older one for its board. Returns all proofs, easiest first."""
    entries = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    proofs = {entry["board"]: Proof(**entry) for entry in entries} | {proof.board: proof}
    found = sorted(proofs.values(), key=lambda each: (each.score is None, each.seconds))
    write_json(file, [asdict(each) for each in found])
    return found


def table(proofs: Iterable[Proof]) -> str:
    """A table in Markdown."""
    lines = [
        (
            "| board | score | by `c4 deep` | nodes | pieces | one search, one thread "
            "| its nodes | nodes, times | as fast, times |"
        ),
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    machines: dict[str, list[str]] = {}
    for proof in proofs:
        machine = f"{proof.processor}, {proof.threads} threads"
        machines.setdefault(machine, []).append(proof.board)
        done, alone = proof.score is not None, proof.single_seconds is not None
        both = done and alone
        cells = [
            proof.board,
            f"{proof.score:+d}" if proof.score else "0" if done else "not found",
            span_text(proof.seconds) if done else f"more than {span_text(proof.seconds)}",
            f"{proof.nodes:,}" if done else "",
            f"{proof.pieces:,}" if done else "",
            span_text(proof.single_seconds or 0.0) if alone else "",
            f"{proof.single_nodes:,}" if alone else "",
            f"{(proof.nodes or 0) / (proof.single_nodes or 1):.2f}" if both else "",
            f"{(proof.single_seconds or 0.0) / proof.seconds:.2f}" if both else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"Scores are the first player's. On: {_shares(machines)}."]
    return "\n".join(lines)


def _shares(machines: dict[str, list[str]]) -> str:
    """The machine that has proven most boards, and the others, each with its boards."""
    first, *others = sorted(machines, key=lambda each: -len(machines[each]))
    return "; ".join([first, *(f"{each} ({', '.join(machines[each])})" for each in others)])
