import os
from collections.abc import Iterator

import pytest

from cli.positions.solving import LineSource

LIMIT = 100


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)


def test_lines_include_their_line_ends(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, b"1\r\n\n44")
    os.close(writer)
    source = LineSource(reader)
    assert [source.readline(LIMIT) for _ in range(4)] == [b"1\r\n", b"\n", b"44", b""]


def test_a_long_line_is_read_in_pieces(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, b"x" * 250 + b"\n7\n")
    os.close(writer)
    source = LineSource(reader)
    pieces = [source.readline(LIMIT) for _ in range(3)]
    assert [len(piece) for piece in pieces] == [100, 100, 51]
    assert source.readline(LIMIT) == b"7\n"


def test_ready_only_when_a_line_is_complete(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    source = LineSource(reader)
    assert not source.is_ready()
    os.write(writer, b"44")
    assert not source.is_ready()
    os.write(writer, b"5\n1")
    assert source.is_ready()
    assert source.readline(LIMIT) == b"445\n"
    assert not source.is_ready()
    os.close(writer)
    assert source.is_ready()
    assert source.readline(LIMIT) == b"1"
    assert source.readline(LIMIT) == b""
