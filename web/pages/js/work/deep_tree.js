/** The tree of a deep job: what is proven of the score and of each column, and what is searched now. */

import { make } from "../dom.js";
import { columnLabel, signed } from "../game/notation.js";
import { count } from "../explore/wording.js";

/** Pieces that are named; of more only the number is said. */
const MOST_NAMED = 6;

/**
 * @typedef {object} Tree as the API has it; scores are for the side to move at the start
 * @property {number} lower
 * @property {number} upper
 * @property {number | null} asked null when all is proven
 * @property {({lower: number, upper: number} | null)[]} moves null for a column that cannot be played
 * @property {number} decided
 * @property {number} split
 * @property {number} cut
 * @property {number} queued
 * @property {number} failed
 * @property {{moves: string | null, beta: number}[]} at_work
 */

/** @param {Tree} tree @returns {HTMLElement} */
export function deepTree(tree) {
  return make(
    "div",
    { class: "deep-tree", "data-tree": "" },
    make("p", { class: "deep-score" }, scoreWords(tree)),
    make(
      "ol",
      { class: "deep-columns", "aria-label": "What is proven of each column" },
      tree.moves.map((bounds, index) => column(index + 1, bounds, tree)),
    ),
    make("p", { class: "quiet" }, piecesWords(tree)),
    tree.at_work.length === 0 ? null : atWork(tree.at_work),
  );
}

/** @param {Tree} tree */
function scoreWords({ lower, upper, asked }) {
  if (lower === upper) return `The score is ${signed(lower)} for the side to move.`;
  const known = `The score is between ${signed(lower)} and ${signed(upper)} for the side to move.`;
  return asked === null ? known : `${known} Asked now: is it at least ${signed(asked)}?`;
}

/** @param {number} number @param {{lower: number, upper: number} | null} bounds @param {Tree} tree */
function column(number, bounds, tree) {
  const isBest = bounds !== null && tree.lower === tree.upper && bounds.lower === tree.lower;
  return make(
    "li",
    { class: isBest ? "is-best" : null, "data-column": number },
    make("b", {}, columnLabel(number)),
    make("span", {}, bounds === null ? "full" : range(bounds)),
  );
}

/** @param {{lower: number, upper: number}} bounds */
function range({ lower, upper }) {
  return lower === upper ? signed(lower) : `${signed(lower)} to ${signed(upper)}`;
}

/** @param {Tree} tree */
function piecesWords({ decided, split, cut, queued, failed }) {
  const parts = [`${count(decided, "piece")} decided`, `${split} split`, `${cut} cut`, `${queued} waiting`];
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(" · ");
}

/** @param {{moves: string | null, beta: number}[]} pieces */
function atWork(pieces) {
  const named = pieces.slice(0, MOST_NAMED).map(({ moves, beta }) => {
    const place = moves === null ? "a piece that is needed no longer" : `after ${moves || "no moves"}`;
    return make("li", {}, `${place}: at least ${signed(beta)}?`);
  });
  const more = pieces.length - named.length;
  return make(
    "ul",
    { class: "deep-work", "aria-label": "Searched now" },
    named,
    more > 0 ? make("li", {}, `and ${count(more, "more piece")}`) : null,
  );
}
