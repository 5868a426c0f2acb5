"""Reviews of games: the score of every move, the accuracy of both sides, and the turning points.

A game need not be stored or finished. For a single game, known scores are looked up together. The
others are searched from the end of the game to its beginning: late positions take microseconds, and
early positions may exhaust the time budget. Moves that are not judged by then are left open.

For many games, a job of kind ``analyze`` searches each position once for all games, and stores its
scores. So a repeated review costs a few lookups, and an interrupted review is resumed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from c4core.arena.game import Ending
from c4core.arena.judging import best_share, judge_move, positions_of, result_accuracy
from c4core.arrays import key_array
from c4core.evaluation import plies_to_end
from c4core.notation import parse_moves
from c4core.pictures.games import review_picture
from c4core.pictures.svg import svg_text
from c4core.reasons import explain
from db import games
from workers.analyze.job import find_or_submit_unknown
from workers.answers.find import known_scores, look_up, unknown_keys
from workers.answers.question import usable_book
from workers.core.submit import topic_of
from workers.match.files import entry_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Sequence

    from c4core.arena.files import GameEntry
    from c4core.arena.judging import JudgedMove
    from c4core.notation import BoardSize
    from c4core.pictures import Picture
    from c4core.position import Position, Side
    from c4core.reasons import Reason
    from db.database import Database
    from db.records.evaluations import StoredEvaluation
    from workers.analyze.job import Submission
    from workers.answers.service import AnswerService


SIDES: Final[tuple[Side, Side]] = ("x", "o")
_COLOURS: Final[dict[Side, str]] = {"x": "red", "o": "yellow"}


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """A move of a game, with its judgement."""

    ply: int
    """Number of stones on the board before the move."""
    side: Side
    column: int
    """The 0-based column."""
    judged: JudgedMove | None
    """The judgement; None if there was no time to find it."""
    reason: Reason | None = None
    """Why a move marked ``??`` loses, or why one marked ``!`` is good, if that is short."""
    better: Reason | None = None
    """Why a best column is better than a move marked ``??``, if that is short."""


@dataclass(frozen=True, slots=True)
class Review:
    """A game with its moves judged."""

    game: GameEntry
    moves: tuple[ReviewedMove, ...]
    """All moves, in order; empty if only the final grid is known."""
    nodes: int
    """Number of positions searched for this review."""
    seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether all moves are known and judged."""
        return self.game.moves is not None and all(move.judged for move in self.moves)

    @property
    def not_judged(self) -> int:
        """The number of moves that are not judged. No figure counts them."""
        return sum(move.judged is None for move in self.moves)

    @property
    def turning_points(self) -> tuple[int, ...]:
        """The number of stones on the board before each move that changed the result."""
        return tuple(m.ply for m in self.moves if m.judged is not None and m.judged.is_blunder)

    def accuracy(self, side: Side) -> float | None:
        """The percentage of the result that a side kept, over its judged moves.

        None if it never had a choice; see :func:`c4core.arena.judging.result_accuracy`.
        """
        return result_accuracy(self.judged_of(side))

    def best_share(self, side: Side) -> float | None:
        """The percentage of best moves among a side's judged moves.

        None if it never had a choice; see :func:`c4core.arena.judging.best_share`.
        """
        return best_share(self.judged_of(side))

    def judged_of(self, side: Side) -> list[JudgedMove]:
        """The judged moves of a side, in order."""
        return [move.judged for move in self.moves if move.judged and move.side == side]

    def picture(self) -> Picture:
        """A picture of the score by move, and of the board at each turning point."""
        columns = [move.column for move in self.moves]
        judged = [move.judged for move in self.moves]
        game = self.game
        measures = {"results kept": self.accuracy, "best moves": self.best_share}
        shares = [
            f"{name}: {', '.join(f'{_COLOURS[side]} {percent(share(side))}' for side in SIDES)}"
            for name, share in measures.items()
        ]
        if self.not_judged:
            shares.append(f"{self.not_judged} of {len(self.moves)} moves not judged")
        return review_picture(
            game.start,
            columns,
            judged,
            title=_title(game),
            subtitle="; ".join((_outcome(game), *shares)),
        )

    def _repr_svg_(self) -> str:
        return svg_text(self.picture())


@dataclass(slots=True)
class PlayerTotals:
    """The results and judged moves of a player in all its games, on either side."""

    games: int = 0
    """All games, unfinished ones included."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    decisions: int = 0
    """Moves in positions where a column would have changed the result."""
    blunders: int = 0
    """Moves that changed the result."""
    choices: int = 0
    """Moves in positions where a column was worse than the best one."""
    not_best: int = 0
    """Moves that were not the best."""

    def add(self, review: Review, side: Side) -> None:
        """Add a game in which the player had this side."""
        game, moves = review.game, review.judged_of(side)
        self.games += 1
        self.won += game.winner == side
        self.lost += game.winner not in (None, side)
        self.drawn += game.winner is None and game.ending != Ending.UNFINISHED
        self.decisions += sum(move.is_decision for move in moves)
        self.blunders += sum(move.is_blunder for move in moves)
        self.choices += sum(move.is_choice for move in moves)
        self.not_best += sum(not move.is_best for move in moves)

    @property
    def accuracy(self) -> float | None:
        """The percentage of the result kept in all games; see :meth:`Review.accuracy`."""
        return _kept(self.blunders, self.decisions)

    @property
    def best_share(self) -> float | None:
        """The percentage of best moves in all games; see :meth:`Review.best_share`."""
        return _kept(self.not_best, self.choices)


def _kept(mistakes: int, moves: int) -> float | None:
    return 100 * (moves - mistakes) / moves if moves else None


def add_totals(totals: dict[str, PlayerTotals], review: Review) -> None:
    """Add a game to the totals of both players. A nameless player is called by its side."""
    for side, name in zip(SIDES, (review.game.first, review.game.second), strict=True):
        totals.setdefault(name or side, PlayerTotals()).add(review, side)


def moved_from(game: GameEntry) -> list[Position]:
    """The positions of a game in which moves were made; empty if its moves are not known."""
    return positions_of(game.start, parse_moves(game.moves or "", width=game.board.width))


def reviewed_moves(
    game: GameEntry, positions: Sequence[Position], scores: Sequence[Sequence[int | None] | None]
) -> tuple[ReviewedMove, ...]:
    """The moves of a game, judged if their scores are known.

    ``scores`` has the scores of all columns of each position, for the side to move; None if
    unknown.
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
        "not_judged": review.not_judged,
        "accuracy": {side: review.accuracy(side) for side in SIDES},
        "best_moves": {side: review.best_share(side) for side in SIDES},
        "moves_judged": [move_object(move, game.board) for move in review.moves],
        "turning_points": list(review.turning_points),
        "nodes": review.nodes,
        "seconds": round(review.seconds, 6),
    }


def move_object(move: ReviewedMove, board: BoardSize) -> dict[str, Any]:
    """A move as a JSON object; unknown values are null, empty or false."""
    shown: dict[str, Any] = {"ply": move.ply, "side": move.side, "column": move.column + 1}
    judged = move.judged
    if judged is None:
        unknown = ("before", "after", "loss", "plies_before", "plies_after")
        return {
            **shown,
            **dict.fromkeys(unknown),
            "best": [],
            "keeps": [],
            "mark": "",
            "changes_result": False,
            "missed_win": False,
            "reason": None,
            "better": None,
        }
    return {
        **shown,
        "before": judged.best,
        "after": judged.played,
        "loss": judged.loss,
        "plies_before": plies_to_end(judged.best, move.ply, board),
        "plies_after": plies_to_end(judged.played, move.ply, board) - 1,
        "best": [column + 1 for column in judged.best_columns],
        "keeps": [column + 1 for column in judged.keeping_columns],
        "mark": judged.mark,
        "changes_result": judged.is_blunder,
        "missed_win": judged.is_missed_win,
        "reason": None if move.reason is None else move.reason.to_dict(),
        "better": None if move.better is None else move.better.to_dict(),
    }


def review_rows(reviews: Iterable[Review]) -> Iterator[dict[str, int | str | bool | None]]:
    """Yield one flat row for each move of some games, such as the rows of a table.

    ``game`` and ``move`` count from 1. ``best`` has the best columns, separated by blanks. All
    rows have the same fields, with None for an unknown score.
    """
    for index, review in enumerate(reviews, start=1):
        game = review.game
        place = {
            "game": index,
            "match": game.match,
            "number": game.number,
            "board": str(game.board),
            "first": game.first,
            "second": game.second,
            "winner": game.winner,
            "ending": str(game.ending),
        }
        for move in review.moves:
            fields = move_object(move, game.board)
            texts = {
                "best": " ".join(map(str, fields["best"])) or None,
                "keeps": " ".join(map(str, fields["keeps"])) or None,
                "reason": None if move.reason is None else move.reason.text,
                "better": None if move.better is None else move.better.text,
            }
            yield {**place, "move": move.ply + 1, **fields, **texts}


def percent(share: float | None) -> str:
    """A percentage for users; a dash for None."""
    return "-" if share is None else f"{share:.0f} %"


def _title(game: GameEntry) -> str:
    if game.first is None and game.second is None:
        return game.moves or "a game without moves"
    return f"{game.first or '?'} against {game.second or '?'}"


def _outcome(game: GameEntry) -> str:
    if game.winner is not None:
        return f"{_COLOURS[game.winner]} has won"
    return "no result" if game.ending == Ending.UNFINISHED else "a draw"


BUDGET: Final = 10.0
"""Default time budget of a review, in seconds."""

LINE_SECONDS: Final = 1.0
"""Time limit of the search for best play after a mistake, or after the move that was better."""

FindLine = Callable[["Position"], "Sequence[int] | None"]
"""Finds best play from a position, as 0-based columns; None if it takes too long."""


def _explained(move: ReviewedMove, position: Position, find_line: FindLine) -> ReviewedMove:
    judged = move.judged
    if judged is None or judged.mark not in {"??", "!"}:
        return move

    def reason(column: int, score: int) -> Reason | None:
        found = explain(position, column, score)
        if found is not None or not score or judged.mark != "??":
            return found
        return explain(position, column, score, find_line(position.play(column)) or ())

    if judged.mark == "!":
        return replace(move, reason=reason(move.column, judged.played))
    options = (reason(column, judged.best) for column in judged.best_columns)
    better = min(filter(None, options), key=lambda found: len(found.moves), default=None)
    return replace(move, reason=reason(move.column, judged.played), better=better)


def review_game(
    game: GameEntry,
    service: AnswerService,
    *,
    budget: float | None = BUDGET,
    stop: threading.Event | None = None,
) -> Review:
    """Judge every move of a game, from a file, the database or :func:`game_of_moves`.

    ``budget`` is the time for searches in seconds; 0 for known scores only, None for no limit. A
    stop ends the searches; the moves judged by then are returned. The remaining time is for the
    reasons of moves.
    """
    began = time.monotonic()
    positions = moved_from(game)
    answers = service.answer_within(positions, budget, stop)
    moves = reviewed_moves(game, positions, [answer.scores for answer in answers])
    nodes = sum(answer.nodes for answer in answers)

    def find_line(position: Position) -> Sequence[int] | None:
        left = LINE_SECONDS
        if budget is not None:
            left = min(left, began + budget - time.monotonic())
        return service.find_line(position, time_limit=left, stop=stop)

    explained = tuple(map(partial(_explained, find_line=find_line), moves, positions))
    return Review(game, explained, nodes, time.monotonic() - began)


def read_game(database: Database, match_id: int, number: int) -> GameEntry:
    """Read a stored game."""
    with database.read() as session:
        terms = games.get_terms(session, match_id)
        stored = games.find_game(session, match_id, number)
    return entry_of(stored, terms)


GAMES_AT_A_TIME: Final = 200
"""Number of games whose positions are looked up together."""


def plan_reviews(
    database: Database, games: Iterable[GameEntry], *, label: str | None = None
) -> list[Submission]:
    """Find and resume, or create, one scoring job for each board that has unknown positions."""
    boards: dict[BoardSize, set[int]] = {}
    for game in games:
        keys = boards.setdefault(game.board, set())
        keys.update(position.canonical_key for position in moved_from(game))
    planned = []
    for board, keys in boards.items():
        asked = key_array(sorted(keys), board)
        unknown = unknown_keys(database, board, asked)
        if not len(unknown):
            continue
        # All positions identify the job, not only the unknown ones, so it is found again after it
        # has solved some of them.
        topic = topic_of("reviews", asked)
        planned.append(
            find_or_submit_unknown(database, unknown, board=board, topic=topic, label=label)
        )
    return planned


def reviews_of(
    database: Database, games: Iterable[GameEntry], service: AnswerService | None = None
) -> Iterator[Review]:
    """Review games with stored scores and the book, in order and in constant memory.

    Moves with unknown scores are not judged. Moves have reasons only if there is a service, which
    searches best play after mistakes.
    """
    remaining = iter(games)
    while batch := list(islice(remaining, GAMES_AT_A_TIME)):
        played = [moved_from(game) for game in batch]
        known = _look_up(database, played)
        for game, positions in zip(batch, played, strict=True):
            book = usable_book(game.board)
            stored = known.get(game.board, {})
            scores = [known_scores(position, stored, book) for position in positions]
            moves = reviewed_moves(game, positions, scores)
            if service is not None:
                find_line = partial(service.find_line, time_limit=LINE_SECONDS)
                moves = tuple(map(partial(_explained, find_line=find_line), moves, positions))
            yield Review(game, moves, 0, 0.0)


def _look_up(
    database: Database, played: Sequence[Sequence[Position]]
) -> dict[BoardSize, dict[int, StoredEvaluation]]:
    boards: dict[BoardSize, list[Position]] = {}
    for positions in played:
        if positions:
            boards.setdefault(positions[0].board, []).extend(positions)
    return {board: look_up(database, positions) for board, positions in boards.items()}
