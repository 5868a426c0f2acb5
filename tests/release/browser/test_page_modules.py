"""The page's pure modules compared with the library: rules, notation, grids, and addresses."""

import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from c4core import Position
from c4core.errors import BoardError, GridError, MoveError
from c4core.notation import LABELS, BoardSize, check_board, column_label
from tests.support.boards.finished_games import finished_games
from tests.support.browser import Browser, ask_module
from web.files import VIEWS

BOARDS: Final = [BoardSize(*size) for size in ((7, 6), (5, 4), (8, 7), (12, 4), (3, 19), (16, 3))]
GAMES: Final = 30
"""Number of random games on each board."""

PLAY: Final = """
const {Position, playLine} = module;
return given.map(({width, height, moves}) => {
    const {positions, error} = playLine(Position.empty({width, height}), moves);
    return {error, positions: positions.map((position) => ({
        grid: position.gridText(),
        side: position.side,
        winner: position.winner,
        over: position.isOver,
        playable: position.columns.map((_, n) => n + 1).filter((n) => position.isPlayable(n)),
        winning: position.winning.map(String).sort(),
        threats: Object.fromEntries(Object.entries(position.threats()).map(
            ([side, cells]) => [side, cells.map(String).sort()])),
    }))};
});
"""


@pytest.fixture
def modules(browser: Browser) -> Browser:
    """A browser with the page's modules."""
    browser.open("/")
    return browser


def moves_of_games(count: int, board: BoardSize, *, seed: int) -> list[str]:
    """The moves of finished random games."""
    return [game.moves or "" for game in finished_games(count, seed=seed, board=board)]


def as_game(moves: str, board: BoardSize) -> dict[str, object]:
    """A game in the form that the modules expect."""
    return {"width": board.width, "height": board.height, "moves": moves}


def refusal(call: Callable[..., object], *arguments: object, **named: object) -> Any:  # noqa: ANN401
    """The error by which the library refuses something, or None."""
    try:
        call(*arguments, **named)
    except (BoardError, GridError, MoveError) as error:
        return error
    return None


def cells(squares: Any) -> list[str]:  # noqa: ANN401 (squares of several kinds)
    """Squares counted from 0, in the form that the modules write."""
    return sorted(f"{column + 1},{row + 1}" for column, row in squares)


def described(position: Position) -> dict[str, object]:
    """The library's description of a position, in the modules' words."""
    threats = {} if position.winner is not None else position.threats()
    return {
        "grid": str(position).replace("\n", "/"),
        "side": position.turn,
        "winner": position.winner,
        "over": position.is_over,
        "playable": [column + 1 for column in position.legal_columns()],
        "winning": cells(position.winning_squares()),
        "threats": {side: cells(threats.get(side, ())) for side in ("x", "o")},
    }


class TestRules:
    @pytest.mark.parametrize("board", BOARDS, ids=str)
    def test_every_position_of_random_games(self, modules: Browser, board: BoardSize) -> None:
        games = moves_of_games(GAMES, board, seed=3)
        asked = [as_game(moves, board) for moves in games]
        found = ask_module(modules, "game/position.js", PLAY, asked)
        for moves, answer in zip(games, found, strict=True):
            assert answer["error"] is None
            position, expected = Position(board=board), []
            for label in ("", *moves):
                position = position.play(LABELS.index(label) - 1) if label else position
                expected.append(described(position))
            assert answer["positions"] == expected

    def test_illegal_moves_are_found_at_the_same_place(self, modules: Browser) -> None:
        chance = random.Random(5)
        lines = [
            ("".join(chance.choices("1234567890x*", (9,) * 7 + (1,) * 5, k=30)), BOARDS[0])
            for _ in range(150)
        ] + [("".join(chance.choices("123456", k=30)), BOARDS[1]) for _ in range(50)]
        found = ask_module(modules, "game/position.js", PLAY, [as_game(*line) for line in lines])
        ends = [len(answer["positions"]) - 1 if answer["error"] else None for answer in found]
        errors = [refusal(Position, moves, board=size) for moves, size in lines]
        assert ends == [error and error.index for error in errors]
        assert len(set(ends)) > 10


class TestNotation:
    def test_labels_of_columns(self, modules: Browser) -> None:
        script = """
            const {columnLabel, columnNumber} = module;
            return given.map((n) => [columnLabel(n), columnNumber(columnLabel(n))]);
        """
        numbers = list(range(1, len(LABELS)))
        expected = [[column_label(number - 1), number] for number in numbers]
        assert ask_module(modules, "game/position.js", script, numbers) == expected

    def test_supported_boards_agree(self, modules: Browser) -> None:
        script = """
            const {boardProblem, boardText, parseBoard} = module;
            return given.map(([width, height]) => {
                const read = parseBoard(boardText({width, height}));
                const isGood = boardProblem({width, height}) === null;
                return [isGood, read?.width ?? 0, read?.height ?? 0];
            });
        """
        sizes = [(width, height) for width in range(40) for height in range(24)]
        found = ask_module(modules, "game/position.js", script, sizes)
        good = [refusal(check_board, *size) is None for size in sizes]
        assert found == [
            [True, *size] if playable else [False, 0, 0]
            for size, playable in zip(sizes, good, strict=True)
        ]


class TestGrids:
    SCRIPT: Final = """
        const {GridError, lineTo, parseGrid} = module;
        return given.map((text) => {
            try {
                const position = parseGrid(text);
                return {grid: position.gridText(), line: lineTo(position)};
            } catch (error) {
                if (!(error instanceof GridError)) throw error;
                return null;
            }
        });
    """

    @pytest.mark.parametrize("board", BOARDS, ids=str)
    def test_a_grid_is_read_and_moves_lead_to_it(self, modules: Browser, board: BoardSize) -> None:
        chance = random.Random(9)
        positions = [
            Position(moves[: chance.randint(0, 24)], board=board)
            for moves in moves_of_games(GAMES, board, seed=4)
        ]
        found = ask_module(modules, "game/grids.js", self.SCRIPT, [str(one) for one in positions])
        for position, answer in zip(positions, found, strict=True):
            assert answer["grid"] == str(position).replace("\n", "/")
            assert Position(answer["line"], board=board) == position

    def test_bad_grids_are_refused_like_in_the_library(self, modules: Browser) -> None:
        chance = random.Random(2)
        grids = []
        for moves in moves_of_games(200, BoardSize(5, 4), seed=6):
            text = list(str(Position(moves[:12], board="5x4")))
            for place in chance.sample(range(len(text)), 2):
                text[place] = chance.choice("xo.") if text[place] != "\n" else "\n"
            grids.append("".join(text))
        found = ask_module(modules, "game/grids.js", self.SCRIPT, grids)
        refused = [answer is None for answer in found]
        assert refused == [refusal(Position.from_grid, grid) is not None for grid in grids]
        assert 20 < sum(refused) < 180


class TestAddresses:
    def test_a_state_is_in_its_address(self, modules: Browser) -> None:
        script = """
            const {addressOf, stateOf} = module;
            return given.map((state) => stateOf(new URL(addressOf(state), "http://c4.example")));
        """
        chance = random.Random(8)
        states = [random_state(chance) for _ in range(400)]
        assert ask_module(modules, "game/session.js", script, states) == states

    def test_a_bad_address_shows_the_empty_board(self, modules: Browser) -> None:
        script = """
            const {initialState, stateOf} = module;
            const plain = JSON.stringify(initialState());
            return given.filter(
                (query) => JSON.stringify(stateOf(new URL(query, "http://c4.example"))) !== plain);
        """
        nonsense = ["/?board=99x99", "/?board=7", "/?match=1", "/?match=x&number=0", "/?view=no"]
        nonsense += ["/?flip=2", "/other"]
        assert ask_module(modules, "game/session.js", script, nonsense) == []

    def test_the_server_answers_the_address_of_every_view(self, modules: Browser) -> None:
        script = """
            const paths = Object.values(module.VIEWS).map(({address}) => address.split("?")[0]);
            return [...new Set(paths)];
        """
        assert ask_module(modules, "views.js", script, None) == list(VIEWS)


def random_state(chance: random.Random) -> dict[str, object]:
    """A random state of the board, of any kind."""
    board = chance.choice(BOARDS)
    labels = LABELS[1 : board.width + 1]
    line = "".join(chance.choices(labels, k=chance.randint(0, 9)))
    longer = line + "".join(chance.choices(labels, k=chance.randint(0, 3)))
    stored = {"match": chance.randint(1, 99), "number": chance.randint(0, 99)}
    grid = "/".join(["." * board.width] * board.height)
    return {
        "view": chance.choice(["analysis", "play"]),
        "board": {"width": board.width, "height": board.height},
        "grid": chance.choice([None, grid]),
        "line": line,
        "shown": chance.randint(0, len(line)),
        "flipped": chance.choice([False, True]),
        "review": chance.choice([None, line, longer, line[:2], ""]),
        "stored": chance.choice([None, stored]),
    }
