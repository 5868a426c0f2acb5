"""A checked proof that can be asked: what to play in a position, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from c4core.proof.errors import ClaimError
from c4core.proof.following import answers, lasts
from c4core.proof.values import REPLIES, RULES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.proof.format import CertificateInfo
    from c4core.position import Position, Side

    Ply: TypeAlias = tuple[NDArray[np.uint64], NDArray[np.uint8]]
    """The sorted canonical keys of a ply's positions, and what is stored of them."""

Why: TypeAlias = Literal["over", "win", "late", "move", "replies", "rule", "follow", "elsewhere"]
"""What a half of a proof says of a position.

- ``over``: the game has ended.
- ``win``: the prover wins at once.
- ``late``: even if the prover loses, it is too late for the bound to fail.
- ``move``: the prover plays the move of the proof.
- ``replies``: every move of the other side is answered in the proof.
- ``rule``: a rule proves the bound.
- ``follow``: a rule has ended the branch before, and the prover goes on by it.
- ``elsewhere``: the position is not in the proof, which leads to others.
"""


@dataclass(frozen=True, slots=True)
class Word:
    """What one half of a proof says of a position."""

    upper: bool
    """It is the half that proves the upper bound."""
    bound: int
    """Of the claim, for the side to move at the start."""
    prover: Side
    """The side that reaches the bound."""
    why: Why
    columns: tuple[int, ...] = ()
    """What the prover plays, where it is to move; 0-based."""
    rule: str | None = None
    """The name of the rule that proves the bound."""


@dataclass(frozen=True, slots=True)
class ProofHalf:
    """The proof of one bound."""

    upper: bool
    """The score is at most ``bound``, else at least."""
    bound: int
    """For the side to move at the start."""
    least: int
    """What the prover scores at least."""
    plies: tuple[Ply, ...]
    """Its positions."""

    def value(self, key: int, ply: int) -> int | None:
        """What is stored of a position, by its key and the plies since the start, or None."""
        if not 0 <= ply < len(self.plies):
            return None
        keys, values = self.plies[ply]
        place = int(np.searchsorted(keys, np.uint64(key)))
        return int(values[place]) if place < len(keys) and int(keys[place]) == key else None


@dataclass(frozen=True, slots=True)
class Proof:
    """A certificate that was checked."""

    info: CertificateInfo
    """The claim."""
    halves: tuple[ProofHalf, ...]
    """One for each of its bounds."""

    def ask(self, position: Position) -> tuple[Word, ...]:
        """What each half says of a position.

        Raises:
            ClaimError: it is on another board, or has fewer stones than the start.
        """
        start = self.info.start
        if position.board != start.board:
            raise ClaimError(
                f"the proof is for {start.board}, and the position on {position.board}"
            )
        if position.ply < start.ply:
            raise ClaimError(
                f"the proof begins with {start.ply} stones, and the position has {position.ply}"
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
    """The word for a position that is not in the proof: a rule may have ended the branch."""
    if position.turn != word.prover:
        return replace(word, why="follow") if lasts(position, least=least) else word
    columns = answers(position, least=least)
    return replace(word, why="follow", columns=columns) if columns else word


def _stored(word: Word, position: Position, value: int, *, moves_here: bool) -> Word:
    """The word for a position of the proof."""
    if moves_here:
        is_mirrored = position.key != position.canonical_key
        column = position.width - 1 - value if is_mirrored else value
        return replace(word, why="move", columns=(column,))
    if value == REPLIES:
        return replace(word, why="replies")
    return replace(word, why="rule", rule=RULES[value])
