"""Certificates for tests: the independent checker, and files that were tampered with."""

import hashlib
import importlib.util
import random
import struct
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from c4core.arena.game import GameRecord
from c4core.errors import CertificateError
from c4core.evaluation import final_score
from c4core.position import Position, Side
from c4core.proof import Certificate, make
from c4core.proof.format import EVERY_RULE, CertificateInfo
from c4core.solver import Solver

SHA_BYTES = 32
LENGTH_OFFSET = 32
CLAIMS = [("", 4, 4, EVERY_RULE), ("", 4, 4, 0), ("3", 5, 4, EVERY_RULE), ("121", 4, 5, EVERY_RULE)]
"""Moves, board and rules of the certificates to tamper with."""
CHECKER = Path(__file__).parents[2] / "examples" / "check_certificate.py"


def independent_checker() -> ModuleType:
    """The checker that shares no code with C4, as a module."""
    spec = importlib.util.spec_from_file_location("check_certificate", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def accepts(data: bytes) -> bool:
    """Whether C4's own checker accepts a file as a proof."""
    try:
        Certificate(data).verify()
    except CertificateError:
        return False
    return True


def independently_accepts(checker: ModuleType, data: bytes) -> bool:
    """Whether the independent checker accepts a file as a proof."""
    try:
        checker.check(data)
    except (checker.NoProofError, struct.error):
        return False
    return True


def sealed(content: bytes) -> bytes:
    """Add the right length and checksum to content without a checksum."""
    whole = bytearray(content)
    if len(whole) >= LENGTH_OFFSET + 8:
        struct.pack_into("<Q", whole, LENGTH_OFFSET, len(whole) + SHA_BYTES)
    return bytes(whole) + hashlib.sha256(whole).digest()


def tampered(data: bytes, count: int, *, seed: int) -> Iterator[bytes]:
    """Files with one change each and a matching checksum, so that only the proof reveals it."""
    dice = random.Random(seed)
    content = data[:-SHA_BYTES]
    found = 0
    while found < count:
        changed = bytearray(content)
        place = dice.randrange(len(changed))
        kind = dice.randrange(6)
        if kind <= 1:
            changed[place] ^= 1 << dice.randrange(8)
        elif kind == 2:
            changed[place] = dice.randrange(256)
        elif kind == 3:
            del changed[place : place + dice.randint(1, 8)]
        elif kind == 4:
            changed[place:place] = dice.randbytes(dice.randint(1, 8))
        else:
            other = dice.randrange(len(changed))
            changed[place], changed[other] = changed[other], changed[place]
        if bytes(changed) != content:
            found += 1
            yield sealed(bytes(changed))


def check_tampered(claim: tuple[str, int, int, int], count: int) -> int:
    """Both checkers agree on every changed file, and the claims they accept are true.

    ``claim`` is moves, width, height and rules. Returns the number of accepted files.
    """
    moves, width, height, rules = claim
    checker = independent_checker()
    whole = make(Position(moves, board=(width, height)), rules=rules)
    accepted = 0
    for data in tampered(whole, count, seed=len(whole)):
        is_accepted = accepts(data)
        assert independently_accepts(checker, data) == is_accepted
        assert not is_accepted or is_true(Certificate(data).info)
        accepted += is_accepted
    return accepted


def is_true(info: CertificateInfo) -> bool:
    """Whether the claim of a certificate is true, found by search."""
    score = Solver(table_mb=1).solve(info.start).score
    assert score is not None
    return (info.lower is None or info.lower <= score) and (
        info.upper is None or info.upper >= score
    )


def score_of(record: GameRecord, side: Side) -> int:
    """The score of a game that has ended, for one side."""
    end = record.final()
    return final_score(end) if end.turn == side else -final_score(end)
