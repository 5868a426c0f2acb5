from typing import Final

import numpy as np
from numpy.typing import NDArray

NO_SCORE: Final = -128
GROUP_SLOTS: Final[int]
LONGEST: Final[int]

def fill_empty(scores: NDArray[np.int8], start: int) -> None: ...
def count_pairs(
    scores: NDArray[np.int8], low: int, symbols: int, start: int
) -> NDArray[np.int64]: ...
def count_gaps(slots: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def encode_slots(
    scores: NDArray[np.int8],
    low: int,
    start: int,
    lengths: NDArray[np.uint8],
    words: NDArray[np.uint16],
) -> list[bytes]: ...
def encode_entries(
    slots: NDArray[np.uint64],
    scores: NDArray[np.int8],
    low: int,
    start: int,
    lengths: NDArray[np.uint8],
    words: NDArray[np.uint16],
    gap_lengths: NDArray[np.uint8],
    gap_words: NDArray[np.uint16],
) -> list[bytes]: ...
