"""Certificates that were tampered with: neither checker accepts one that is not a proof."""

import struct

import numpy as np
import pytest
from numpy.typing import NDArray

from c4core.errors import (
    CertificateDamagedError,
    CertificateError,
    CertificateForeignError,
    CertificateWrongError,
)
from c4core.position import Position
from c4core.proof import Certificate, make
from c4core.proof.format import EVERY_RULE, MOST_POSITIONS, REPLIES, HalfInfo, pack
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

START = Position(board="4x4")


@pytest.mark.parametrize("claim", CLAIMS)
def test_tampered_files_are_refused(claim: tuple[str, int, int, int]) -> None:
    # Accepted files have another engine version, or allow a rule that is not used.
    assert check_tampered(claim, 60) < 12


def test_every_flipped_bit_and_every_truncation_is_found() -> None:
    whole = make(Position("121", board="4x4"))
    checker = independent_checker()
    for bit in range(8 * len(whole)):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(CertificateError):
            Certificate(bytes(changed))
        assert not independently_accepts(checker, bytes(changed))
    for length in range(len(whole)):
        with pytest.raises(CertificateError):
            Certificate(whole[:length])
        if length < len(whole) - SHA_BYTES:
            assert not accepts(sealed(whole[:length]))


def test_a_small_file_cannot_demand_a_long_check() -> None:
    content = bytearray(make(START, at_least=0)[:-SHA_BYTES])
    positions, first = struct.unpack_from("<QI", content, 48)
    for count in (MOST_POSITIONS // 2, 2**32 - 1):
        struct.pack_into("<QI", content, 48, positions - first + count, count)
        refused = "a half states" if count > MOST_POSITIONS else "has 1 positions"
        with pytest.raises(CertificateDamagedError, match=refused):
            Certificate(sealed(bytes(content))).verify()


def test_foreign_and_newer_files_are_refused() -> None:
    whole = make(START)
    for board in ((0, 4), (4, 0), (1, 20), (3, 20), (8, 8), (255, 255)):
        outside = bytearray(whole[:-SHA_BYTES])
        outside[10:12] = board
        with pytest.raises(CertificateDamagedError, match=r"impossible board|need a board"):
            Certificate(sealed(bytes(outside)))
        assert not independently_accepts(independent_checker(), sealed(bytes(outside)))
    with pytest.raises(CertificateForeignError, match="not a certificate"):
        Certificate(b"something else")
    newer = bytearray(whole[:-SHA_BYTES])
    newer[8] = 2
    with pytest.raises(CertificateForeignError, match="format 2"):
        Certificate(sealed(bytes(newer)))
    with pytest.raises(CertificateDamagedError, match="checksum"):
        Certificate(whole[:-1] + bytes([whole[-1] ^ 1]))


def rewritten(plies: list[tuple[NDArray[np.uint64], NDArray[np.uint8]]]) -> bytes:
    """A file that claims a score of at most 0 for the empty 4x4 board."""
    writer = Half(START, upper=True, bound=0, rules=EVERY_RULE)
    for ply, (keys, values) in enumerate(plies):
        writer.write(keys, values, ply=ply)
    code = writer.written()
    info = HalfInfo(True, 0, tuple(len(keys) for keys, _ in plies), len(code))
    return pack(START, EVERY_RULE, [(info, code)], engine_version=1)


def test_other_values_are_refused_or_prove_the_same() -> None:
    plies = list(Certificate(make(START, at_most=0)).check().halves[0].plies)
    checker = independent_checker()
    refused = 0
    for ply, (keys, values) in enumerate(plies):
        for place, value in list(enumerate(values))[::3]:
            for other in (0, 1, 2, 3) if ply % 2 else (0, 1, 5, REPLIES):
                if other == value:
                    continue
                changed = values.copy()
                changed[place] = other
                data = rewritten([*plies[:ply], (keys, changed), *plies[ply + 1 :]])
                assert accepts(data) == independently_accepts(checker, data)
                refused += not accepts(data)
    assert refused > 40


def test_a_rule_that_does_not_hold_is_reported() -> None:
    keys = Half(START, upper=True, bound=0, rules=EVERY_RULE).first()
    data = rewritten([(keys, np.array([1], dtype=np.uint8))])
    with pytest.raises(
        CertificateWrongError, match="the rule that ends it does not hold"
    ) as caught:
        Certificate(data, path="some.c4proof").verify()
    assert str(caught.value).startswith("some.c4proof: ")
    assert f"key {START.key} and 0 stones" in str(caught.value)
