/**
 * Grids: reading a grid as the server writes it, and finding moves that lead to it. Pure functions. The server reads
 * all other forms: see GET /api/v1/position.
 */

import { Position, boardProblem, columnLabel, otherSide, sideAt } from "./position.js";

/** Maximum number of states that the search for a line tries; usually it needs a few thousand. */
const MOST_TRIED = 200_000;

/** The grid is not a position; the message says why. */
export class GridError extends Error {}

/**
 * @param {string} text rows of x, o and dots from the top, on separate lines or separated by "/"
 * @returns {Position}
 * @throws {GridError}
 */
export function parseGrid(text) {
  const rows = text.split(/[\n/]/).map((row) => [...row]);
  for (const [index, row] of rows.entries()) {
    const wrong = row.find((character) => !"xo.".includes(character));
    if (wrong !== undefined) throw new GridError(`Row ${index + 1}: “${wrong}” is not x, o or a dot.`);
  }
  const size = { width: rows[0].length, height: rows.length };
  const ragged = rows.findIndex((row) => row.length !== size.width);
  if (ragged >= 0) {
    throw new GridError(`Row ${ragged + 1} has ${rows[ragged].length} cells, the first one ${size.width}.`);
  }
  const problem = boardProblem(size);
  if (problem !== null) throw new GridError(problem);
  return checked(new Position(size, columnsOf(rows)));
}

/** @param {string[][]} rows */
function columnsOf(rows) {
  return rows[0].map((_, index) => {
    const stones = rows.map((row) => row[index]).reverse();
    const height = stones.indexOf(".") < 0 ? stones.length : stones.indexOf(".");
    if (stones.slice(height).some((stone) => stone !== ".")) {
      throw new GridError(`A stone floats in column ${index + 1}.`);
    }
    return stones.slice(0, height).join("");
  });
}

/** @param {Position} position */
function checked(position) {
  const red = position.columns.join("").replaceAll("o", "").length;
  const yellow = position.ply - red;
  if (red !== yellow && red !== yellow + 1) {
    throw new GridError(`${red} red and ${yellow} yellow stones: red needs the same number or one more.`);
  }
  if (position.winner !== null && lastColumns(position).length === 0) {
    throw new GridError("The game went on after it was won.");
  }
  return position;
}

/**
 * Columns whose top stone may have ended the game: it belongs to the last mover and is in every four.
 * @param {Position} position @returns {number[]}
 */
function lastColumns(position) {
  const mover = otherSide(position.side);
  return position.columns.flatMap((stones, index) =>
    stones.endsWith(mover) && without(position, index + 1).winner === null ? [index + 1] : [],
  );
}

/** @param {Position} position @param {number} column */
function without(position, column) {
  const columns = position.columns.slice();
  columns[column - 1] = columns[column - 1].slice(0, -1);
  return new Position(position.size, columns);
}

/** @param {Position} position @returns {string | null} null if no game leads to the position, or the search gave up */
export function lineTo(position) {
  if (position.winner === null) return orderOf(position);
  for (const column of lastColumns(position)) {
    const line = orderOf(without(position, column));
    if (line !== null) return line + columnLabel(column);
  }
  return null;
}

/**
 * Find an order of the stones in which the sides alternate. The position has no four, so none appears on the way.
 * @param {Position} position
 */
function orderOf({ columns, ply }) {
  const heights = columns.map(() => 0);
  /** @type {number[]} */
  const line = [];
  const failed = new Set();
  const isFound = () => {
    if (line.length === ply) return true;
    const name = heights.join();
    if (failed.has(name) || failed.size > MOST_TRIED) return false;
    const side = sideAt(line.length);
    for (let index = 0; index < columns.length; index += 1) {
      if (columns[index][heights[index]] !== side) continue;
      heights[index] += 1;
      line.push(index + 1);
      if (isFound()) return true;
      heights[index] -= 1;
      line.pop();
    }
    failed.add(name);
    return false;
  };
  return isFound() ? line.map(columnLabel).join("") : null;
}
