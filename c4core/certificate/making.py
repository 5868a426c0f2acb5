"""Making a certificate: the proof is found, made smaller, and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.certificate.errors import ClaimError
from c4core.certificate.layout import LARGEST_SCORE, HalfInfo, pack
from c4core.certificate.proving import Prover
from c4core.certificate.shrinking import shrunk
from c4core.certificate.values import EVERY_RULE
from c4core.certificate.walk import Half
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.certificate.proof import Ply


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

    Args:
        position: the position of the claim; its game goes on.
        at_least: the least that the side to move scores. Without any bound the exact score is
            proven.
        at_most: the most that it scores.
        rules: the rules that may end a branch, as a set of bits; 0 for none.
        prover: finds the proof; it can be stopped. The same new prover finds the same bytes.
        progress: is called now and then with the number of positions found so far.

    Raises:
        ClaimError: the game is over, a bound is beyond all scores, or it does not hold.
        ProvingStoppedError: the prover was stopped.
    """
    if position.is_over:
        raise ClaimError("the game is over: there is nothing to prove")
    for bound in (at_least, at_most):
        if bound is not None and abs(bound) > LARGEST_SCORE:
            raise ClaimError(f"no score is as far from 0 as {bound}")
    prover = prover or Prover()
    position = Position.from_key(
        position.canonical_key, width=position.width, height=position.height
    )
    if at_least is None and at_most is None:
        at_least = at_most = prover.score(position)
    halves = []
    found = 0
    for upper, bound in ((False, at_least), (True, at_most)):
        if bound is None:
            continue
        half = Half(position, upper=upper, bound=bound, rules=rules)
        if not prover.holds(half):
            more = "more" if upper else "less"
            raise ClaimError(f"the claim is wrong: the score is {more} than {bound}")
        plies: list[Ply] = []
        for ply in _found(half, prover):
            plies.append(ply)
            found += len(ply[0])
            progress(found)
        halves.append(_written(half, shrunk(half, plies)))
    return pack(position, rules, halves, engine_version=ENGINE_VERSION)


def _found(half: Half, prover: Prover) -> Iterator[Ply]:
    """The positions of a proof, ply by ply, and what is stored of them."""
    keys = half.first()
    ply = half.start.ply
    while keys.size:
        if half.moves_at(ply):
            values = prover.moves(half, keys, ply=ply)
        else:
            values = prover.ends(half, keys, ply=ply)
        yield keys, values
        keys = half.follow(keys, values, ply=ply)
        ply += 1


def _written(half: Half, plies: list[Ply]) -> tuple[HalfInfo, bytes]:
    for ply, (keys, values) in enumerate(plies, half.start.ply):
        half.write(keys, values, ply=ply)
    code = half.written()
    counts = tuple(len(keys) for keys, _ in plies)
    return HalfInfo(half.upper, half.bound, counts, len(code)), code
