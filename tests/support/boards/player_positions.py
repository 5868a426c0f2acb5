"""Named positions from the players' sources, players' choices, and slow heuristics."""

from collections import Counter
from collections.abc import Callable, Iterator

from c4core import Position
from c4core.dice import Dice
from c4core.players import parse_player
from tests.support.boards.reference import DIRECTIONS

GRIDS = {
    "P1": "......./......./......./......./......B/RR.R.BB",
    "P2": "......./......./......./......./......./RRRB.BB",
    "P3": "......./......./......./......./BBB...R/RBR...R",
    "P4": "......./......./......./......./R....../R..B..B",
    "P5": "......./...B.../...R.../..RB.../..BB.../R.BR..R",
    "P6": "......./......./......./......./......B/..RR..B",
    "E1": "R.RYY../R.YRRR./Y.RYYY./RRYRRY./YYRYYR./RYYRRRY",
    "E4": "RYR.YRY/RYR.YRY/YRY.RYR/RYR.YRY/YRY.RYR/RYR.YRY",
    "E5": "......./......./......./...Y.../...YR../R..YR..",
    "K1": "......./......./......./......./......./..RRY..",
}
"""P1 to P6: the blog's figures; E1 to E5: the threat examples; K1: the killer example."""

SIDES = "xo"


def grid(text: str) -> Position:
    """The position of a grid with R for the first player and B or Y for the second."""
    return Position.from_grid(text.replace("R", "x").replace("B", "o").replace("Y", "o"))


def named(name: str) -> Position:
    return grid(GRIDS[name])


def counted(text: str, position: Position, draws: int, seed: int = 1) -> Counter[int]:
    """The number of times that a player chooses each column."""
    player, dice = parse_player(text).make(), Dice(seed)
    return Counter(player.choose(position, dice) for _ in range(draws))


def choices(text: str, position: Position, draws: int = 40) -> set[int]:
    """The columns that a player chooses."""
    return set(counted(text, position, draws))


Squares = dict[tuple[int, int], str]


def squares_of(position: Position) -> Squares:
    """Every square, with ``.`` for empty ones; rows from the bottom."""
    return {
        (column, row): position.stone_at(column, row) or "."
        for column in range(position.width)
        for row in range(position.height)
    }


def lines_of(squares: Squares) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every line of four squares."""
    for column, row in squares:
        for across, up in DIRECTIONS:
            line = tuple((column + i * across, row + i * up) for i in range(4))
            if all(square in squares for square in line):
                yield line


def other(side: str) -> str:
    return "o" if side == "x" else "x"


def minus_opponents(count: Callable[[Squares, str], int]) -> Callable[[Squares, str], int]:
    """A heuristic: a side's count minus its opponent's."""
    return lambda squares, side: count(squares, side) - count(squares, other(side))


@minus_opponents
def slow_groups(squares: Squares, side: str) -> int:
    """Stones in lines of one colour."""
    return sum(
        sum(squares[square] == side for square in line)
        for line in lines_of(squares)
        if all(squares[square] != other(side) for square in line)
    )


def slow_threats(squares: Squares, side: str) -> int:
    """The odd and even threats, from one side's view."""
    threats: dict[str, set[tuple[int, int]]] = {
        one: {
            square
            for line in lines_of(squares)
            for square in line
            if squares[square] == "."
            and sum(squares[other_square] == one for other_square in line) == 3
        }
        for one in SIDES
    }

    def counted(one: str, *, odd: bool) -> int:
        number = 0
        for column, row in threats[one]:
            if ((row + 1) % 2 == 1) != odd:
                continue
            below = [
                lower
                for other_column, lower in threats[other(one)]
                if other_column == column and lower < row and ((lower + 1) % 2 == 1) != odd
            ]
            number += not below
        return number

    odd1, odd2, even2 = counted("x", odd=True), counted("o", odd=True), counted("o", odd=False)
    if odd1 > odd2:
        value = 100
    elif odd2 > odd1 + 1 or (odd1 == odd2 and even2 > 0):
        value = -100
    else:
        value = 0
    return value if side == "x" else -value


def slow_windows(squares: Squares, side: str) -> int:
    middle = max(column for column, _ in squares) + 1
    score = 3 * sum(squares[s] == side for s in squares if s[0] == middle // 2)
    for line in lines_of(squares):
        own = sum(squares[square] == side for square in line)
        theirs = sum(squares[square] == other(side) for square in line)
        if theirs == 0:
            score += {4: 100, 3: 5, 2: 2}.get(own, 0)
        if own == 0 and theirs == 3:
            score -= 4
    return score


def slow_squares(squares: Squares, side: str) -> int:
    """The lines through the squares of a side's stones, minus its opponent's."""
    signs = {side: 1, other(side): -1, ".": 0}
    return sum(signs[squares[square]] for line in lines_of(squares) for square in line)


Step = tuple[int, int]


def runs_of(squares: Squares, side: str) -> Iterator[tuple[int, list[tuple[Step, Step]]]]:
    """The length of every run of a side, and the squares after and before it, with directions."""
    for across, up in DIRECTIONS:
        for column, row in squares:
            before = (column - across, row - up)
            if squares[column, row] == side and squares.get(before) != side:
                run = _length(squares, (column, row), (across, up), side)
                after = (column + run * across, row + run * up)
                yield run, [(after, (across, up)), (before, (-across, -up))]


@minus_opponents
def slow_runs(squares: Squares, side: str) -> int:
    """Twice the lengths of the runs that can still become four."""
    return sum(
        2 * run
        for run, ends in runs_of(squares, side)
        if run + sum(_length(squares, *end, side + ".") for end in ends) >= 4
    )


def _length(squares: Squares, square: Step, step: Step, kinds: str) -> int:
    """The number of consecutive squares of the given kinds, starting at a square."""
    length = 0
    while square in squares and squares[square] in kinds:
        length += 1
        square = (square[0] + step[0], square[1] + step[1])
    return length


def slow_features(squares: Squares, side: str) -> int:
    """The four features, while nobody has four."""
    return max(-(10**9) + 1, min(10**9 - 1, _features(squares, side)))


@minus_opponents
def _features(squares: Squares, side: str) -> int:
    value = sum(_single(squares, square, side) for square in squares if squares[square] == side)
    for run, ends in runs_of(squares, side):
        free = [
            ((column, row), step)
            for (column, row), step in ends
            if squares.get((column, row)) == "." and squares.get((column, row - 1)) != "."
        ]
        if run == 3:
            value += {2: 10**9, 1: 900_000, 0: 0}[len(free)]
        if run == 2:
            value += _two(squares, free, side)
    return value


def _two(squares: Squares, free: list[tuple[Step, Step]], side: str) -> int:
    gaps = [end for end, step in free if squares.get((end[0] + step[0], end[1] + step[1])) == side]
    if gaps:
        return 900_000 * len(gaps)
    if len(free) == 2:
        return 50_000
    return 10_000 * (min(_length(squares, *free[0], "."), 5) - 1) if free else 0


def _single(squares: Squares, square: Step, side: str) -> int:
    column, row = square
    near = {(column + across, row + up) for across in (-1, 0, 1) for up in (-1, 0, 1)} - {square}
    if any(squares.get(each) == side for each in near):
        return 0
    width = max(c for c, _ in squares) + 1
    return (200, 120, 70, 40)[min(abs(2 * column - (width - 1)) // 2, 3)]
