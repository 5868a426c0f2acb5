"""Puzzles: held against a slow search of every position, complete, and the same for a seed."""

from collections.abc import Iterator
from typing import Final

import pytest

from c4core.arena.file_formats import game_of_moves
from c4core.dice import Dice
from c4core.evaluation import score_limits
from c4core.notation import BoardSize
from c4core.position import Position
from c4core.solver import Solver
from db.database import Database
from db.errors import MatchNotFoundError
from tests.support.boards.finished_games import finished_games
from tests.support.boards.matches import game, store_match
from tests.support.boards.reference import ReferenceSolver, columns_of
from workers.answers.service import AnswerService, SearchStop
from workers.match import puzzles
from workers.match.puzzles import (
    MOST_EMPTY,
    Puzzle,
    PuzzleSearch,
    match_games,
    puzzle_object,
    random_games,
)
from workers.match.reviews import moved_from

SMALL: Final = BoardSize(4, 4)
BOARD: Final = BoardSize(7, 6)


@pytest.fixture(scope="module")
def service() -> Iterator[AnswerService]:
    """A service without a database."""
    found = AnswerService(None, threads=1, table_mb=8)
    yield found
    found.close()


def is_puzzle(position: Position, scores: tuple[int | None, ...]) -> bool:
    """Whether a single column keeps a win or a draw, and is not obvious: in other words."""
    known = sorted((score for score in scores if score is not None), reverse=True)
    first, *others = known
    worst, win_at_once = score_limits(position.ply, position.board)
    return (
        position.board.cells // 5 <= position.ply
        and position.board.cells - position.ply <= MOST_EMPTY
        and len(others) >= 2
        and first >= 0
        and first != win_at_once
        and all(score < (first > 0) for score in others)
        and others[0] > worst
    )


def test_all_puzzles_of_games_against_the_slow_solver(service: AnswerService) -> None:
    starts = [Position(moves, board="4x4") for moves in ("22331", "14233", "31142")]
    games = [game for start in starts for game in finished_games(60, board=SMALL, start=start)]
    solver = ReferenceSolver(SMALL.height)
    wanted: dict[int, Position] = {}
    for position in (position for entry in games for position in moved_from(entry)):
        scores = solver.column_scores(columns_of(position))
        if is_puzzle(position, scores):
            wanted.setdefault(position.canonical_key, position)
    assert len(wanted) > 20

    search = PuzzleSearch(service)
    found = list(search.all_of(games))
    assert search.is_complete
    assert {p.position.canonical_key: p.position for p in found} == wanted
    assert {puzzle.keeps for puzzle in found} == {"win", "draw"}
    for puzzle in found:
        scores = solver.column_scores(columns_of(puzzle.position))
        best = max(score for score in scores if score is not None)
        assert scores[puzzle.column] == best
        assert puzzle.keeps == ("win" if best > 0 else "draw")


def test_puzzles_of_random_play_on_the_usual_board(service: AnswerService) -> None:
    found = list(PuzzleSearch(service).random(BOARD, seed=3, count=6))
    solver = Solver(table_mb=8)
    assert len({puzzle.position.canonical_key for puzzle in found}) == len(found) == 6
    for puzzle in found:
        position = puzzle.position
        assert is_puzzle(position, solver.analyze(position).scores)
        assert puzzle.line[0] == puzzle.column
        for column in puzzle.line:
            position = position.play(column)
        assert position.is_over
        assert position.winner == (puzzle.position.turn if puzzle.keeps == "win" else None)


def test_the_seed_decides_and_known_scores_change_nothing(
    service: AnswerService, sqlite: Database
) -> None:
    def shown(search: PuzzleSearch, seed: int) -> list[dict[str, object]]:
        return [puzzle_object(found) for found in search.random(BOARD, seed=seed, count=3)]

    first = shown(PuzzleSearch(service), 5)
    assert shown(PuzzleSearch(service), 6) != first
    for _ in range(2):  # the second time, all scores are stored
        stored = AnswerService(sqlite, threads=2, table_mb=8)
        assert shown(PuzzleSearch(stored), 5) == first
        stored.close()


def test_the_search_ends(service: AnswerService) -> None:
    """A budget, a stop, or a board without puzzles ends it."""
    search = PuzzleSearch(service, budget=0)
    assert (list(search.random(BOARD, seed=1, count=1)), search.is_complete) == ([], False)
    stop = SearchStop()
    search = PuzzleSearch(service, stop=stop)
    found = search.random(SMALL, seed=1, count=50)
    assert isinstance(next(found), Puzzle)
    stop.set()
    assert (list(found), search.is_complete) == ([], False)
    search = PuzzleSearch(service, stop=stop)
    assert (list(search.random(BOARD, seed=1, count=1)), search.is_complete) == ([], False)
    search = PuzzleSearch(service)
    assert (list(search.random(BoardSize(3, 3), seed=1, count=5)), search.is_complete) == ([], True)


def test_every_game_once_from_a_random_one(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzles, "GAMES_AT_A_TIME", 3)
    stored = [game(number) for number in range(8)]
    stored[5] = game(5, moves=None)
    match = store_match(sqlite, stored)
    store_match(sqlite, [game(0)])
    wanted = [0, 1, 2, 3, 4, 6, 7]
    assert [entry.number for entry in match_games(sqlite, match)] == wanted
    firsts = set()
    for seed in range(100):
        numbers = [entry.number for entry in match_games(sqlite, match, seed=seed)]
        assert sorted(number for number in numbers if number is not None) == wanted
        firsts.add(numbers[0])
    assert firsts == set(wanted)
    with pytest.raises(MatchNotFoundError):
        list(match_games(sqlite, match + 2))


def test_a_puzzle_has_the_place_of_its_game_and_no_mirror_image(
    service: AnswerService, sqlite: Database
) -> None:
    entry = next(random_games(BOARD, Dice(4)))
    fields = {"moves": entry.moves, "final_key": entry.final.key, "length": entry.final.ply}
    result = {"winner": entry.winner, "ending": str(entry.ending)}
    match = store_match(sqlite, [game(0), game(1, **fields, **result)])
    search = PuzzleSearch(service)
    found = list(search.all_of(match_games(sqlite, match)))
    assert {(puzzle.match, puzzle.number) for puzzle in found} == {(match, 1)}
    mirrored = "".join(str(8 - int(column)) for column in str(entry.moves))
    assert not list(search.all_of([game_of_moves(mirrored, BOARD)]))
