"""Forms in which people and programs write a position, to test every place that reads one."""

from __future__ import annotations

from typing import Final

MOVES: Final = "4453"

ACCEPTED: Final = (
    "4453", " 4453 ", "4453\r\n", "\ufeff4453", "4,4,5,3", "4, 4, 5, 3", "4, 4, 5, 3,", "4;4;5;3",
    "4|4|5|3", "4 4 5 3", "4\t4  5\t3", "4-4-5-3", "4 - 4 - 5 - 3", "4\u20134\u20135\u20133",
    "(4,4,5,3)", "[4,4,5,3]", "[4 4 5 3]", '["4", "4", "5", "3"]',
    '["d1", "d2", "e1", "c1"]', '"4453"', "'4453'", "4453 # in the centre",
    "D1 D2 E1 C1", "d1d2e1c1",
    "D1-D2-E1-C1", "P@d1 P@d2 P@e1 P@c1", "1. d1 d2 2. e1 c1", "1.d1 d2 2.e1 c1", "1. 4 4 2. 5 3",
    "1. d1 d2 {good} 2. e1 c1 1-0", "1. d1 d2 2. e1 {a fork} c1 1/2-1/2", "4453 {a draw} *",
    '[Event "club"] [Result "1-0"] 1. d1 d2 2. e1 c1 1-0', "[4.0, 4.0, 5.0, 3.0]",
    "https://connect4.gamesolver.org/?pos=4453", "http://127.0.0.1:8000/?pos=4453&board=7x6",
    "https://c4.example/c4/?moves=4,4,5,3",
    '{"moves": "4453"}', '{"moves": [4, 4, 5, 3]}', '{"moves": "d1 d2 e1 c1"}',
)  # fmt: skip
"""Texts of one line that lead to the position after ``MOVES``."""

_GROUPS: Final = (
    "two groups of moves, or moves and a score: write all moves without separators; only the "
    "format c4solver has scores"
)

REFUSED: Final = {
    "x": "move 1: column x is outside the board (columns 1 to 7)",
    "44x": "move 3: column x is outside the board (columns 1 to 7)",
    "48": "move 2: column 8 is outside the board (columns 1 to 7)",
    "4,4,8": "move 3: column 8 is outside the board (columns 1 to 7)",
    "10, 3": "move 1: column 10 is outside the board (columns 1 to 7)",
    "3,3,4,0": "move 4: 0 is not a column: columns are counted from 1",
    "[0,3,3]": "move 1: 0 is not a column: columns are counted from 1",
    "4,,4": "move 2: '' is not a column",
    "4.4.5.3": "move 1: '4.4.5.3' is not a column",
    "4453 -2": f"'4453' and '-2' are {_GROUPS}",
    "4453 2": f"'4453' and '2' are {_GROUPS}",
    "4453\t2": f"'4453' and '2' are {_GROUPS}",
    "44 53": f"'44' and '53' are {_GROUPS}",
    "44,53": f"'44' and '53' are {_GROUPS}",
    "4455 1": f"'4455' and '1' are {_GROUPS}",
    "44,4,5": "move 1: '44' has several columns: separate all moves, or none",
    "1\t4453": "move 2: '4453' has several columns: separate all moves, or none",
    "12 4453": "move 1: '12' has several columns: separate all moves, or none",
    "4,4,5,-2": "move 4: '-2' is not a column but may be a score: only the format c4solver has "
    "scores",
    "4 4,5 3": "the moves are separated by ' ' and ',': use one separator, or none",
    "02601": "move 1: 0 is not a column: columns are counted from 1",
    "games/first.txt": "move 1: 'games/first.txt' is not a column",
    "4/4/5/3": "move 1: '4/4/5/3' is not a column",
    "https://example.org/": "the address needs the moves once, as in ?pos=4453",
    "https://example.org/?pos=44&board=6x7": "the address has the board '6x7', not 7x6",
    "ddec": "move 1: column d is outside the board (columns 1 to 7)",
    "4d": "move 2: column d is outside the board (columns 1 to 7)",
    "4 d": "move 2: 'd' is not a column",
    "dh": "move 1: column d is outside the board (columns 1 to 7)",
    "a4": "move 1: a4 is not where the stone lands; it lands on a1",
    "d1 d3": "move 2: d3 is not where the stone lands; it lands on d2",
    "column 4 because of row 3": "move 1: 'column' is not a column",
    "d1 d2 hello": "move 3: 'hello' is not a square of the board, a1 to g6",
    "d1 d2 e1 c9": "move 4: 'c9' is not a square of the board, a1 to g6",
    "4453 hello": "move 2: 'hello' is not a column",
    "[4, 4.5]": "move 2: 4.5 is not a column",
    "[4, null]": "move 2: None is not a column",
    "[true]": "move 1: True is not a column",
    "# only a comment": "move 1: '#' is not a column",
    "4444444": "move 7: column 4 is full",
    "d1d2d3d4d5d6d7": "move 1: column d is outside the board (columns 1 to 7)",
    "\u0664": "move 1: '\u0664' is not a column",
    ".......": "move 1: '.......' is not a column: it looks like one row of a grid",
    '{"moves": 4453}': "moves must be text or a list of columns",
    '{"moves": [4, 4, 5, 3]': "not a JSON object: Input data was truncated",
}
"""Texts of one line that are not a position, with the messages."""

REFUSED_LINES: Final = {
    text: f"{text!r} can be two moves, or a move and a score: write two moves as {moves}; only the "
    "format c4solver has scores"
    for text, moves in {"4 2": "42", "4\t2": "42", "4,2": "42", "4;2": "42", "4 -2": "4-2"}.items()
}
"""Lines of a file that have a second column. As one position, the first four are two moves."""

LINE_ENDS: Final = ("\n", "\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029")

ROWS: Final = (".......", ".......", ".......", ".......", "...o...", "..oxx..")


def drawn(empty: str = ".", first: str = "x", second: str = "o", between: str = "") -> str:
    """The grid of the position with other characters; ``between`` separates squares."""
    squares = {".": empty, "x": first, "o": second}
    return "\n".join(between.join(squares[square] for square in row) for row in ROWS)


_FRAME: Final = "+---+---+---+---+---+---+---+\n"
_BARRED: Final = "\n".join(f"| {row} |" for row in drawn(" ", between=" | ").split("\n"))

GRIDS: Final = {
    "dots": drawn(),
    "capitals": drawn(".", "X", "O"),
    "slashes": "/".join(ROWS),
    "windows": drawn().replace("\n", "\r\n") + "\r\n",
    "mark": "\ufeff" + drawn(),
    "blank lines around": f"\n\n{drawn()}\n\n",
    "digits": drawn("0", "1", "2"),
    "digits with blanks": drawn("0", "1", "2", " "),
    "digits with commas": drawn("0", "1", "2", ","),
    "minus one": drawn("0", "1", "-1", " "),
    "hyphens": drawn("-", "X", "O", " "),
    "underscores": drawn("_"),
    "bars": "\n".join(f"|{row}|" for row in drawn(" ", between="|").split("\n")),
    "wide bars": _BARRED,
    "frame": _FRAME + _FRAME.join(f"{row}\n" for row in _BARRED.split("\n")) + _FRAME,
    "numbers under the board": drawn(between="  ") + "\n1  2  3  4  5  6  7\n\nx to move",
    "outer bars": "\n".join(f"| {row} |" for row in drawn(between=" ").split("\n")),
    "box": "\n".join(f"\u2502{row}\u2502" for row in drawn(" ", between="\u2502").split("\n")),
    "letters": drawn(".", "R", "Y"),
    "letters with blanks": drawn(".", "R", "Y", " "),
    "discs": drawn("\u26aa", "\U0001f534", "\U0001f7e1"),
    "black": drawn("\u26ab\ufe0f", "\U0001f534", "\U0001f7e1"),
    "blue": drawn("\U0001f535", "\U0001f534", "\U0001f7e1"),
    "squares": drawn("\u2b1c", "\U0001f7e5", "\U0001f7e8"),
    "discs between bars": "\n".join(
        f"|{row}|" for row in drawn(" ", "\U0001f534", "\U0001f7e1", "|").split("\n")
    ),
    "rows": f"[[{drawn('0', '1', '2', ',')}]]".replace("\n", "],["),
    "rows with minus one": f"[[{drawn('0', '1', '-1', ',')}]]".replace("\n", "],["),
    "squares in a list": f"[{drawn('0', '1', '2', ',')}]".replace("\n", ","),
    "texts": '["' + '","'.join(ROWS) + '"]',
    "null": f"[[{drawn('null', chr(34) + 'X' + chr(34), chr(34) + 'O' + chr(34), ',')}]]".replace(
        "\n", "],["
    ),
    "NumPy": "[[" + drawn("0", "1", "2", " ").replace("\n", "]\n [") + "]]",
    "NumPy's floats": "[[" + drawn("0.", "1.", "2.", " ").replace("\n", "]\n [") + "]]",
    "whole floats": f"[[{drawn('0.0', '1.0', '2.0', ',')}]]".replace("\n", "],["),
    "names above and below": "1234567\n" + drawn() + "\n1234567",
    "separators of Unicode": "\u2028".join(ROWS),
    "an object": '{"grid": "' + "/".join(ROWS) + '"}',
    "an object with rows": '{"grid": [[' + drawn("0", "1", "2", ",").replace("\n", "],[") + "]]}",
}
"""Drawings of the position after ``MOVES``."""

RED, YELLOW, WHITE = "\U0001f534", "\U0001f7e1", "\u26aa"

REFUSED_GRIDS: Final = {
    "\n".join(reversed(ROWS)): "grid row 2 is empty under a stone in column 3",
    drawn(second="2"): "the grid mixes two ways of writing squares: use '.', 'x' and 'o'",
    drawn("0", "x", "o"): "grid row 5 has 'o' at column 4: the grid mixes two ways",
    drawn(RED, "x", "o"): "the grid mixes two ways of writing squares",
    drawn(WHITE, RED, YELLOW).replace(RED, "\U0001f7e5", 1): "grid row 6 has",
    "..._-\u00b7.\n" + "\n".join(ROWS[1:]): "grid row 1 has '_' at column 4: the grid mixes",
    f"{drawn()}\n123": "grid row 7 has '1' at column 1: the grid mixes two ways",
    f"{drawn()}\n1234567\n{drawn()}": "the grid is 7x12, the board is 7x6",
    drawn(second="?"): "grid row 5 has '?' at column 4: only '.', 'x' and 'o' are squares",
    "\n".join(ROWS[1:]): "the grid is 7x5, the board is 7x6",
    "\n".join(row[1:] for row in ROWS): "the grid is 6x6, the board is 7x6",
    "\n".join((*ROWS[:5], "..oxx.")): "grid row 6 has 6 squares, the first has 7",
    drawn(".", "o", "x").replace("...x...", "......."): "the grid has 1 x and 2 o: x moves first",
    "[[0,0,0],[0,1,2]]": "the grid is 3x2, the board is 7x6",
    "[[4]]": "grid row 1 has '4' at column 1",
}
"""Drawings that are refused, with a part of the message."""
