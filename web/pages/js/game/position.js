/**
 * The rules: boards, positions, moves, fours and threats. They do not use the server, so the board works while the
 * server is away. Columns count from 1; a cell is [column, row] with row 1 at the bottom. `x` moves first and is
 * red, `o` is yellow.
 */

/** @import {Side} from "../types.js" */
/** @typedef {{width: number, height: number}} Size */
/** @typedef {[column: number, row: number]} Cell */

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LABELS = `0123456789${LETTERS}${LETTERS.toUpperCase()}`;

/** Bits of the engine's board: its cells and one guard bit per column (c4core/notation.py). */
const MAX_BITS = 128;
const MAX_HEIGHT = 40;
const MAX_WIDTH = LABELS.length - 1;

/** The width of the largest board without columns that are capital letters. */
const MAX_SMALL_WIDTH = LABELS.indexOf("A") - 1;

const DIRECTIONS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/** @type {Size} */
export const DEFAULT_BOARD = Object.freeze({ width: 7, height: 6 });

/** The sizes that the setup dialog offers; users can type others. */
export const COMMON_BOARDS = ["7x6", "8x7", "8x8", "9x7", "10x7", "7x7", "6x7", "6x5", "5x5", "4x4"];

/** @type {readonly Side[]} */
export const SIDES = ["x", "o"];

/** @type {Readonly<Record<Side, string>>} */
export const NAMES = Object.freeze({ x: "Red", o: "Yellow" });

/** @param {Side} side @returns {Side} */
export function otherSide(side) {
  return side === "x" ? "o" : "x";
}

/**
 * The side to move with this many stones on the board.
 * @param {number} ply @returns {Side}
 */
export function sideAt(ply) {
  return ply % 2 === 0 ? "x" : "o";
}

/**
 * Read a board such as "7x6".
 * @param {string} text
 * @returns {Size | null} null if the text is not a supported size
 */
export function parseBoard(text) {
  const match = /^\s*(\d{1,3})\s*[x×]\s*(\d{1,3})\s*$/i.exec(text);
  if (match === null) return null;
  const size = { width: Number(match[1]), height: Number(match[2]) };
  return boardProblem(size) === null ? size : null;
}

/** @param {Size} size @returns {string | null} null if it is supported */
export function boardProblem({ width, height }) {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1) {
    return "A board needs at least one column and one row.";
  }
  if (height > MAX_HEIGHT) return `A board has at most ${MAX_HEIGHT} rows.`;
  if (width > MAX_WIDTH) return `A board has at most ${MAX_WIDTH} columns.`;
  if (width * (height + 1) > MAX_BITS) {
    return `${width}×${height} is too large: columns × (rows + 1) may be at most ${MAX_BITS}.`;
  }
  return null;
}

/** @param {Size} size @returns {string} */
export function boardText({ width, height }) {
  return `${width}x${height}`;
}

/**
 * The character of a column in moves.
 * @param {number} column @returns {string}
 */
export function columnLabel(column) {
  return LABELS[column];
}

/**
 * The column of a character in moves.
 * @param {string} character @param {number} [width] of the board, for {@link withoutCapitals}
 * @returns {number} 0 if it names no column
 */
export function columnNumber(character, width = MAX_WIDTH) {
  if (!/^[1-9a-zA-Z]$/.test(character)) return 0;
  return LABELS.indexOf(withoutCapitals(character, width));
}

/**
 * Moves in small letters, unless capital letters are other columns of the board.
 * @param {string} moves @param {number} width of the board @returns {string}
 */
export function withoutCapitals(moves, width) {
  return width <= MAX_SMALL_WIDTH ? moves.toLowerCase() : moves;
}

/** An immutable position. */
export class Position {
  /**
   * @param {Size} size
   * @param {string[]} columns the stones of each column from the bottom, such as "xox"
   * @param {Cell | null} last the last stone, or null if it is unknown
   */
  constructor(size, columns, last = null) {
    this.size = size;
    this.columns = columns;
    this.last = last;
    this.ply = columns.reduce((sum, column) => sum + column.length, 0);
    this.side = sideAt(this.ply);
    this.winning = winningCells(this);
    this.winner = this.winning.length > 0 ? this.at(...this.winning[0]) : null;
    this.isFull = this.ply === size.width * size.height;
    this.isOver = this.winner !== null || this.isFull;
  }

  /** @param {Size} size */
  static empty(size) {
    return new Position(size, Array.from({ length: size.width }, () => ""));
  }

  /** @param {number} column @param {number} row @returns {Side | null} null if the cell is empty or not on the board */
  at(column, row) {
    return /** @type {Side | undefined} */ (this.columns[column - 1]?.[row - 1]) ?? null;
  }

  /** @param {number} column */
  isPlayable(column) {
    const stones = this.columns[column - 1];
    return stones !== undefined && stones.length < this.size.height && !this.isOver;
  }

  /** @param {number} column @returns {Position | null} null if the column cannot be played */
  play(column) {
    if (!this.isPlayable(column)) return null;
    const columns = this.columns.slice();
    columns[column - 1] += this.side;
    return new Position(this.size, columns, [column, columns[column - 1].length]);
  }

  /**
   * The position with a stone of any side on top of a column, or without its top stone if the side is null.
   * @param {number} column @param {Side | null} side @returns {Position}
   */
  paint(column, side) {
    const columns = this.columns.slice();
    const stones = columns[column - 1];
    if (side === null) columns[column - 1] = stones.slice(0, -1);
    else if (stones.length < this.size.height) columns[column - 1] += side;
    return new Position(this.size, columns);
  }

  /** The rows as text for the API, the top row first. */
  gridText() {
    const rows = [];
    for (let row = this.size.height; row >= 1; row -= 1) {
      rows.push(this.columns.map((column) => column[row - 1] ?? ".").join(""));
    }
    return rows.join("/");
  }

  /** The state of the game: "Red has won", "a draw", "Yellow to move". */
  get turnText() {
    if (this.winner !== null) return `${NAMES[this.winner]} has won`;
    return this.isFull ? "a draw" : `${NAMES[this.side]} to move`;
  }

  /** The empty cells that would complete a four, for each side. */
  threats() {
    /** @type {Record<Side, Cell[]>} */
    const found = { x: [], o: [] };
    if (this.winner !== null) return found;
    for (let column = 1; column <= this.size.width; column += 1) {
      for (let row = this.columns[column - 1].length + 1; row <= this.size.height; row += 1) {
        for (const side of SIDES) if (completesFour(this, column, row, side)) found[side].push([column, row]);
      }
    }
    return found;
  }
}

/**
 * @param {Position} start @param {string} moves
 * @returns {{positions: Position[], error: string | null}} the start and the positions up to the first illegal move
 */
export function playLine(start, moves) {
  const positions = [start];
  let position = start;
  for (const [index, character] of [...moves].entries()) {
    const column = columnNumber(character, start.size.width);
    const next = position.play(column);
    if (next === null) return { positions, error: `Move ${index + 1}: ${moveProblem(position, character, column)}` };
    positions.push(next);
    position = next;
  }
  return { positions, error: null };
}

/** @param {string} board such as "7x6" @param {string} moves @returns {Position} */
export function positionAfter(board, moves) {
  const { positions } = playLine(Position.empty(parseBoard(board) ?? DEFAULT_BOARD), moves);
  return positions[positions.length - 1];
}

/** @param {Position} position @param {string} character @param {number} column */
function moveProblem(position, character, column) {
  if (column === 0) return `“${character}” is not a column.`;
  if (column > position.size.width) return `there is no column ${column}.`;
  return position.isOver ? "the game is already over." : `column ${column} is full.`;
}

/** @param {Position} position @param {number} column @param {number} row @param {Side} side */
function completesFour(position, column, row, side) {
  return DIRECTIONS.some(([across, up]) => {
    let length = 1;
    for (const way of [1, -1]) {
      let step = way;
      while (position.at(column + step * across, row + step * up) === side) {
        length += 1;
        step += way;
      }
    }
    return length >= 4;
  });
}

/**
 * The cells of all fours, of either side.
 * @param {Position} position @returns {Cell[]}
 */
function winningCells(position) {
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  position.columns.forEach((stones, index) => {
    for (let row = 1; row <= stones.length; row += 1) {
      for (const cell of foursFrom(position, index + 1, row).flat()) cells.set(cell.join(), cell);
    }
  });
  return [...cells.values()];
}

/** @param {Position} position @param {number} column @param {number} row @returns {Cell[][]} */
function foursFrom(position, column, row) {
  const side = position.at(column, row);
  return DIRECTIONS.map(([across, up]) =>
    [0, 1, 2, 3].map((step) => /** @type {Cell} */ ([column + step * across, row + step * up])),
  ).filter((line) => line.every((cell) => position.at(...cell) === side));
}
