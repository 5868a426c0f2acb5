"""Making a certificate: the proof is found, made smaller, and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.proof.errors import ClaimError
from c4core.proof.format import LARGEST_SCORE, HalfInfo, pack
from c4core.proof.parts import Bound, encode, find_part, find_trunk, frontier, united
from c4core.proof.prover import Prover
from c4core.proof.shrinking import shrunk
from c4core.proof.values import EVERY_RULE
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.proof.proof import Ply


def make(
    position: Position,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    rules: int = EVERY_RULE,
    prover: Prover | None = None,
    progress: Callable[[int], object] = lambda _positions: None,
) -> bytes:
    """A certificate, as the bytes of its file.

    They depend on the arguments alone: a job of kind ``prove`` makes the same ones.

    Args:
        position: the position of the claim; its game goes on.
        at_least: the least that the side to move scores. Without any bound the exact score is
            proven.
        at_most: the most that it scores.
        rules: the rules that may end a branch, as a set of bits; 0 for none.
        prover: finds the proof; it can be stopped. The size of its table matters, and not what it
            has searched before.
        progress: is called now and then with the number of positions found so far.

    Raises:
        ClaimError: the game is over, a bound is beyond all scores, or it does not hold.
        ProvingStoppedError: the prover was stopped.
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

    def tell(positions: int) -> None:
        progress(found + positions)

    halves = []
    for bound in bounds_of(start, at_least=at_least, at_most=at_most, rules=rules):
        trunk = counted(find_trunk(bound, prover, tell))
        firsts, ply = frontier(bound, trunk)
        parts = [counted(find_part(bound, prover, keys, ply, tell)) for keys in firsts]
        halves.append(write_half(bound, trunk, parts))
    return pack(start, rules, halves, engine_version=ENGINE_VERSION)


def claimed(
    position: Position, *, at_least: int | None = None, at_most: int | None = None
) -> Position:
    """The canonical image of a position, if something can be claimed about it.

    Raises:
        ClaimError: the game is over, or a bound is beyond all scores.
    """
    if position.is_over:
        raise ClaimError("the game is over: there is nothing to prove")
    for bound in (at_least, at_most):
        if bound is not None and abs(bound) > LARGEST_SCORE:
            raise ClaimError(f"no score is as far from 0 as {bound}")
    return Position.from_key(position.canonical_key, width=position.width, height=position.height)


def bounds_of(
    start: Position, *, at_least: int | None, at_most: int | None, rules: int
) -> list[Bound]:
    """The bounds of a claim, the lower one first."""
    return [
        Bound(start, upper, bound, rules)
        for upper, bound in ((False, at_least), (True, at_most))
        if bound is not None
    ]


def write_half(
    bound: Bound, trunk: Sequence[Ply], parts: Sequence[Sequence[Ply]]
) -> tuple[HalfInfo, bytes]:
    """A half of a certificate, of all that was found for it.

    Args:
        bound: that of the half.
        trunk: as :func:`find_trunk` found it.
        parts: all that begin at its :func:`frontier`, in this order.
    """
    plies = shrunk(bound.half(), united(trunk, parts))
    code = encode(bound, plies, bound.start.ply)
    counts = tuple(len(keys) for keys, _ in plies)
    return HalfInfo(bound.upper, bound.score, counts, len(code)), code
