r"""The file that keeps a count which is not done.

    8  bytes   "\x89C4count"
    u16        version of the format, 1
    u8 u8      width, height
    u32        number of plies counted so far, P
    P times    u64 positions, u64 won positions, u64 nodes
    B times    u32 nodes of a level of the last ply's open positions; B = width * (height + 1)
    B levels   for each node u32 u32, the nodes of the next level after a 0 and after a 1
    32 bytes   SHA-256 of all bytes before

Numbers are little-endian. The reader does not trust the file: it checks sizes before it takes
memory, and refuses arcs that lead out of their level.
"""

from __future__ import annotations

import hashlib
import struct
from typing import IO, TYPE_CHECKING, Final

import numpy as np

from c4core.counting.diagram import CountingError, Diagram, PlyCount, Progress
from c4core.errors import BoardError
from c4core.files import atomic_file, check_plain
from c4core.notation import check_board

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.counting.diagram import Level

MAGIC: Final = b"\x89C4count"
FORMAT_VERSION: Final = 1

_HEADER: Final = struct.Struct("<8sHBBI")
_PLY: Final = struct.Struct("<QQQ")
_NODE_BYTES: Final = 8
_DIGEST_BYTES: Final = hashlib.sha256().digest_size


class CountFileError(CountingError):
    """A file is not a kept count, or it is damaged.

    Attributes:
        path: the file.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


def write(path: Path, progress: Progress) -> None:
    """Keep a count in a file, which is written completely or not at all.

    Raises:
        OSError: the file cannot be written.
    """
    board = progress.open_positions
    digest = hashlib.sha256()
    with atomic_file(path) as beside, beside.open("wb") as file:
        head = _HEADER.pack(MAGIC, FORMAT_VERSION, board.width, board.height, len(progress.plies))
        plies = b"".join(_PLY.pack(ply.positions, ply.won, ply.nodes) for ply in progress.plies)
        sizes = np.array([len(level) - 1 for level in board.levels], dtype="<u4").tobytes()
        levels = (level[1:].astype("<u4", copy=False).tobytes() for level in board.levels)
        for part in (head, plies, sizes, *levels):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def read(path: Path) -> Progress:
    """The count that a file keeps.

    Raises:
        OSError: the file cannot be read, or is not a regular file.
        CountFileError: the file is not a kept count, or it is damaged.
    """
    check_plain(path)
    with path.open("rb") as file:
        return _Reader(file, path).progress()


class _Reader:
    """Reads one file and verifies its checksum."""

    def __init__(self, file: IO[bytes], path: Path) -> None:
        self._file = file
        self._path = str(path)
        self._left = path.stat().st_size
        self._digest = hashlib.sha256()

    def progress(self) -> Progress:
        magic, version, width, height, plies = _HEADER.unpack(self._take(_HEADER.size))
        if magic != MAGIC:
            raise self._fault("this is no kept count")
        if version != FORMAT_VERSION:
            raise self._fault(f"this is version {version} of the format; {FORMAT_VERSION} is known")
        try:
            check_board(width, height)
        except BoardError as error:
            raise self._fault(str(error)) from None
        if not 1 <= plies <= width * height + 1:
            raise self._fault(f"a board of {width}x{height} has no {plies} plies")
        counted = tuple(PlyCount(*_PLY.unpack(self._take(_PLY.size))) for _ in range(plies))
        bits = width * (height + 1)
        sizes = [int(size) for size in np.frombuffer(self._take(4 * bits), dtype="<u4")]
        if _NODE_BYTES * sum(sizes) + _DIGEST_BYTES != self._left:
            raise self._fault("its length is not that of its levels")
        if sizes[0] > 1:
            raise self._fault("its first level has more than one node")
        levels = [
            self._level(bit, size, following)
            for bit, (size, following) in enumerate(zip(sizes, [*sizes[1:], 1], strict=True))
        ]
        digest = self._digest.digest()
        if self._file.read(_DIGEST_BYTES) != digest:
            raise self._fault("its checksum is wrong")
        progress = Progress(counted, Diagram(width, height, tuple(levels)))
        if progress.open_positions.positions != counted[-1].positions - counted[-1].won:
            raise self._fault("its diagram has another number of positions than its last ply")
        return progress

    def _level(self, bit: int, size: int, following: int) -> Level:
        level = np.zeros((size + 1, 2), dtype=np.uint32)
        level[1:] = np.frombuffer(self._take(_NODE_BYTES * size), dtype="<u4").reshape(-1, 2)
        if int(level.max()) > following:
            raise self._fault(f"level {bit} has an arc to a node that does not exist")
        return level

    def _take(self, size: int) -> bytes:
        if size > self._left:
            raise self._fault("it is cut short")
        data = self._file.read(size)
        self._left -= size
        self._digest.update(data)
        return data

    def _fault(self, problem: str) -> CountFileError:
        return CountFileError(f"{self._path}: {problem}", path=self._path)
