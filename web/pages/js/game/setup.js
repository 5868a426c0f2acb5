/** Positions that are set up: grids that are pasted, and lines of moves that lead to them. Pure. */

import { boardProblem, columnLabel, otherSide } from "./notation.js";
import { Position } from "./rules.js";

/** Positions that are tried on the way to a line; a few thousand is usual. */
const MOST_TRIED = 200_000;

/** What people write for the sides and for nothing, in grids of other programs. */
const MEANINGS = new Map([
  ...[..."xX1rR🔴●"].map((character) => /** @type {[string, string]} */ ([character, "x"])),
  ...[..."oO2yY🟡○"].map((character) => /** @type {[string, string]} */ ([character, "o"])),
  ...[...".0_-+⚪·"].map((character) => /** @type {[string, string]} */ ([character, "."])),
]);

/** A grid that is no position; the message says why. */
export class SetupError extends Error {}

/**
 * The position that a grid shows.
 * @param {string} text rows from the top, on lines of their own or separated by "/".
 * @returns {Position}
 */
export function parseGrid(text) {
  const rows = text
    .split(/[\n/]/)
    .map((row) => [...row].filter((character) => !/[\s|,;\[\]]/.test(character)))
    .filter((row) => row.length > 0 && !isRuler(row))
    .map((row, index) => row.map((character) => meaning(character, index + 1)));
  if (rows.length === 0) throw new SetupError("The grid is empty.");
  const size = { width: rows[0].length, height: rows.length };
  const ragged = rows.findIndex((row) => row.length !== size.width);
  if (ragged >= 0) {
    throw new SetupError(
      `Row ${ragged + 1} has ${rows[ragged].length} cells, the first one ${size.width}.`,
    );
  }
  const problem = boardProblem(size);
  if (problem !== null) throw new SetupError(problem);
  return checked(new Position(size, columnsOf(rows)));
}

/** Whether a row is the line of column numbers that boards are printed with. @param {string[]} row */
function isRuler(row) {
  return row.length > 2 && row.every((character, index) => character === columnLabel(index + 1));
}

/** @param {string} character @param {number} row */
function meaning(character, row) {
  const found = MEANINGS.get(character);
  if (found === undefined) {
    throw new SetupError(`Row ${row}: “${character}” is none of x, o and a dot.`);
  }
  return found;
}

/** @param {string[][]} rows */
function columnsOf(rows) {
  return rows[0].map((_, index) => {
    const stones = rows.map((row) => row[index]).reverse();
    const height = stones.indexOf(".") < 0 ? stones.length : stones.indexOf(".");
    if (stones.slice(height).some((stone) => stone !== ".")) {
      throw new SetupError(`A stone floats in column ${index + 1}.`);
    }
    return stones.slice(0, height).join("");
  });
}

/** @param {Position} position */
function checked(position) {
  const red = position.columns.join("").replaceAll("o", "").length;
  const yellow = position.ply - red;
  if (red !== yellow && red !== yellow + 1) {
    throw new SetupError(
      `${red} red and ${yellow} yellow stones: red begins, so it has as many or one more.`,
    );
  }
  if (position.winner !== null && lastStones(position).length === 0) {
    throw new SetupError("The game went on after it was won.");
  }
  return position;
}

/**
 * Stones that may have ended the game: on top, of the side that moved last, in every four.
 * @param {Position} position
 * @returns {number[]} their columns.
 */
function lastStones(position) {
  const mover = otherSide(position.side);
  return position.columns.flatMap((stones, index) => {
    if (!stones.endsWith(mover)) return [];
    return without(position, index).winner === null ? [index + 1] : [];
  });
}

/** @param {Position} position @param {number} index */
function without(position, index) {
  const columns = position.columns.slice();
  columns[index] = columns[index].slice(0, -1);
  return new Position(position.size, columns);
}

/**
 * A line of moves that leads to a position.
 * @param {Position} position
 * @returns {string | null} null where no order of its stones is a game, or none was found in time.
 */
export function lineTo(position) {
  if (position.winner === null) return orderOf(position);
  for (const column of lastStones(position)) {
    const line = orderOf(without(position, column - 1));
    if (line !== null) return line + columnLabel(column);
  }
  return null;
}

/**
 * An order of the stones in which the sides alternate. No four can appear on the way: the position
 * has none.
 * @param {Position} position
 */
function orderOf(position) {
  const { columns, ply } = position;
  const heights = columns.map(() => 0);
  /** @type {number[]} */
  const line = [];
  const failed = new Set();
  const isFound = () => {
    if (line.length === ply) return true;
    const name = heights.join();
    if (failed.has(name) || failed.size > MOST_TRIED) return false;
    const side = line.length % 2 === 0 ? "x" : "o";
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
