"""Certificates that were tampered with: neither checker accepts one that is not a proof."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core.errors import (
    CertificateDamagedError,
    CertificateError,
    CertificateForeignError,
    CertificateWrongError,
)
from c4core.position import Position
from c4core.proof import Certificate, make
from c4core.proof.format import EVERY_RULE, REPLIES, HalfInfo, pack
from c4core.proof.walk import Half
from tests.support.certificates import (
    CLAIMS,
    SHA_BYTES,
    accepts,
    check_tampered,
    independent_checker,
    independently_accepts,
    sealed,
)

if TYPE_CHECKING:
    from c4core.proof.certificate import ProofHalf


@pytest.mark.parametrize("claim", CLAIMS)
def test_tampered_files_are_refused(claim: tuple[str, int, int, int]) -> None:
    # Accepted files have another engine version, or allow a rule that is not used.
    assert check_tampered(claim, 60) < 12


def test_every_flipped_bit_is_found() -> None:
    whole = make(Position("121", width=4, height=4))
    checker = independent_checker()
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CertificateError):
            Certificate(bytes(changed))
        assert not independently_accepts(checker, bytes(changed))


def test_every_truncation_is_found() -> None:
    whole = make(Position("121", width=4, height=4))
    for length in range(len(whole)):
        with pytest.raises(CertificateError):
            Certificate(whole[:length])
        if length < len(whole) - SHA_BYTES:
            assert not accepts(sealed(whole[:length]))


def test_a_claim_beyond_the_proof_is_refused() -> None:
    whole = make(Position(width=4, height=4), at_least=0)
    content = bytearray(whole[:-SHA_BYTES])
    content[41] = 1
    assert not accepts(sealed(bytes(content)))
    assert not independently_accepts(independent_checker(), sealed(bytes(content)))


def rewritten(half: ProofHalf, change: tuple[int, int, int]) -> bytes:
    """A proof for the empty 4x4 board, with another value at one place of one ply."""
    start = Position(width=4, height=4)
    writer = Half(start, upper=True, bound=0, rules=EVERY_RULE)
    ply, place, value = change
    for number, (keys, values) in enumerate(half.plies):
        new = values.copy()
        if number == ply:
            assert new[place] != value
            new[place] = value
        writer.write(keys, new, ply=number)
    code = writer.written()
    counts = tuple(len(keys) for keys, _ in half.plies)
    return pack(start, EVERY_RULE, [(HalfInfo(True, 0, counts, len(code)), code)], engine_version=1)


def test_other_values_are_refused_or_prove_the_same() -> None:
    half = Certificate(make(Position(width=4, height=4), at_most=0)).check().halves[0]
    checker = independent_checker()
    refused = 0
    for ply, (_, values) in enumerate(half.plies):
        for place, value in list(enumerate(values))[::3]:
            others = (0, 1, 2, 3) if ply % 2 else (0, 1, 5, REPLIES)
            for other in others:
                if other == value:
                    continue
                data = rewritten(half, (ply, place, other))
                assert accepts(data) == independently_accepts(checker, data)
                refused += not accepts(data)
    assert refused > 40


def test_a_rule_that_does_not_hold_is_reported() -> None:
    start = Position(width=4, height=4)
    writer = Half(start, upper=True, bound=0, rules=EVERY_RULE)
    keys = writer.first()
    writer.write(keys, np.array([1], dtype=np.uint8), ply=0)
    code = writer.written()
    data = pack(start, EVERY_RULE, [(HalfInfo(True, 0, (1,), len(code)), code)], engine_version=1)
    with pytest.raises(
        CertificateWrongError, match="the rule that ends it does not hold"
    ) as caught:
        Certificate(data, path="some.c4proof").verify()
    assert str(caught.value).startswith("some.c4proof: ")
    assert (caught.value.key, caught.value.ply) == (start.key, 0)


@pytest.mark.parametrize("board", [(0, 4), (4, 0), (1, 20), (3, 20), (8, 8), (255, 255)])
def test_a_board_outside_the_format_is_refused(board: tuple[int, int]) -> None:
    data = bytearray(make(Position(width=4, height=4)))
    data[10:12] = board
    damaged = sealed(bytes(data[:-SHA_BYTES]))
    with pytest.raises(CertificateDamagedError, match=r"impossible board|need a board"):
        Certificate(damaged)
    assert not independently_accepts(independent_checker(), damaged)


def test_foreign_and_newer_files_are_refused() -> None:
    whole = make(Position(width=4, height=4))
    with pytest.raises(CertificateForeignError, match="not a certificate"):
        Certificate(b"something else")
    newer = bytearray(whole[:-SHA_BYTES])
    newer[8] = 2
    with pytest.raises(CertificateForeignError, match="format 2"):
        Certificate(bytes(newer) + hashlib.sha256(newer).digest())
    with pytest.raises(CertificateDamagedError, match="checksum"):
        Certificate(whole[:-1] + bytes([whole[-1] ^ 1]))
