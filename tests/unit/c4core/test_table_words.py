"""Entries of a wide table: no reader sees halves of two entries while other threads write."""

import platform
import subprocess
from pathlib import Path

import numpy as np
import pytest

from c4core import Position
from c4core.arrays import key_array
from c4core.batch import WIDE_BOUND
from c4core.notation import BoardSize
from c4core.solver import Solver

ENGINE = Path(__file__).parents[3] / "c4core" / "engine"

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include "word.h"

enum { PLACES = 4, ROUNDS = 3000000 };
static c4_word places[PLACES] __attribute__((aligned(64)));
static uint64_t torn;

/* The high half of a word follows from its low half. */
static uint64_t partner(uint64_t low) { return low * 0x9E3779B97F4A7C15ULL ^ low >> 7; }

static void *work(void *seed) {
    uint64_t low = (uint64_t)(uintptr_t)seed, found = 0;
    for (int i = 0; i < ROUNDS; i++) {
        low = low * 6364136223846793005ULL + 1442695040888963407ULL;
        c4_store_word(&places[low >> 62], c4_join_halves(low, partner(low)));
        const c4_word word = c4_load_word(&places[low >> 32 & 3]);
        found += c4_high_half(word) != partner(c4_low_half(word));
    }
    __atomic_fetch_add(&torn, found, __ATOMIC_RELAXED);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%llu\n", (unsigned long long)torn);
    return 0;
}
"""


@pytest.mark.parametrize("options", [[], ["-mavx2", "-mbmi2", "-mpopcnt"]], ids=["lock", "avx"])
def test_many_threads_never_see_a_torn_entry(options: list[str], tmp_path: Path) -> None:
    if options and platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("AVX is a feature of x86-64 processors")
    source, program = tmp_path / "words.c", tmp_path / "words"
    source.write_text(PROGRAM)
    subprocess.run(
        ["cc", "-O2", "-pthread", "-DC4_WIDE", *options, f"-I{ENGINE}", "-o", program, source],
        check=True,
    )
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    assert done.stdout == "0\n"


def test_keys_with_equal_halves_are_different_positions() -> None:
    """The smallest table keeps the complete key of every entry."""
    solver = Solver(table_mb=1)
    start = Position(board="10x7")
    # The last two columns are in the high half; the first six plies fill other columns equally.
    positions = [
        start.play(a).play(b).play(c) for a in range(2) for b in range(8, 10) for c in range(8, 10)
    ]
    keys = {position.canonical_key for position in positions}
    lows = {key & (1 << 64) - 1 for key in keys}
    assert len(lows) < len(keys)
    bounds = np.zeros(len(keys), dtype=WIDE_BOUND)
    bounds["key"] = [key & (1 << 64) - 1 for key in keys]
    bounds["key_high"] = [key >> 64 for key in keys]
    bounds["score"] = range(len(keys))
    bounds["log_nodes"] = 20
    solver.add_bounds(bounds, board="10x7")
    found = solver.table_bounds(board="10x7", least_nodes=1)
    assert sorted(found.tolist()) == sorted(bounds.tolist())


def test_arrays_of_wide_keys() -> None:
    board = BoardSize(8, 8)
    full_rows = 2 * "12345678" + 2 * "21436587" + 2 * "12345678"
    positions = [Position(full_rows + moves, board="8x8") for moves in ("", "1")]
    solver = Solver(table_mb=1)
    keys = key_array((position.key for position in positions), board)
    halves = np.array([(k & (1 << 64) - 1, k >> 64) for k in keys.tolist()], dtype=np.uint64)
    expected = [solver.solve(position).score for position in positions]
    for batch in (positions, keys, halves):
        assert solver.solve_many(batch, board="8x8").scores.tolist() == expected
