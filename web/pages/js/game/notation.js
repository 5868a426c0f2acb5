/**
 * Text for columns, boards and scores. Columns are counted from 1, as people do; cells are
 * [column, row] with row 1 at the bottom. `x` moves first and is red, `o` is yellow.
 */

/** @typedef {"x" | "o"} Side */
/** @typedef {{width: number, height: number}} Size */

const LABELS = "0123456789abcdefghijklmnopqrstuvw";

/** Bits of the engine's board: its squares and a guard bit a column (c4core/notation.py). */
const MAX_BITS = 64;
const MAX_HEIGHT = 19;

/** @type {Size} */
export const DEFAULT_BOARD = Object.freeze({ width: 7, height: 6 });

/** Boards that people play on; any other can be typed. */
export const COMMON_BOARDS = ["7x6", "8x7", "9x6", "7x8", "7x7", "6x7", "6x5", "5x5", "4x4"].filter(
  (text) => parseBoard(text) !== null,
);

export const NAMES = Object.freeze({ x: "Red", o: "Yellow" });

/** @param {Side} side @returns {Side} */
export function otherSide(side) {
  return side === "x" ? "o" : "x";
}

/**
 * The board that a text such as "7x6" names.
 * @param {string} text
 * @returns {Size | null} null where no board of that size can be played on.
 */
export function parseBoard(text) {
  const match = /^\s*(\d{1,3})\s*[x×]\s*(\d{1,3})\s*$/i.exec(text);
  if (match === null) return null;
  const size = { width: Number(match[1]), height: Number(match[2]) };
  return boardProblem(size) === null ? size : null;
}

/**
 * What is wrong with a size, in words; null where nothing is.
 * @param {Size} size
 */
export function boardProblem({ width, height }) {
  if (!Number.isInteger(width) || !Number.isInteger(height) || width < 1 || height < 1) {
    return "A board needs at least one column and one row.";
  }
  if (height > MAX_HEIGHT) return `A board has at most ${MAX_HEIGHT} rows.`;
  if (width * (height + 1) > MAX_BITS) {
    return `${width}×${height} is too large: columns × (rows + 1) may be at most ${MAX_BITS}.`;
  }
  return null;
}

/** @param {Size} size */
export function boardText({ width, height }) {
  return `${width}x${height}`;
}

/** The character of a column. @param {number} column */
export function columnLabel(column) {
  return LABELS[column];
}

/** The column that a character stands for; 0 where it is none. @param {string} character */
export function columnNumber(character) {
  return /^[1-9a-wA-W]$/.test(character) ? LABELS.indexOf(character.toLowerCase()) : 0;
}

/**
 * A score with its sign; U+2212, for a hyphen is too short to be seen under a column.
 * @param {number} score
 */
export function signed(score) {
  if (score === 0) return "0";
  return score > 0 ? `+${score}` : `\u2212${-score}`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** "41 plies". @param {number} count */
export function pliesText(count) {
  return plural(count, "ply", "plies");
}

/**
 * What a column comes to: "wins in 17 plies", "loses in 4 plies", "draw".
 * @param {{value: string | null, plies: number | null}} column
 */
export function outcomeText({ value, plies }) {
  if (value === "draw") return "draw";
  if (value === null) return "not known yet";
  const verb = value === "win" ? "wins" : "loses";
  if (plies === null || plies === undefined) return verb;
  return value === "win" && plies <= 1 ? "wins at once" : `${verb} in ${pliesText(plies)}`;
}

/**
 * Bounds in words: "at least −2", "between −2 and +3".
 * @param {number} lower @param {number} upper
 * @param {number} lowest @param {number} highest the bounds that say nothing.
 */
export function boundsText(lower, upper, lowest, highest) {
  if (lower === upper) return signed(lower);
  if (lower <= lowest && upper >= highest) return "not known yet";
  if (upper >= highest) return `at least ${signed(lower)}`;
  if (lower <= lowest) return `at most ${signed(upper)}`;
  return `between ${signed(lower)} and ${signed(upper)}`;
}

/** The server's words as a sentence: they begin small, for they follow a name elsewhere. @param {string} words */
export function sentence(words) {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
