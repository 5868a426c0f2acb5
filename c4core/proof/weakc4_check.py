"""Whether a solution wins against every reply."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.proof.errors import ClaimError
from c4core.notation import format_moves
from c4core.proof.weakc4_errors import HoleError
from c4core.proof.weakc4_following import ENDS, follow
from c4core.proof.weakc4_known_moves import KnownMoves

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.position import Position
    from c4core.proof.weakc4 import Solution

NO_ENTRY: Final = "there is no entry for the position, and no win in one move"


@dataclass(frozen=True, slots=True)
class Checked:
    """A solution that wins against every reply."""

    start: Position
    """The side to move here wins."""
    moves: KnownMoves
    """What it plays."""
    positions: int
    """Where it plays a move that does not win at once; of two mirror images one."""
    entries: int
    """Entries that are met."""
    unused_entries: tuple[Position, ...]
    """The positions of those that are not."""
    diagrams: int
    """Diagrams that take over somewhere."""
    unused_diagrams: tuple[int, ...]
    """The numbers of those that do not."""


def check(
    solution: Solution,
    start: Position,
    *,
    progress: Callable[[int], object] = lambda _positions: None,
) -> Checked:
    """Play a solution against every reply.

    The side to move at the start wins at once where it can. Otherwise the entry of the position, or
    of its mirror image, says what it plays, or which diagram it follows from there to the end of
    the game, whatever entries there are for later positions.

    Args:
        solution: the claim.
        start: where it begins; the game goes on.
        progress: is called now and then with the number of positions met so far.

    Raises:
        ClaimError: the start is on another board, or the game is over there.
        HoleError: a reply leads to no win.
        TooLargeError: it leads to too many positions.
    """
    if start.board != solution.board:
        raise ClaimError(f"the solution is for {solution.board}, and the start on {start.board}")
    if start.is_over:
        raise ClaimError("the game is over at the start: there is nothing to win")
    walk = _Walk(solution, progress)
    queue: deque[tuple[Position, tuple[int, ...]]] = deque([(start, ())])
    seen = {start.canonical_key}
    while queue:
        position, line = queue.popleft()
        try:
            replied = walk.answered(position)
        except HoleError as error:
            moves = line + error.moves
            text = (start.moves or "") + format_moves(moves)
            raise HoleError(f"no win: after {text or 'no move'}: {error}", moves=moves) from None
        for columns, after in replied:
            if after.canonical_key not in seen:
                seen.add(after.canonical_key)
                queue.append((after, line + columns))
    return walk.result(start)


class _Walk:
    """The way through the entries, and on through the diagrams."""

    def __init__(self, solution: Solution, progress: Callable[[int], object]) -> None:
        self._solution = solution
        self._progress = progress
        self._moves = KnownMoves(solution.board)
        self._met = 0
        self._entries: set[int] = set()
        self._diagrams: set[int] = set()

    def answered(self, position: Position) -> list[tuple[tuple[int, int], Position]]:
        """The move and each reply, with the position after them; none where a diagram goes on."""
        if any(position.is_winning(column) for column in position.legal_columns()):
            return []
        found = self._solution.find(position)
        if found is None:
            raise HoleError(NO_ENTRY, moves=())
        entry, is_mirrored = found
        self._entries.add(position.canonical_key)
        self._tell(1)
        if entry.is_diagram:
            self._diagrams.add(entry.number)
            diagram = self._solution.diagram(entry.number, is_mirrored=is_mirrored)
            follow(position, diagram, self._moves, self._tell)
            return []
        column = position.width - 1 - entry.number if is_mirrored else entry.number
        self._moves.add(
            position.ply,
            np.array([position.key], dtype=np.uint64),
            np.array([column], dtype=np.uint8),
        )
        return _replied(position, column)

    def _tell(self, positions: int) -> None:
        self._met += positions
        self._progress(self._met)

    def result(self, start: Position) -> Checked:
        """What was found, once all positions are answered."""
        solution = self._solution
        return Checked(
            start=start,
            moves=self._moves,
            positions=self._moves.count(),
            entries=len(self._entries),
            unused_entries=tuple(
                entry.position
                for key, entry in solution.entries.items()
                if key not in self._entries
            ),
            diagrams=len(self._diagrams),
            unused_diagrams=tuple(
                number for number in range(len(solution.diagrams)) if number not in self._diagrams
            ),
        )


def _replied(position: Position, column: int) -> list[tuple[tuple[int, int], Position]]:
    """Every reply to a move that does not win.

    Raises:
        HoleError: the game ends.
    """
    after = position.play(column)
    if after.is_over:
        raise HoleError(ENDS[2], moves=(column,))
    replied = [((column, reply), after.play(reply)) for reply in after.legal_columns()]
    for columns, each in replied:
        if each.is_over:
            raise HoleError(ENDS[2 if each.winner is None else 1], moves=columns)
    return replied
