/** How numbers, scores and times are written. Minus signs are true ones (U+2212), which are visible. */

import { signed as signedNumber } from "../game/notation.js";

const MINUS = "\u2212";

/**
 * A score with its sign; what is not known is a dash.
 * @param {number|null|undefined} score for the side to move.
 * @returns {string}
 */
export function signed(score) {
  return score === null || score === undefined ? "–" : signedNumber(score);
}

/**
 * A score, or the bounds that are proven.
 * @param {{score: number|null, lower: number|null, upper: number|null}} answer
 * @returns {string}
 */
export function scoreOrBounds({ score, lower, upper }) {
  if (score !== null && score !== undefined) return signed(score);
  if (lower === null || lower === undefined) return "unknown";
  return `${signed(lower)} to ${signed(upper)}`;
}

/**
 * Whether a score is good for the side that it is seen from: also a class of the style sheet.
 * @param {number|null} score
 * @returns {"win"|"draw"|"loss"|"unknown"}
 */
export function outcome(score) {
  if (score === null || score === undefined) return "unknown";
  return score > 0 ? "win" : score < 0 ? "loss" : "draw";
}

/**
 * What a score means in words.
 * @param {number|null} score for the side to move.
 * @param {number|null} plies until the end.
 * @returns {string}
 */
export function verdict(score, plies) {
  const known = outcome(score);
  if (known === "unknown") return "not known";
  const words = { win: "wins", draw: "draw", loss: "loses" }[known];
  return plies && known !== "draw" ? `${words} in ${count(plies, "ply", "plies")}` : words;
}

/** @param {number} number @param {string} one @param {string} [many] @returns {string} */
export function count(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/** @param {number|null} number @returns {string} with thousands apart. */
export function whole(number) {
  return number === null || number === undefined ? "–" : Math.round(number).toLocaleString("en");
}

/** @param {number|null} share from 0 to 1. @param {number} [digits] @returns {string} */
export function percent(share, digits = 1) {
  if (share === null || share === undefined) return "–";
  return `${(share * 100).toFixed(digits).replace("-", MINUS)} %`;
}

/** @param {number|null} value @param {number} [digits] @returns {string} with its sign. */
export function difference(value, digits = 0) {
  if (value === null || value === undefined) return "–";
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : value > 0 ? `+${text}` : `${MINUS}${text}`;
}

/** @param {number|null} seconds @returns {string} such as 1.2 ms, 3.4 s, 5 min, 2 h 10 min. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds === 0) return "0 s";
  if (seconds < 1e-3) return `${rounded(seconds * 1e6)} µs`;
  if (seconds < 1) return `${rounded(seconds * 1e3)} ms`;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.round(hours / 24)} days`;
}

/** Two digits say enough of a time. @param {number} value */
function rounded(value) {
  return value < 10 ? value.toFixed(1) : Math.round(value);
}

/**
 * A moment: the database says epoch seconds or text in ISO form.
 * @param {number|string|null} time
 * @returns {string} in the reader's own time zone.
 */
export function moment(time) {
  if (time === null || time === undefined) return "–";
  const date = new Date(typeof time === "number" ? time * 1000 : time);
  if (Number.isNaN(date.getTime())) return String(time);
  return date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/**
 * A player’s description, shortened; where it is shown, its whole is the title.
 * @param {string|null} player
 * @returns {string}
 */
export function short(player) {
  if (!player) return "unknown";
  return player.length > 30 ? `${player.slice(0, 29)}…` : player;
}
