"""Data sets of small boards for tests, labelled without a job."""

from __future__ import annotations

import random
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from c4core.dataset.card import Recipe, make_card, split_records
from c4core.dataset.draw import draw_from_play
from c4core.dataset.files import LEAST_FILE, MAX_PER_BYTE, read_npz, write_npz
from c4core.dataset.lots import Shares
from c4core.dataset.reading import inspect
from c4core.dataset.records import are_full, make_records
from c4core.errors import DatasetError
from c4core.evaluation import NO_SCORE
from c4core.notation import BoardSize
from c4core.solver import Solver
from tests.support.boards.exhaustive import plies
from tests.support.boards.games import SMALL

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from c4core.dataset.card import Card
    from c4core.dataset.records import Array


def recipe(**changes: Any) -> Recipe:  # noqa: ANN401
    """A recipe for positions of a small board, with changes."""
    return Recipe(
        **{
            "command": "c4 dataset build",
            "board": SMALL,
            "source": {"kind": "play", "first_ply": 0, "last_ply": 19},
            "seed": 1,
            "count": 200,
            "shares": Shares(60, 20, 20),
            "representations": ("planes", "moves"),
            **changes,
        }
    )


def made(asked: Recipe) -> tuple[dict[str, dict[str, Array]], Card]:
    """The parts of a data set, and its card."""
    board = asked.board
    sample = draw_from_play(board, 0, board.cells - 1, asked.count, asked.seed)
    found = Solver(table_mb=1).analyze_many(np.ascontiguousarray(sample.keys), board=board)
    parts = split_records(sample.keys, found.scores, asked)
    return parts, make_card(asked, parts, sample)


def check_densest_part(path: Path, representations: tuple[str, ...]) -> None:
    """Write and read the part that takes the most memory for each byte of a file.

    It contains all early positions of the largest board.
    """
    board = BoardSize(8, 7)
    early = islice(plies(width=board.width, height=board.height, canonical=True), 5)
    keys = np.random.default_rng(1).permutation(np.concatenate(list(early)))
    scores = np.where(are_full(keys, board), NO_SCORE, 0).astype(np.int8)
    records = make_records(keys, scores, board=board, seed=1, representations=representations)
    write_npz(path, records, "{}")
    taken = sum(array.nbytes for array in records.values())
    assert taken < 0.6 * MAX_PER_BYTE * max(path.stat().st_size, LEAST_FILE)
    found, _ = read_npz(path)
    assert found["key"].tolist() == keys.tolist()


def check_wrong_bytes(directory: Path, ending: str, *, times: int) -> None:
    """Change bytes of the part ``test`` one at a time; each change is detected."""
    path = directory / f"test.{ending}"
    content = path.read_bytes()
    chance = random.Random(1)
    for _ in range(times):
        changed = bytearray(content)
        place = chance.randrange(len(changed))
        changed[place] ^= chance.randrange(1, 256)
        path.write_bytes(changed)
        assert any(path.name in problem for problem in inspect(directory).problems)
        with suppress(DatasetError):
            inspect(path)
