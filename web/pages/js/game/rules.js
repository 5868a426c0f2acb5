/**
 * The rules: positions, moves, fours and threats. Pure; the server is asked for scores only, so the
 * board stays usable while the server is away.
 */

import { columnNumber, otherSide } from "./notation.js";

/** @typedef {import("./notation.js").Side} Side */
/** @typedef {import("./notation.js").Size} Size */
/** @typedef {[number, number]} Cell column and row, both from 1, row 1 at the bottom */

const DIRECTIONS = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/** A position; it never changes. */
export class Position {
  /**
   * @param {Size} size
   * @param {string[]} columns the stones of each column from the bottom, such as "xox".
   * @param {Cell | null} last the stone that was played last, where that is known.
   */
  constructor(size, columns, last = null) {
    this.size = size;
    this.columns = columns;
    this.last = last;
    this.ply = columns.reduce((sum, column) => sum + column.length, 0);
    /** @type {Side} */
    this.side = this.ply % 2 === 0 ? "x" : "o";
    this.winning = winningCells(this);
    /** @type {Side | null} */
    this.winner = this.winning.length > 0 ? this.at(...this.winning[0]) : null;
    this.isFull = this.ply === size.width * size.height;
    this.isOver = this.winner !== null || this.isFull;
  }

  /** @param {Size} size */
  static empty(size) {
    return new Position(size, Array.from({ length: size.width }, () => ""));
  }

  /**
   * The stone of a cell; null where there is none.
   * @param {number} column @param {number} row
   * @returns {Side | null}
   */
  at(column, row) {
    const stones = this.columns[column - 1];
    return stones === undefined ? null : /** @type {Side} */ (stones[row - 1] ?? null);
  }

  /** @param {number} column */
  isPlayable(column) {
    const stones = this.columns[column - 1];
    return stones !== undefined && stones.length < this.size.height && !this.isOver;
  }

  /**
   * The position after a move.
   * @param {number} column
   * @returns {Position | null} null where it cannot be played.
   */
  play(column) {
    if (!this.isPlayable(column)) return null;
    const columns = this.columns.slice();
    columns[column - 1] += this.side;
    return new Position(this.size, columns, [column, columns[column - 1].length]);
  }

  /** The rows as text, the top one first, as the API reads them. */
  gridText() {
    const rows = [];
    for (let row = this.size.height; row >= 1; row -= 1) {
      rows.push(this.columns.map((column) => column[row - 1] ?? ".").join(""));
    }
    return rows.join("/");
  }

  /**
   * Empty cells that would complete four, for each side.
   * @returns {{x: Cell[], o: Cell[]}}
   */
  threats() {
    const { width, height } = this.size;
    /** @type {{x: Cell[], o: Cell[]}} */
    const found = { x: [], o: [] };
    if (this.winner !== null) return found;
    for (let column = 1; column <= width; column += 1) {
      for (let row = this.columns[column - 1].length + 1; row <= height; row += 1) {
        for (const side of /** @type {Side[]} */ (["x", "o"])) {
          if (completesFour(this, column, row, side)) found[side].push([column, row]);
        }
      }
    }
    return found;
  }
}

/**
 * Play a line of moves.
 * @param {Position} start
 * @param {string} moves
 * @returns {{positions: Position[], error: string | null}} the positions up to the first mistake,
 *   the start among them.
 */
export function playLine(start, moves) {
  const positions = [start];
  for (const [index, character] of [...moves].entries()) {
    const column = columnNumber(character);
    const position = positions[positions.length - 1];
    const next = column > 0 ? position.play(column) : null;
    if (next === null) {
      return { positions, error: moveProblem(position, character, column, index + 1) };
    }
    positions.push(next);
  }
  return { positions, error: null };
}

/**
 * @param {Position} position @param {string} character @param {number} column
 * @param {number} number
 */
function moveProblem(position, character, column, number) {
  const place = `Move ${number}`;
  if (column === 0) return `${place}: “${character}” is no column.`;
  if (column > position.size.width) return `${place}: there is no column ${column}.`;
  if (position.isOver) return `${place}: the game is already over.`;
  return `${place}: column ${column} is full.`;
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
 * The cells of all lines of four or more, of whoever has one.
 * @param {Position} position
 * @returns {Cell[]}
 */
function winningCells(position) {
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  position.columns.forEach((stones, index) => {
    for (let row = 1; row <= stones.length; row += 1) {
      for (const line of linesFrom(position, index + 1, row)) {
        for (const cell of line) cells.set(cell.join(), cell);
      }
    }
  });
  return [...cells.values()];
}

/**
 * The fours that begin at a stone, in each direction.
 * @param {Position} position @param {number} column @param {number} row
 * @returns {Cell[][]}
 */
function linesFrom(position, column, row) {
  const side = position.at(column, row);
  return DIRECTIONS.map(([across, up]) =>
    [0, 1, 2, 3].map((step) => /** @type {Cell} */ ([column + step * across, row + step * up])),
  ).filter((line) => line.every((cell) => position.at(...cell) === side));
}

/**
 * Whose turn it was at a ply, for a game that began with `start` stones on the board.
 * @param {number} ply
 * @returns {Side}
 */
export function sideAt(ply) {
  return ply % 2 === 0 ? "x" : otherSide("x");
}
