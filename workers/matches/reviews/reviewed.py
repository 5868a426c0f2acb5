"""A reviewed game: every move with its worth, how accurate both sides were, and the turning points.

:mod:`workers.matches.reviews.game` reviews one game, and :mod:`workers.matches.reviews.many` many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from c4core.arena.game import Ending
from c4core.arena.judging import best_share, judge_move, positions_of, result_accuracy
from c4core.evaluation import plies_to_end
from c4core.notation import parse_moves
from c4core.pictures.games import review_picture
from c4core.pictures.svg import svg_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.arena.files import GameEntry
    from c4core.arena.judging import JudgedMove
    from c4core.notation import BoardSize
    from c4core.pictures import Picture
    from c4core.position import Position, Side

SIDES: Final[tuple[Side, Side]] = ("x", "o")
_COLOURS: Final[dict[Side, str]] = {"x": "red", "o": "yellow"}


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of a game, and what is known of its worth."""

    ply: int
    """Stones on the board before it."""
    side: Side
    """Who moved."""
    column: int
    """Where, 0-based."""
    judged: JudgedMove | None
    """What it was worth; None where there was no time to find it out."""


@dataclass(frozen=True, slots=True)
class Review:
    """A game with its moves judged."""

    game: GameEntry
    """The game."""
    moves: tuple[ReviewedMove, ...]
    """All moves, in order; empty where only the final grid is known."""
    nodes: int
    """Positions searched for this review."""
    seconds: float
    """Seconds it took."""

    @property
    def is_complete(self) -> bool:
        """Whether all moves are known and judged."""
        return self.game.moves is not None and all(move.judged for move in self.moves)

    @property
    def turning_points(self) -> tuple[int, ...]:
        """Stones on the board before each move that changed the result."""
        return tuple(m.ply for m in self.moves if m.judged is not None and m.judged.is_blunder)

    def accuracy(self, side: Side) -> float | None:
        """How well a side kept the result, in percent, as far as its moves are judged.

        None where it never had a choice; see :func:`c4core.arena.judging.result_accuracy`.
        """
        return result_accuracy(self.judged_of(side))

    def best_share(self, side: Side) -> float | None:
        """How many of a side's moves were best, in percent, as far as its moves are judged.

        None where it never had a choice; see :func:`c4core.arena.judging.best_share`.
        """
        return best_share(self.judged_of(side))

    def judged_of(self, side: Side) -> list[JudgedMove]:
        """The judged moves of a side, in order."""
        return [move.judged for move in self.moves if move.judged and move.side == side]

    def picture(self) -> Picture:
        """The score by move, and the board at each turning point."""
        columns = [move.column for move in self.moves]
        judged = [move.judged for move in self.moves]
        game = self.game
        kept = [f"{_COLOURS[side]} {percent(self.accuracy(side))}" for side in SIDES]
        return review_picture(
            game.start,
            columns,
            judged,
            title=_title(game),
            subtitle=f"{_outcome(game)}; results kept: {', '.join(kept)}",
        )

    def _repr_svg_(self) -> str:
        """The picture: notebooks show it."""
        return svg_text(self.picture())


def moved_from(game: GameEntry) -> list[Position]:
    """The positions of a game in which moves were made; none where its moves are not known."""
    return positions_of(game.start, parse_moves(game.moves or "", width=game.board.width))


def reviewed_moves(
    game: GameEntry, positions: Sequence[Position], scores: Sequence[Sequence[int | None] | None]
) -> tuple[ReviewedMove, ...]:
    """The moves of a game, judged where scores are known.

    Args:
        game: the game.
        positions: from :func:`moved_from`.
        scores: of all columns of each of them, for the side to move; None where not known.
    """
    columns = parse_moves(game.moves or "", width=game.board.width)
    return tuple(
        ReviewedMove(position.ply, position.turn, column, judge_move(position, column, known))
        for position, column, known in zip(positions, columns, scores, strict=True)
    )


def review_object(review: Review) -> dict[str, Any]:
    """A review as a JSON object. Columns count from 1; scores are for the side that moved."""
    game = review.game
    place = {} if game.match is None else {"match": game.match, "number": game.number}
    return {
        **place,
        "board": str(game.board),
        "start": str(game.start) if game.start.ply else None,
        "moves": game.moves,
        "first": game.first,
        "second": game.second,
        "winner": game.winner,
        "ending": str(game.ending),
        "complete": review.is_complete,
        "accuracy": {side: review.accuracy(side) for side in SIDES},
        "best_moves": {side: review.best_share(side) for side in SIDES},
        "moves_judged": [move_object(move, game.board) for move in review.moves],
        "turning_points": list(review.turning_points),
        "nodes": review.nodes,
        "seconds": round(review.seconds, 6),
    }


def move_object(move: ReviewedMove, board: BoardSize) -> dict[str, Any]:
    """A move as a JSON object; what is not known is None, empty, or no change."""
    shown: dict[str, Any] = {"ply": move.ply, "side": move.side, "column": move.column + 1}
    judged = move.judged
    if judged is None:
        unknown = ("before", "after", "loss", "plies_before", "plies_after")
        return {
            **shown,
            **dict.fromkeys(unknown),
            "best": [],
            "mark": "",
            "changes_result": False,
        }
    return {
        **shown,
        "before": judged.best,
        "after": judged.played,
        "loss": judged.loss,
        "plies_before": plies_to_end(judged.best, move.ply, *board),
        "plies_after": plies_to_end(judged.played, move.ply, *board) - 1,
        "best": [column + 1 for column in judged.best_columns],
        "mark": judged.mark,
        "changes_result": judged.is_blunder,
    }


def percent(share: float | None) -> str:
    """A share for people; a dash where there is none."""
    return "-" if share is None else f"{share:.0f} %"


def _title(game: GameEntry) -> str:
    if game.first is None and game.second is None:
        return game.moves or "a game without moves"
    return f"{game.first or '?'} against {game.second or '?'}"


def _outcome(game: GameEntry) -> str:
    if game.winner is not None:
        return f"{_COLOURS[game.winner]} has won"
    return "no result" if game.ending == Ending.UNFINISHED else "a draw"
