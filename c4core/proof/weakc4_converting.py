"""The certificate of a solution: the same moves, and a rule where a line may end earlier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from c4core.proof.format import HalfInfo, pack
from c4core.proof.prover import Prover
from c4core.proof.shrinking import shrunk
from c4core.proof.values import EVERY_RULE
from c4core.proof.walk import Half
from c4core.position import Position
from c4core.version import ENGINE_VERSION

if TYPE_CHECKING:
    from c4core.proof.proof import Ply
    from c4core.proof.weakc4_check import Checked


def certificate_of(checked: Checked, *, rules: int = EVERY_RULE) -> bytes:
    """A certificate, as the bytes of its file: the side to move at the start scores at least 1.

    Nothing is searched. The same solution gives the same bytes.

    Args:
        checked: a solution that wins against every reply.
        rules: the rules that may end a branch, as a set of bits; 0 for none.
    """
    start = checked.start
    start = Position.from_key(start.canonical_key, width=start.width, height=start.height)
    half = Half(start, upper=False, bound=1, rules=rules)
    endings = Prover(table_mb=1)
    plies: list[Ply] = []
    keys, ply = half.first(), start.ply
    while keys.size:
        if half.moves_at(ply):
            known, columns = checked.moves.at(ply)
            values = columns[np.searchsorted(known, keys)]
        else:
            values = endings.ends(half, keys, ply=ply)
        plies.append((keys, values))
        keys = half.follow(keys, values, ply=ply)
        ply += 1
    plies = shrunk(half, plies)
    for ply, (keys, values) in enumerate(plies, start.ply):
        half.write(keys, values, ply=ply)
    code = half.written()
    counts = tuple(len(keys) for keys, _ in plies)
    said = HalfInfo(upper=False, bound=1, plies=counts, code_bytes=len(code))
    return pack(start, rules, [(said, code)], engine_version=ENGINE_VERSION)
