/** The words, the bar and the line of an evaluation. */

import { byId, make } from "./dom.js";
import {
  NAMES,
  boundsText,
  columnLabel,
  columnNumber,
  otherSide,
  plural,
  pliesText,
  signed,
} from "./game/notation.js";

/** @typedef {import("./game/rules.js").Position} Position */

/**
 * Who wins, in words.
 * @param {Position} position
 * @param {any} answer the API's; null where nothing is known.
 */
export function verdictText(position, answer) {
  if (position.winner !== null) return `${NAMES[position.winner]} has won`;
  if (position.isFull) return "A draw: the board is full";
  const mover = NAMES[position.side];
  const other = NAMES[otherSide(position.side)];
  if (answer === null) return `${mover} to move`;
  if (answer.value === "draw") return "A draw with best play";
  if (answer.value !== null) {
    const winner = answer.value === "win" ? mover : other;
    if (answer.plies === null) return `${winner} wins with best play`;
    if (answer.plies <= 1) return `${winner} wins at once`;
    return `${winner} wins in ${pliesText(answer.plies)} with best play`;
  }
  if (answer.lower === 0) return `${mover} has at least a draw`;
  if (answer.upper === 0) return `${other} has at least a draw`;
  return "Not decided yet";
}

/** @param {string} words as {@link verdictText} has them; what they hold under breaks as a whole. */
export function showVerdict(words) {
  const [main, condition] = words.split(/ (?=with best play$)/);
  byId("verdict").replaceChildren(main, ...(condition ? [" ", make("span", {}, condition)] : []));
}

/**
 * The side that the words are about; null where it is a draw, or open.
 * @param {Position} position @param {any} answer
 */
export function leadingSide(position, answer) {
  if (position.winner !== null) return position.winner;
  if (position.isFull) return null;
  if (answer === null || answer.value === "win") return position.side;
  return answer.value === "loss" ? otherSide(position.side) : null;
}

/** @param {Position} position @param {any} answer */
export function scoreText(position, answer) {
  if (answer === null || position.isOver) return "";
  const cells = position.size.width * position.size.height;
  const lowest = -Math.floor((cells - position.ply) / 2);
  const highest = Math.floor((cells + 1 - position.ply) / 2);
  const score = boundsText(answer.lower, answer.upper, lowest, highest);
  return `Score ${score} for ${NAMES[position.side]}, to move`;
}

/** Where an answer comes from. @param {any} answer */
export function sourceText(answer) {
  if (answer === null) return "";
  if (answer.source === "book") return "from the book";
  if (answer.source === "db") return "from the database";
  if (answer.source !== "search") return "";
  return `${countText(answer.nodes)} searched in ${secondsText(answer.seconds)}`;
}

/** @param {number} count */
function countText(count) {
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} million positions`;
  return count >= 10_000 ? `${Math.round(count / 1000)} thousand positions` : plural(count, "position");
}

/** @param {number} seconds */
function secondsText(seconds) {
  if (seconds < 0.001) return "under 1 ms";
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/**
 * How full the bar is, from −1 (yellow) to 1 (red). Any win is far from the middle, a quick one farther.
 * @param {Position} position @param {any} answer
 */
export function barShare(position, answer) {
  if (position.winner !== null) return position.winner === "x" ? 1 : -1;
  if (answer === null || answer.value === "draw" || position.isFull) return 0;
  const most = (position.size.width * position.size.height + 1) / 2;
  const score = answer.score ?? (answer.lower > 0 ? answer.lower : Math.min(answer.upper, 0));
  const sign = Math.sign(score) * (position.side === "x" ? 1 : -1);
  return sign === 0 ? 0 : sign * (0.3 + 0.6 * Math.min(1, Math.abs(score) / most));
}

/** @param {Position} position @param {any} answer @param {boolean} isShown */
export function showBar(position, answer, isShown) {
  const bar = byId("bar");
  const share = isShown ? barShare(position, answer) : 0;
  bar.classList.toggle("is-hidden", !isShown);
  bar.style.setProperty("--share", String((1 + share) / 2));
  bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  const words = isShown ? verdictText(position, answer) : "hidden";
  bar.setAttribute("aria-valuetext", words);
  bar.title = isShown ? words : "";
}

/**
 * The principal variation, each move a button that steps to it.
 * @param {Position} position @param {string} line @param {(moves: number) => void} onStep
 */
export function showLine(position, line, onStep) {
  const box = byId("line-box");
  box.hidden = line === "";
  const side = (/** @type {number} */ index) =>
    index % 2 === 0 ? position.side : otherSide(position.side);
  byId("line").replaceChildren(
    ...[...line].map((character, index) =>
      make(
        "li",
        {},
        make(
          "button",
          {
            type: "button",
            class: `chip ${side(index)}`,
            "data-index": index,
            "aria-label": `${NAMES[side(index)]}, column ${columnNumber(character)}`,
            onclick: () => onStep(index + 1),
          },
          columnLabel(columnNumber(character)),
        ),
      ),
    ),
  );
}

/**
 * What is announced once a position is known.
 * @param {Position} position @param {any} answer
 */
export function announcementText(position, answer) {
  const words = [verdictText(position, answer)];
  if (answer !== null && !position.isOver) {
    if (answer.score !== null) words.push(`score ${signed(answer.score)} for ${NAMES[position.side]}`);
    if (answer.best.length > 0) {
      words.push(`best ${plural(answer.best.length, "column").replace(/^\d+ /, "")} ${answer.best.join(", ")}`);
    }
  }
  return `${words.join("; ")}.`;
}
