"""Make a certificate: find the proof, make it smaller, and write it.

The proof of a bound begins with its *trunk*: the plies from the start up to, but not including, the
first ply with :data:`FRONTIER` positions or more. The proof after the trunk is found in *parts*. A
part begins with a few neighbouring positions of that ply and continues to the ends of all branches.
The search for the trunk and for every part begins with an empty table. So none of them depends on
another one, or on earlier searches of the process. A bound that is decided quickly has no parts.

Several parts may have a position in common, with different moves. The proof then contains the
positions after all of these moves, and :func:`shrunk` chooses among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.errors import CertificateDamagedError, ClaimError
from c4core.notation import check_narrow
from c4core.position import Position
from c4core.proof.cheapest import cheapest
from c4core.proof.format import EVERY_RULE, LARGEST_SCORE, HalfInfo, pack
from c4core.proof.prover import Prover
from c4core.proof.walk import Half
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from c4core.proof.certificate import Ply

    Keys = NDArray[np.uint64]

FRONTIER: Final = 1000
"""The trunk ends before the first ply with at least this many positions."""

SMALL_NODES: Final = 1_000_000
"""A bound that a search of fewer nodes decides has no parts; its proof takes a second or less."""

PART_POSITIONS: Final = 16
"""The average number of first positions of a part. With 32, the proof of 7x6 had 1 % more
positions, and 3 % fewer nodes were searched."""

PART_TABLE_MB: Final = 16
"""The largest transposition table for a part, in megabytes; it is emptied before each part."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One bound of a claim; one half of a certificate proves it."""

    start: Position
    """The canonical image of the start, where the game is not over."""
    upper: bool
    """Whether the score is at most ``score``; otherwise it is at least ``score``."""
    score: int
    """The bound for the side to move at the start."""
    rules: int
    """The rules that may end a branch, as a set of bits."""

    def half(self, code: bytes | None = None) -> Half:
        """A half that is read from its code, or an empty one to write if there is no code."""
        return Half(self.start, upper=self.upper, bound=self.score, rules=self.rules, code=code)

    def wrong(self) -> ClaimError:
        """The error for a bound that does not hold."""
        more = "more" if self.upper else "less"
        return ClaimError(f"the claim is wrong: the score is {more} than {self.score}")


def make(
    position: Position,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    rules: int = EVERY_RULE,
    prover: Prover | None = None,
    progress: Callable[[int], object] = lambda _positions: None,
) -> bytes:
    """Make a certificate, as the bytes of its file.

    The bytes depend only on the arguments. A job of kind ``prove`` makes the same bytes.

    Args:
        position: the position of the claim; the game is not over.
        at_least: the lower bound for the side to move. Without any bound, the exact score is
            proven.
        at_most: the upper bound for the side to move.
        rules: the rules that may end a branch, as a set of bits; 0 for none.
        prover: finds the proof, and can be stopped. The proof depends on the size of its table, but
            not on its earlier searches.
        progress: called after every ply with the number of positions found so far.
    """
    prover = prover or Prover()
    start = claimed(position, at_least=at_least, at_most=at_most)
    if at_least is None and at_most is None:
        at_least = at_most = prover.score(start)
    found = 0

    def counted(plies: list[Ply]) -> list[Ply]:
        nonlocal found
        found += sum(len(keys) for keys, _ in plies)
        return plies

    def report(positions: int) -> None:
        progress(found + positions)

    halves = []
    for bound in bounds_of(start, at_least=at_least, at_most=at_most, rules=rules):
        trunk = counted(find_trunk(bound, prover, report))
        firsts, ply = frontier(bound, trunk)
        parts = [counted(find_part(bound, prover, keys, ply, report)) for keys in firsts]
        halves.append(write_half(bound, trunk, parts))
    return pack(start, rules, halves, engine_version=ENGINE_VERSION)


def claimed(
    position: Position, *, at_least: int | None = None, at_most: int | None = None
) -> Position:
    """Check a claim, and return the canonical image of its position."""
    check_narrow(position.board, "certificates")
    if position.is_over:
        raise ClaimError("the game is over: there is nothing to prove")
    for bound in (at_least, at_most):
        if bound is not None and abs(bound) > LARGEST_SCORE:
            raise ClaimError(f"no score is as far from 0 as {bound}")
    return Position.from_key(position.canonical_key, board=position.board)


def bounds_of(
    start: Position, *, at_least: int | None, at_most: int | None, rules: int
) -> list[Bound]:
    """The bounds of a claim, the lower one first."""
    return [
        Bound(start, upper, bound, rules)
        for upper, bound in ((False, at_least), (True, at_most))
        if bound is not None
    ]


def find_trunk(
    bound: Bound, prover: Prover, progress: Callable[[int], object] = lambda _positions: None
) -> list[Ply]:
    """Find the first plies of the proof of a bound. The prover's table is emptied first.

    ``progress`` is called after every ply with the number of positions found so far.
    """
    prover.forget()
    half = bound.half()
    before = prover.searched
    if not prover.holds(half):
        raise bound.wrong()
    most = FRONTIER if prover.searched - before >= SMALL_NODES else None
    return _found(half, prover, half.first(), bound.start.ply, most=most, progress=progress)


def frontier(bound: Bound, trunk: Sequence[Ply]) -> tuple[list[Keys], int]:
    """The sorted first positions of each part, and their number of stones.

    If the trunk is the complete proof, there are no parts.
    """
    half, ply = bound.half(), bound.start.ply + len(trunk)
    keys = half.follow(*trunk[-1], ply=ply - 1) if trunk else half.first()
    if not keys.size:
        return [], ply
    return np.array_split(keys, max(1, round(keys.size / PART_POSITIONS))), ply


def find_part(
    bound: Bound,
    prover: Prover,
    keys: Keys,
    ply: int,
    progress: Callable[[int], object] = lambda _positions: None,
) -> list[Ply]:
    """Find the proof from given positions to the ends of all branches.

    The positions have ``ply`` stones and sorted canonical keys; the bound must hold there. The
    prover's table is emptied first. ``progress`` is called as by :func:`find_trunk`.
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


def write_half(
    bound: Bound, trunk: Sequence[Ply], parts: Sequence[Sequence[Ply]]
) -> tuple[HalfInfo, bytes]:
    """The half of a certificate, from the trunk and the parts in the order of :func:`frontier`."""
    plies = shrunk(bound.half(), united(trunk, parts))
    code = encode(bound, plies, bound.start.ply)
    counts = tuple(len(keys) for keys, _ in plies)
    return HalfInfo(bound.upper, bound.score, counts, len(code)), code


def united(trunk: Sequence[Ply], parts: Sequence[Sequence[Ply]]) -> list[Ply]:
    """All positions of a trunk and its parts, ply by ply.

    If several parts contain a position, its value comes from the first of them.
    """
    plies = list(trunk)
    for depth in range(max(map(len, parts), default=0)):
        here = [part[depth] for part in parts if depth < len(part)]
        keys, first = np.unique(np.concatenate([keys for keys, _ in here]), return_index=True)
        plies.append((keys, np.concatenate([values for _, values in here])[first]))
    return plies


def shrunk(half: Half, plies: Sequence[Ply]) -> list[Ply]:
    """Make a proof smaller: choose the move with the smallest proof at every position.

    Sizes are counted as if no two branches met, so the result is not a minimum. On 6x6 and 7x5, 4
    to 9 % of the positions are dropped from a proof that was found in one piece. On 7x6, 30 % of
    the positions of all parts are dropped. Raising the sizes to a power, to allow for branches that
    meet, saved less.
    """
    chosen: list[Ply] = []
    after, costs = np.zeros(0, dtype=np.uint64), np.zeros(0)
    first = half.start.ply
    for ply in range(first + len(plies) - 1, first - 1, -1):
        keys, values = plies[ply - first]
        costs, values = cheapest(half, keys, values, after, costs, ply=ply)
        after = keys
        chosen.append((keys, values))
    needed: list[Ply] = []
    keys = half.first()
    for ply, (known, values) in enumerate(reversed(chosen), first):
        if not keys.size:
            break
        here = values[np.searchsorted(known, keys)]
        needed.append((keys, here))
        keys = half.follow(keys, here, ply=ply)
    return needed


def encode(bound: Bound, plies: Sequence[Ply], first: int) -> bytes:
    """The code of a trunk, a part or a complete proof: its values, without the keys.

    The first ply has ``first`` stones.
    """
    half = bound.half()
    for ply, (keys, values) in enumerate(plies, first):
        half.write(keys, values, ply=ply)
    return half.written()


def decode(
    bound: Bound, code: bytes, counts: Sequence[int], keys: Keys | None = None, ply: int = 0
) -> list[Ply]:
    """The plies whose code :func:`encode` wrote, with ``counts`` positions each.

    A part begins with the positions ``keys``, which have ``ply`` stones; a trunk has no ``keys``.
    """
    half = bound.half(code)
    is_part = keys is not None
    if keys is None:
        keys, ply = half.first(), bound.start.ply
    plies: list[Ply] = []
    for count in counts:
        if not keys.size or keys.size != count:
            raise CertificateDamagedError(
                f"ply {ply} of a part has {keys.size:,} positions, but its counts state {count:,}"
            )
        values = half.read(keys, ply=ply)
        plies.append((keys, values))
        keys = half.follow(keys, values, ply=ply)
        ply += 1
    if not half.is_read() or (is_part and keys.size):
        raise CertificateDamagedError("bytes are left after the end of a part of a proof")
    return plies
