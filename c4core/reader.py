"""Moves in the forms that people and other programs write.

:func:`read_moves` reads ``4453`` and also ``4,4,5,3``, ``4 4 5 3``, ``4-4-5-3``, ``[4, 4, 5, 3]``,
``D1 D2 E1 C1``, ``1. d1 d2 {good} 2. e1 c1 1-0``, and the address of a page that shows them. Moves
are written without separators, or with the same separator between all of them.
``docs/positions.md`` lists all forms, and :mod:`c4core.grids` reads drawings.
"""

from __future__ import annotations

import re
import reprlib
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, urlsplit

from c4core.errors import MoveError
from c4core.grids import MAX_TEXT, SINGLE_ROW, whole
from c4core.notation import DEFAULT_BOARD, FROM_ONE, parse_board, parse_moves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize

_COMMENT: Final = re.compile(r"\s#.*")
_NOTE: Final = re.compile(r"\{[^{}]*\}")
_TAGS: Final = re.compile(r"(?:\[\w+\s+\"[^\"\n]*\"\]\s*)+")
"""Matches a game's heading: lines such as ``[Event "..."]``."""
_RESULT: Final = re.compile(r"\s+(?:1-0|0-1|1/2-1/2|\*)\s*$")
_BRACKETS: Final = {"[": "]", "(": ")", "{": "}", '"': '"', "'": "'", "<": ">"}
_SEPARATORS: Final = re.compile(r"(\s*[,;|]\s*|\s+[-\u2013]\s+|(?<=\w)[-\u2013](?=\w)|\s+)")
_MOVE_NUMBER: Final = re.compile(r"(?:^|(?<=\s))([0-9]{1,3})\.(?:\.\.)?(?=\s|[a-zA-Z])")
_WITH_ROW: Final = re.compile(r"(?:[pP]@)?([a-zA-Z])([1-9][0-9]?)")
_NUMBER: Final = re.compile(r"(0|[1-9][0-9]{0,8})(?:\.0)?")
_SCORED: Final = re.compile(r"([0-9a-zA-Z])(?:\s+|\s*[,;|]\s*)([-+]?[0-9]{1,2})")
_SCORE: Final = re.compile(r"[-+]?[0-9]{1,2}")

_NO_SCORE: Final = "only the format c4solver has scores"


def read_moves(text: str, board: BoardSize, *, zero_based: bool = False) -> tuple[int, ...]:
    """Read moves as 0-based columns. Only the rows of moves such as ``d1`` are checked.

    Args:
        text: columns as characters (``4453``), as numbers with separators (``4, 4, 5, 3``), or as
            squares (``d1 d2 e1 c1``); or an address that ends in ``?pos=4453``. White space, a
            byte-order mark, brackets and quotes around them, move numbers, comments (``# ...`` or
            ``{...}``) and a result at the end are ignored.
        board: the board. In the notation of ``4453``, ``a`` is the tenth column, if the board has
            one.
        zero_based: whether numbers count columns from 0. The first square is always ``a1``.

    Raises:
        MoveError: the text cannot be read as moves.
    """
    if len(text) > MAX_TEXT:
        raise MoveError(
            f"the moves have {len(text)} characters; too many for any board", kind="syntax"
        )
    text = clean(without_notes(text))
    if text.isalnum():
        try:
            return parse_moves(text, width=board.width, zero_based=zero_based)
        except MoveError:
            columns = _squares(text, board)
            if columns is None:
                raise
            return columns
    if "://" in text:
        return _read_address(text, board)
    return _columns(_words(text), board, zero_based=zero_based)


def read_move_list(
    values: Sequence[object], board: BoardSize, *, zero_based: bool = False
) -> tuple[int, ...]:
    """Read a list of moves, each a number or a text, as 0-based columns.

    Raises:
        MoveError: a value is not a column of the board.
    """
    words = []
    for index, value in enumerate(values):
        word = value if isinstance(value, str) else whole(value)
        if word is None:
            raise MoveError(
                f"move {index + 1}: {reprlib.repr(value)} is not a column",
                kind="syntax",
                index=index,
            )
        words.append(str(word).strip())
    return _columns(words, board, zero_based=zero_based)


def refuse_scored(text: str) -> None:
    """Refuse a line of a file that is two moves, or one move and a score.

    Raises:
        MoveError: the text is such a line.
    """
    match = _SCORED.fullmatch(text)
    if match is not None:
        raise MoveError(
            f"{reprlib.repr(text)} can be two moves, or a move and a score: write two moves as "
            f"{match[1]}{match[2]}; {_NO_SCORE}",
            kind="ambiguous",
        )


def without_notes(text: str) -> str:
    """The text of a game without its heading, comments in braces, and the result at the end.

    Braces around all moves are brackets.
    """
    if not {"{", "[", "*", "-"}.isdisjoint(text):
        shorter = _RESULT.sub("", _NOTE.sub(" ", without_heading(text))).strip()
        return shorter or text
    return text


def without_heading(text: str) -> str:
    """The text of a game without the lines such as ``[Event "..."]`` before it."""
    heading = _TAGS.match(text)
    return text if heading is None else text[heading.end() :] or text


def clean(text: str) -> str:
    """The text without comments, and without brackets and white space around it."""
    text = text.strip().lstrip("\ufeff")
    if "#" in text:
        text = _COMMENT.sub("", text)
    return text if text.isalnum() else _unquoted(text.strip())


def _unquoted(text: str) -> str:
    while len(text) > 1 and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    return text


def address_board(text: str) -> BoardSize:
    """The board of an address of this program's page, or of gamesolver.org.

    Raises:
        MoveError: the address cannot be read.
        BoardError: its board is impossible.
    """
    return parse_board(_address(text).get("board", [str(DEFAULT_BOARD)])[0])


def _address(text: str) -> dict[str, list[str]]:
    try:
        parts = urlsplit(text)
        return parse_qs(f"{parts.query}&{parts.fragment}", keep_blank_values=True)
    except ValueError as error:
        raise MoveError(f"not an address: {error}", kind="syntax") from None


def _read_address(text: str, board: BoardSize) -> tuple[int, ...]:
    given = _address(text)
    (size, *sizes) = given.get("board", [str(DEFAULT_BOARD)])
    moves = given.get("pos", []) + given.get("moves", [])
    if len(moves) != 1 or sizes:
        raise MoveError("the address needs the moves once, as in ?pos=4453", kind="syntax")
    if size.lower() != str(board):
        raise MoveError(
            f"the address has the board {reprlib.repr(size)}, not {board}", kind="syntax"
        )
    if "grid" in given:
        raise MoveError("the address shows a grid: give its grid, or open it", kind="syntax")
    return read_moves(moves[0], board) if moves[0] else ()


def _words(text: str) -> list[str]:
    """The words of a text, each one move.

    Raises:
        MoveError: the separators differ.
    """
    numbers = [int(number) for number in _MOVE_NUMBER.findall(text)] if "." in text else []
    if numbers and numbers == list(range(1, len(numbers) + 1)):
        text = " ".join(_MOVE_NUMBER.sub("", text).split())
    parts = _SEPARATORS.split(text)
    words = [_unquoted(word) for word in parts[::2]]
    separators = {part.strip() or ("\n" if "\n" in part else " ") for part in parts[1::2]}
    while words and not words[-1]:  # a comma at the end
        words.pop()
    if len(separators) > 1 and all(words):
        found = " and ".join(sorted(map(repr, separators)))
        raise MoveError(
            f"the moves are separated by {found}: use one separator, or none", kind="ambiguous"
        )
    return words


def _columns(words: Sequence[str], board: BoardSize, *, zero_based: bool) -> tuple[int, ...]:
    """The columns of words, each one move: all numbers, all characters, or all squares."""
    joined = "".join(words)
    if all(words):
        numbers = [match[1] for match in map(_NUMBER.fullmatch, words) if match]
        if len(numbers) == len(words):
            columns = tuple(int(number) - (not zero_based) for number in numbers)
            if all(0 <= column < board.width for column in columns):
                return columns
        elif len(joined) == len(words):
            with suppress(MoveError):
                return parse_moves(joined, width=board.width, zero_based=zero_based)
        elif all(map(_WITH_ROW.fullmatch, words)):
            squares = _squares(joined, board)
            if squares is not None:
                return squares
    raise _bad_word(words, board, zero_based=zero_based)


def _squares(text: str, board: BoardSize) -> tuple[int, ...] | None:
    """The columns of moves such as ``d1d2e1``; None if they are not squares of the board.

    Raises:
        MoveError: the stone would land in another row.
    """
    if _WITH_ROW.sub("", text):
        return None
    columns: list[int] = []
    for index, (letter, digits) in enumerate(_WITH_ROW.findall(text.lower())):
        column, row = ord(letter) - ord("a"), int(digits)
        if column >= board.width or not 1 <= row <= board.height:
            return None
        lands = columns.count(column) + 1
        if row != lands:
            raise MoveError(
                f"move {index + 1}: {letter}{digits} is not where the stone lands; "
                + (
                    "the column is full" if lands > board.height else f"it lands on {letter}{lands}"
                ),
                kind="syntax",
                column=column,
                index=index,
            )
        columns.append(column)
    return tuple(columns)


def _is_group(word: str, board: BoardSize, *, zero_based: bool) -> bool:
    with suppress(MoveError):
        return len(parse_moves(word, width=board.width, zero_based=zero_based)) > 1
    return False


def _bad_word(words: Sequence[str], board: BoardSize, *, zero_based: bool) -> MoveError:
    """The error for the first word that is not one column."""
    is_group = [_is_group(word, board, zero_based=zero_based) for word in words]
    if len(words) == len(("moves", "score")) and _SCORE.fullmatch(words[1]) and is_group[0]:
        return MoveError(
            f"{reprlib.repr(words[0])} and {words[1]!r} are two groups of moves, or moves and "
            f"a score: write all moves without separators; {_NO_SCORE}",
            kind="ambiguous",
            index=1,
        )
    first = 0 if zero_based else 1
    by_squares = _WITH_ROW.fullmatch(words[0])
    # In "4453 hello" the second word is the fault; in "44 4 5" it is the first.
    for index in sorted(range(len(words)), key=is_group.__getitem__):
        word = words[index]
        number = int(match[1]) if (match := _NUMBER.fullmatch(word)) else None
        if by_squares:
            number = None
            reason = _not_a_square(word, board)
        elif number is not None and first <= number < board.width + first:
            reason = ""
        elif is_group[index]:
            number = None
            reason = f"{reprlib.repr(word)} has several columns: separate all moves, or none"
        else:
            reason = _not_a_column(word, number, board, first, is_last=index == len(words) - 1)
        if reason:
            return MoveError(
                f"move {index + 1}: {reason}",
                kind="syntax" if number is None else "range",
                column=None if number is None else number - first,
                index=index,
            )
    raise AssertionError("moves without a bad word")


def _not_a_square(word: str, board: BoardSize) -> str:
    corner = f"{chr(ord('a') + board.width - 1)}{board.height}"
    square = _WITH_ROW.fullmatch(word.lower())
    if square and square[1] <= corner[0] and int(square[2]) <= board.height:
        return ""
    return f"{reprlib.repr(word)} is not a square of the board, a1 to {corner}"


def _not_a_column(
    word: str, number: int | None, board: BoardSize, first: int, *, is_last: bool
) -> str:
    if number == 0:
        return f"0 is not a column: {FROM_ONE}"
    if number is not None:
        last = board.width - 1 + first
        return f"column {number} is outside the board (columns {first} to {last})"
    if _SCORE.fullmatch(word) and is_last:
        return f"{word!r} is not a column but may be a score: {_NO_SCORE}"
    if re.fullmatch("[.xo_|-]{4,}", word):
        return f"{reprlib.repr(word)} is not a column: {SINGLE_ROW}"
    return f"{reprlib.repr(word)} is not a column"
