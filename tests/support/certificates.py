"""Certificates for tests: the independent checker, and files that were tampered with."""

from __future__ import annotations

import hashlib
import importlib.util
import random
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from c4core.certificate import Certificate
from c4core.certificate.errors import CertificateError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SHA_BYTES = 32
LENGTH_OFFSET = 32
CHECKER = Path(__file__).parents[2] / "examples" / "check_certificate.py"


def independent_checker() -> ModuleType:
    """The checker that shares nothing with C4, as a module."""
    spec = importlib.util.spec_from_file_location("check_certificate", CHECKER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def accepts(data: bytes) -> bool:
    """Whether C4's own checker takes a file for a proof."""
    try:
        Certificate(data).check()
    except CertificateError:
        return False
    return True


def independently_accepts(checker: ModuleType, data: bytes) -> bool:
    """Whether the independent checker takes a file for a proof."""
    try:
        checker.check(data)
    except (checker.NoProofError, struct.error):
        return False
    return True


def sealed(content: bytes) -> bytes:
    """A content without its checksum, with the right length and the right checksum."""
    whole = bytearray(content)
    if len(whole) >= LENGTH_OFFSET + 8:
        struct.pack_into("<Q", whole, LENGTH_OFFSET, len(whole) + SHA_BYTES)
    return bytes(whole) + hashlib.sha256(whole).digest()


def tampered(data: bytes, count: int, *, seed: int) -> Iterator[bytes]:
    """Files with a change each, and a checksum that fits: only the proof can give them away."""
    dice = random.Random(seed)
    content = data[:-SHA_BYTES]
    for _ in range(count):
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
            yield sealed(bytes(changed))
