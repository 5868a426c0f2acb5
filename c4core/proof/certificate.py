"""Certificates: open a file, check its proof, and look positions up in the proof.

A :class:`Certificate` is a file whose bytes are intact. :meth:`Certificate.verify` checks its proof
without any search. :meth:`Certificate.check` also keeps it, and returns a :class:`Proof`, which
has the move in a position and the reason for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Self, TypeAlias

import numpy as np

from c4core.errors import (
    CertificateDamagedError,
    CertificateError,
    CertificateMissingError,
    ClaimError,
)
from c4core.files import check_regular_file
from c4core.notation import BoardSize
from c4core.proof.format import HEADER_BYTES, REPLIES, RULES, check_header, unpack
from c4core.proof.lasting import answers, lasts
from c4core.proof.walk import Half

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from c4core.position import Position, Side
    from c4core.proof.format import CertificateInfo, HalfInfo

    Ply: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint8]]
    """The sorted canonical keys of a ply's positions, and the stored value of each."""

BOARDS: Final = (BoardSize(5, 4), BoardSize(6, 5), BoardSize(7, 6))
"""Boards for which a certificate of the exact score is included in this package.
``python -m benchmarks.certificates shipped`` makes the files."""

_DIRECTORY: Final = Path(__file__).parents[1] / "data"


def shipped_file(board: BoardSize) -> Path:
    """The path of the included certificate for an empty board; the file may not exist."""
    return _DIRECTORY / f"c4-{board}.c4proof"


def named_file(name: str) -> Path:
    """The path of the included certificate of a board such as ``7x6``, or ``name`` itself."""
    match = re.fullmatch(r"([0-9]{1,2})x([0-9]{1,2})", name)
    if match is None:
        return Path(name)
    path = shipped_file(BoardSize(int(match[1]), int(match[2])))
    if not path.is_file():
        there = ", ".join(str(board) for board in BOARDS if shipped_file(board).is_file())
        raise CertificateMissingError(
            f"no certificate of {name} is shipped (there are: {there or 'none'}); "
            f"./{name} is a file of this name"
        )
    return path


class Certificate:
    """A certificate whose bytes are intact. :meth:`verify` checks whether it proves its claim."""

    def __init__(self, data: bytes, *, path: str | None = None) -> None:
        self.path = path
        try:
            self._info, self._codes = unpack(data)
        except CertificateError as error:
            raise _named(error, path) from None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file."""
        file = Path(path)
        check_regular_file(file)
        with file.open("rb") as stream:
            header = stream.read(HEADER_BYTES)
            try:
                check_header(header, file.stat().st_size)
            except CertificateError as error:
                raise _named(error, str(path)) from None
            return cls(header + stream.read(), path=str(path))

    @property
    def info(self) -> CertificateInfo:
        """The claim, and the size of the proof."""
        return self._info

    def verify(self, progress: Callable[[int], object] = lambda _positions: None) -> None:
        """Check the proof, without any search. Two plies are in memory at a time."""
        try:
            for half, code in zip(self.info.halves, self._codes, strict=True):
                for _ in self._walk(self._half(half, code), half, progress):
                    pass
        except CertificateError as error:
            raise _named(error, self.path) from None

    def check(
        self,
        progress: Callable[[int], object] = lambda _positions: None,
        *,
        prover: Side | None = None,
    ) -> Proof:
        """Check the proof as :meth:`verify` does, and keep all of its positions in memory."""
        try:
            halves = []
            for said, code in zip(self.info.halves, self._codes, strict=True):
                if prover in {None, self.info.prover(upper=said.upper)}:
                    half = self._half(said, code)
                    plies = tuple(self._walk(half, said, progress))
                    halves.append(ProofHalf(half.upper, half.bound, half.least, plies))
        except CertificateError as error:
            raise _named(error, self.path) from None
        return Proof(self.info, tuple(halves))

    def _half(self, said: HalfInfo, code: bytes) -> Half:
        return Half(
            self.info.start, upper=said.upper, bound=said.bound, rules=self.info.rules, code=code
        )

    def _walk(self, half: Half, said: HalfInfo, progress: Callable[[int], object]) -> Iterator[Ply]:
        """Check a half, ply by ply."""
        first = self.info.start.ply
        keys = half.first()
        plies = done = 0
        while keys.size:
            ply = first + plies
            stated = said.plies[plies] if plies < len(said.plies) else 0
            if stated != len(keys):
                raise CertificateDamagedError(
                    f"wrong: ply {ply} has {len(keys):,} positions, but the file states {stated:,}"
                )
            values = half.read(keys, ply=ply)
            yield keys, values
            keys = half.follow(keys, values, ply=ply)
            plies += 1
            done += len(values)
            progress(done)
        if plies != len(said.plies):
            raise CertificateDamagedError(
                f"wrong: the proof ends after {plies} plies, but the file states {len(said.plies)}"
            )
        if not half.is_read():
            raise CertificateDamagedError("wrong: bytes are left after the end of the proof")


def _named(error: CertificateError, path: str | None) -> CertificateError:
    """Put the file's name in front of an error's message."""
    return error if path is None else type(error)(f"{path}: {error}")


Why: TypeAlias = Literal["over", "win", "late", "move", "replies", "rule", "follow", "elsewhere"]
"""The reason in a :class:`Word`.

- ``over``: the game has ended.
- ``win``: the prover wins at once.
- ``late``: the prover can no longer lose early enough to break the bound.
- ``move``: the prover plays the move of the proof.
- ``replies``: every move of the other side is answered in the proof.
- ``rule``: a rule proves the bound.
- ``follow``: a rule has ended the branch earlier, and the prover keeps to that rule.
- ``elsewhere``: the proof does not lead to this position.
"""


@dataclass(frozen=True, slots=True)
class Word:
    """The verdict of one half of a proof on a position."""

    upper: bool
    """Whether this half proves the upper bound."""
    bound: int
    """The bound of the claim, for the side to move at the start."""
    prover: Side
    """The side that proves the bound."""
    why: Why
    columns: tuple[int, ...] = ()
    """The 0-based columns that the prover plays, if it is to move."""
    rule: str | None = None
    """The name of the rule that proves the bound."""


@dataclass(frozen=True, slots=True)
class ProofHalf:
    """The checked proof of one bound."""

    upper: bool
    """Whether the score is at most ``bound``; otherwise it is at least ``bound``."""
    bound: int
    """The bound for the side to move at the start."""
    least: int
    """The score that the proof guarantees to the prover, from the prover's point of view."""
    plies: tuple[Ply, ...]
    """The positions of every ply, from the start on."""

    def value(self, key: int, ply: int) -> int | None:
        """The stored value of a position by its canonical key; None if it is not in the proof.

        ``ply`` counts from the start of the claim.
        """
        if not 0 <= ply < len(self.plies):
            return None
        keys, values = self.plies[ply]
        place = int(np.searchsorted(keys, np.uint64(key)))
        return int(values[place]) if place < len(keys) and int(keys[place]) == key else None


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof of a certificate that was checked."""

    info: CertificateInfo
    """The claim."""
    halves: tuple[ProofHalf, ...]
    """One half for each bound."""

    def ask(self, position: Position) -> tuple[Word, ...]:
        """The verdict of each half on a position."""
        start = self.info.start
        if position.board != start.board:
            raise ClaimError(
                f"the proof is for {start.board}, but the position is on {position.board}"
            )
        if position.ply < start.ply:
            raise ClaimError(
                f"the proof begins with {start.ply} stones, but the position has {position.ply}"
            )
        return tuple(self._ask(half, position) for half in self.halves)

    def _ask(self, half: ProofHalf, position: Position) -> Word:
        start = self.info.start
        prover = self.info.prover(upper=half.upper)
        word = Word(half.upper, half.bound, prover, "elsewhere")
        left = position.board.cells - position.ply
        moves_here = position.turn == prover
        legal = position.legal_columns()
        winning = tuple(column for column in legal if position.is_winning(column))
        if position.is_over:
            return replace(word, why="over")
        if moves_here and winning and (left + 1) // 2 >= half.least:
            return replace(word, why="win", columns=winning)
        if -((left if moves_here else left + 1) // 2) >= half.least:
            return replace(word, why="late", columns=legal if moves_here else ())
        value = half.value(position.canonical_key, position.ply - start.ply)
        if value is not None:
            return _stored(word, position, value, moves_here=moves_here)
        return _followed(word, position, half.least) if self.info.rules else word


def _followed(word: Word, position: Position, least: int) -> Word:
    """The answer for a position outside the proof: a rule may have ended the branch earlier."""
    if position.turn != word.prover:
        return replace(word, why="follow") if lasts(position, least=least) else word
    columns = answers(position, least=least)
    return replace(word, why="follow", columns=columns) if columns else word


def _stored(word: Word, position: Position, value: int, *, moves_here: bool) -> Word:
    """The answer for a position of the proof."""
    if moves_here:
        is_mirrored = position.key != position.canonical_key
        column = position.width - 1 - value if is_mirrored else value
        return replace(word, why="move", columns=(column,))
    if value == REPLIES:
        return replace(word, why="replies")
    return replace(word, why="rule", rule=RULES[value])
