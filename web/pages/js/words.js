/** Numbers, scores and times as text. Minus signs are U+2212, because a hyphen is too short. */

/** @import {Mark, Player, Reason, Value} from "./types.js" */
/** @typedef {number | null | undefined} MaybeNumber */

const MINUS = "\u2212";
const UNKNOWN = "–";

/** @param {MaybeNumber} score @returns {string} */
export function signed(score) {
  return difference(score, 0);
}

/**
 * A number with its sign.
 * @param {MaybeNumber} value @param {number} digits after the point @returns {string}
 */
export function difference(value, digits) {
  if (value === null || value === undefined) return UNKNOWN;
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : value > 0 ? `+${text}` : `${MINUS}${text}`;
}

/**
 * A number rounded to an integer, with commas between thousands.
 * @param {MaybeNumber} number @returns {string}
 */
export function whole(number) {
  return number === null || number === undefined ? UNKNOWN : Math.round(number).toLocaleString("en");
}

/**
 * A number of things: "1 move", "1,200 moves".
 * @param {number} number @param {string} one @param {string} [many] @returns {string}
 */
export function count(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/**
 * A share from 0 to 1 as a percentage.
 * @param {MaybeNumber} share @param {number} [digits] @returns {string}
 */
export function percent(share, digits = 1) {
  if (share === null || share === undefined) return UNKNOWN;
  return `${(share * 100).toFixed(digits).replace("-", MINUS)} %`;
}

/**
 * A guess, a share from 0 to 1, as a percentage: ~56.
 * @param {number} share @returns {string}
 */
export function guessed(share) {
  return `~${Math.round(100 * share)}`;
}

/**
 * A time span: 1.2 ms, 3.4 s, 5 min, 2 h 10 min.
 * @param {MaybeNumber} seconds @returns {string}
 */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return UNKNOWN;
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${rounded(seconds * 1e6)} µs`;
  if (seconds < 1) return `${rounded(seconds * 1e3)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.round(hours / 24)} days`;
}

/** @param {number} value */
function rounded(value) {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

/**
 * A moment in the reader's time zone.
 * @param {string} time in ISO form @returns {string}
 */
export function moment(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  return date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** The names of the levels, by the descriptions of their players. @type {Map<string, string>} */
const LEVELS = new Map();

/** @param {Player[]} players */
export function nameLevels(players) {
  for (const { name, stands_for: player } of players) if (player !== null) LEVELS.set(player, capital(name));
}

/**
 * The name of a player: that of a level, or its description. Show the description as the element's title.
 * @param {string | null | undefined} player @returns {string}
 */
export function nameOf(player) {
  return LEVELS.get(player ?? "") ?? (player || "unknown");
}

/** @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The result of a score; the style sheets have classes with these names.
 * @param {MaybeNumber} score @returns {Value | "unknown"}
 */
export function valueOf(score) {
  if (score === null || score === undefined) return "unknown";
  return score > 0 ? "win" : score < 0 ? "loss" : "draw";
}

/**
 * The outcome of a move: "wins in 17 moves", "loses in 4 moves", "draw".
 * @param {{value: Value | "unknown" | null, plies: number | null}} move @returns {string}
 */
export function outcomeText({ value, plies }) {
  if (value === "draw") return "draw";
  if (value === null || value === "unknown") return "not known yet";
  const verb = value === "win" ? "wins" : "loses";
  if (plies === null) return verb;
  return value === "win" && plies <= 1 ? "wins at once" : `${verb} in ${count(plies, "move")}`;
}

/**
 * Bounds of a score: "at least −2", "between −2 and +3".
 * @param {number} lower @param {number} upper
 * @param {number} lowest the lowest possible score @param {number} highest the highest possible score
 * @returns {string}
 */
export function boundsText(lower, upper, lowest, highest) {
  if (lower === upper) return signed(lower);
  if (lower <= lowest && upper >= highest) return "not known yet";
  if (upper >= highest) return `at least ${signed(lower)}`;
  if (lower <= lowest) return `at most ${signed(upper)}`;
  return `between ${signed(lower)} and ${signed(upper)}`;
}

/**
 * Bounds of a column's score, short: "+3", "≥2", ">0", "≤0"; "" if both sides may win.
 * @param {number} lower @param {number} upper @returns {string}
 */
export function boundsShort(lower, upper) {
  if (lower === upper) return signed(lower);
  if (lower >= 0) return lower === 1 ? ">0" : `≥${lower}`;
  if (upper <= 0) return upper === -1 ? "<0" : `≤${signed(upper)}`;
  return "";
}

const MARKS = Object.freeze({ "??": "gives the result away", "?": "not the best", "!": "the only good move", "": "" });

/**
 * A reason in the page's words: the sides have the names of their colours.
 * @param {Reason} reason @returns {string}
 */
export function reasonText({ text }) {
  return text.replace(/\bx\b/g, "Red").replace(/\bo\b/g, "Yellow");
}

/** @param {Mark} mark @returns {string} */
export function markText(mark) {
  return MARKS[mark];
}

/**
 * A message of the server as a sentence, with a capital letter and a full stop.
 * @param {string} words @returns {string}
 */
export function sentence(words) {
  const text = capital(words);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** @param {unknown} error @returns {string} */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
