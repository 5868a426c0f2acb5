"""Load for a server: ``wrk`` sends requests over open connections as fast as they are answered."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Final

import click

from benchmarks.games import different_games, random_game, random_games

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

SCRIPT: Final = """
local targets = {}
for line in io.lines("%s") do targets[#targets + 1] = line end
local next_one = 0
request = function()
  next_one = next_one %% #targets + 1
  return wrk.format("GET", targets[next_one])
end
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '\\nRESULT {"requests": %%d, "microseconds": %%d, "p50": %%d, "p99": %%d, ' ..  -- words: ok
    '"longest": %%d, "failed": %%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    latency.max, e.connect + e.read + e.write + e.status + e.timeout))
end
"""
"""A script for ``wrk``. It requests one address after the other, and reports the result."""
BOOK_PLIES: Final = 11
"""Maximum stones of positions from the book. It goes one ply deeper, so it has all columns."""


@dataclass(frozen=True, slots=True)
class Load:
    """The result of sending requests for some seconds."""

    connections: int
    requests: int
    seconds: float
    p50_ms: float
    p99_ms: float
    longest_ms: float
    failed: int
    """Number of error responses and broken connections."""


def require_wrk() -> None:
    """Check that wrk is installed."""
    if shutil.which("wrk") is None:
        raise click.ClickException("wrk is not installed: install Debian's package wrk")


def load(
    url: str, targets: Sequence[str], directory: Path, *, connections: int, seconds: int
) -> Load:
    """Send requests for some seconds; after the last target, start again with the first."""
    questions, script = directory / "targets.txt", directory / "ask.lua"
    questions.write_text("".join(f"{target}\n" for target in targets), encoding="ascii")
    script.write_text(SCRIPT % questions, encoding="ascii")
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout=30s", f"-s{script}"]
    ended = subprocess.run([*command, url], capture_output=True, text=True, check=False)
    _, _, result = ended.stdout.partition("RESULT ")
    if not result:
        raise click.ClickException(f"wrk: {ended.stdout} {ended.stderr}")
    found = json.loads(result)
    return Load(
        connections=connections,
        requests=found["requests"],
        seconds=found["microseconds"] / 1e6,
        p50_ms=found["p50"] / 1e3,
        p99_ms=found["p99"] / 1e3,
        longest_ms=found["longest"] / 1e3,
        failed=found["failed"],
    )


def book_moves(seed: int, count: int) -> list[str]:
    """Random openings; every number of stones is equally frequent."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    moves = []
    for stones in range(BOOK_PLIES + 1):
        games = random_games(chance, stones)
        moves += [game.moves for game in islice(games, count // (BOOK_PLIES + 1))]
    chance.shuffle(moves)
    return moves


def positions(seed: int, count: int, stones: int) -> list[str]:
    """Moves to different positions; mirror images count as the same."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    return [game.moves for game in different_games(chance, stones, count)]


def steps(seed: int, clients: int, games: int) -> list[str]:
    """Interleaved requests of clients that step through the positions of games."""
    chance = random.Random(seed)  # noqa: S311 (no secret)
    walks = [list(_walk(chance, games)) for _ in range(clients)]
    return [moves for turn in zip_longest(*walks) for moves in turn if moves is not None]


def _walk(chance: random.Random, games: int) -> Iterator[str]:
    for _ in range(games):
        game = None
        while game is None:
            game = random_game(chance, BOOK_PLIES)
        yield from (game.moves[:length] for length in range(len(game.moves) + 1))


def solve_targets(moves: Iterable[str]) -> list[str]:
    """Addresses of ``/solve``."""
    return [f"/solve?pos={text}" for text in moves]


def position_targets(moves: Iterable[str]) -> list[str]:
    """Addresses of ``/api/v1/position``."""
    return [f"/api/v1/position?moves={text}" for text in moves]
