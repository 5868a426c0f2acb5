"""A proof that is found in parts: whoever finds them, and in whatever order, it is the same proof.

The proof of a bound begins with its *trunk*: the plies from the start on, up to the first that has
:data:`FRONTIER` positions or more. The proof behind that ply is found in *parts*, each of which
begins with a few neighbouring positions of it, and goes on to the ends of all branches. The trunk
and every part begin with an empty table, so none of them depends on another one, or on what else a
process has searched. The proof of a bound that is soon decided is all trunk.

Several parts may have a position in common, with different moves. The proof then has all that any
of them leads to, and the second look (:mod:`c4core.proof.shrinking`) chooses among it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.proof.errors import CertificateDamagedError, ClaimError
from c4core.proof.walk import Half

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from c4core.proof.proof import Ply
    from c4core.proof.prover import Prover
    from c4core.position import Position

    Keys = NDArray[np.uint64]

FRONTIER: Final = 1000
"""The trunk ends before a ply of so many positions."""

SMALL_NODES: Final = 1_000_000
"""A bound that fewer nodes decide is proven in one piece. That takes a second or less."""

PART_POSITIONS: Final = 16
"""Positions that a part begins with, about. With 32 there were 1 % more positions in the proof of
7x6, and 3 % fewer nodes were searched."""

PART_TABLE_MB: Final = 16
"""Megabytes of a part's table at most: it is emptied for each."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound of a claim: what a half of a certificate proves."""

    start: Position
    """Canonical; its game goes on."""
    upper: bool
    """The score is at most ``score``, else at least."""
    score: int
    """For the side to move at the start."""
    rules: int
    """The rules that may end a branch, as a set of bits."""

    def half(self, code: bytes | None = None) -> Half:
        """The half to write, or to read from its code."""
        return Half(self.start, upper=self.upper, bound=self.score, rules=self.rules, code=code)

    def wrong(self) -> ClaimError:
        """The error for a bound that does not hold."""
        more = "more" if self.upper else "less"
        return ClaimError(f"the claim is wrong: the score is {more} than {self.score}")


def find_trunk(
    bound: Bound, prover: Prover, progress: Callable[[int], object] = lambda _positions: None
) -> list[Ply]:
    """The first plies of a proof.

    Args:
        bound: is proven.
        prover: searches; its table is emptied before.
        progress: is called now and then with the number of positions found so far.

    Raises:
        ClaimError: the bound does not hold.
        ProvingStoppedError: the prover was stopped.
    """
    prover.forget()
    half = bound.half()
    before = prover.searched
    if not prover.holds(half):
        raise bound.wrong()
    most = FRONTIER if prover.searched - before >= SMALL_NODES else None
    return _found(half, prover, half.first(), bound.start.ply, most=most, progress=progress)


def find_part(
    bound: Bound,
    prover: Prover,
    keys: Keys,
    ply: int,
    progress: Callable[[int], object] = lambda _positions: None,
) -> list[Ply]:
    """The proof behind some positions, to the ends of all its branches.

    Args:
        bound: is proven; it holds at the positions.
        prover: searches; its table is emptied before.
        keys: canonical keys of the positions, sorted.
        ply: their stones.
        progress: as in :func:`find_trunk`.

    Raises:
        ProvingStoppedError: the prover was stopped.
    """
    prover.forget(most_mb=PART_TABLE_MB)
    return _found(bound.half(), prover, keys, ply, most=None, progress=progress)


def _found(
    half: Half,
    prover: Prover,
    keys: Keys,
    ply: int,
    *,
    most: int | None,
    progress: Callable[[int], object],
) -> list[Ply]:
    plies: list[Ply] = []
    found = 0
    while keys.size and (most is None or keys.size < most):
        if half.moves_at(ply):
            values = prover.moves(half, keys, ply=ply)
        else:
            values = prover.ends(half, keys, ply=ply)
        plies.append((keys, values))
        found += keys.size
        progress(found)
        keys = half.follow(keys, values, ply=ply)
        ply += 1
    return plies


def frontier(bound: Bound, trunk: Sequence[Ply]) -> tuple[list[Keys], int]:
    """Where the parts begin: the sorted positions of each, and their stones.

    There are no parts where the trunk is the whole proof.
    """
    half, ply = bound.half(), bound.start.ply + len(trunk)
    keys = half.follow(*trunk[-1], ply=ply - 1) if trunk else half.first()
    if not keys.size:
        return [], ply
    return np.array_split(keys, max(1, round(keys.size / PART_POSITIONS))), ply


def united(trunk: Sequence[Ply], parts: Sequence[Sequence[Ply]]) -> list[Ply]:
    """All positions of a trunk and its parts, ply by ply.

    Args:
        trunk: as found.
        parts: all of them, in order of their first positions. What is stored of a position that
            several have is what the first of these says.
    """
    plies = list(trunk)
    for depth in range(max(map(len, parts), default=0)):
        here = [part[depth] for part in parts if depth < len(part)]
        keys, first = np.unique(np.concatenate([keys for keys, _ in here]), return_index=True)
        plies.append((keys, np.concatenate([values for _, values in here])[first]))
    return plies


def encode(bound: Bound, plies: Sequence[Ply], first: int) -> bytes:
    """A trunk or a part as bytes: what is stored of its positions, without their keys.

    Args:
        bound: that of the proof.
        plies: as found.
        first: stones of the first.
    """
    half = bound.half()
    for ply, (keys, values) in enumerate(plies, first):
        half.write(keys, values, ply=ply)
    return half.written()


def decode(
    bound: Bound, code: bytes, counts: Sequence[int], keys: Keys | None = None, ply: int = 0
) -> list[Ply]:
    """What :func:`encode` wrote.

    Args:
        bound: that of the proof.
        code: the bytes.
        counts: positions of each ply.
        keys: the first positions of a part; None for a trunk.
        ply: their stones.

    Raises:
        CertificateDamagedError: the bytes are no such code.
        CertificateWrongError: what they say cannot be part of a proof.
    """
    half = bound.half(code)
    is_part = keys is not None
    if keys is None:
        keys, ply = half.first(), bound.start.ply
    plies: list[Ply] = []
    for count in counts:
        if not keys.size or keys.size != count:
            raise CertificateDamagedError(
                f"ply {ply} of a part has {keys.size:,} positions, and its counts say {count:,}"
            )
        values = half.read(keys, ply=ply)
        plies.append((keys, values))
        keys = half.follow(keys, values, ply=ply)
        ply += 1
    if not half.is_read() or (is_part and keys.size):
        raise CertificateDamagedError("something is left when a part of a proof is read")
    return plies
