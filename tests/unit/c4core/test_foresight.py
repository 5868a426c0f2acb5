"""The network that orders moves: the file that comes with c4, damaged files, and equal points."""

from __future__ import annotations

import hashlib

import pytest

from c4core.foresight import Network, network_file

# Who trains the network anew (docs/engine.md) writes its size and checksum here.
BYTES = 1_270_932
SHA256 = "67094c361aea10b474d6d08d07684ab01467f4392126a530a015b6f1af560db9"


@pytest.fixture(scope="module")
def shipped() -> bytes:
    return network_file(7, 6).read_bytes()


def test_the_shipped_network_is_the_one_that_was_measured(shipped: bytes) -> None:
    assert len(shipped) == BYTES
    assert hashlib.sha256(shipped).hexdigest() == SHA256


def test_a_network_knows_its_board(shipped: bytes) -> None:
    network = Network(shipped)
    assert (network.width, network.height) == (7, 6)


@pytest.mark.parametrize("place", [0, 7, 8, 9, 10, 11, 12, 16, 500_000, -5, -1])
def test_a_changed_byte_is_noticed(shipped: bytes, place: int) -> None:
    data = bytearray(shipped)
    data[place] ^= 1
    with pytest.raises(ValueError, match="no network"):
        Network(bytes(data))


@pytest.mark.parametrize("length", [0, 8, 16, 20, 1000, -1])
def test_a_cut_file_is_noticed(shipped: bytes, length: int) -> None:
    with pytest.raises(ValueError, match="no network"):
        Network(shipped[:length])
