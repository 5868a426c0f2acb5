/** The list of moves. Each move is a button that steps to its position. */

import { byId, make } from "../dom.js";
import { NAMES, columnLabel, columnNumber, sideAt } from "../game/position.js";
import { markText } from "../words.js";

/** @import {Session} from "../game/session.js" */
/** @import {Mark} from "../types.js" */

/**
 * @param {Session} session
 * @param {Map<number, Mark>} marks the marks by the moves' index in the line
 * @param {number} variation the index of the first move that is not part of the reviewed game
 */
export function showMoves(session, marks, variation) {
  const { line, shown } = session.state;
  const first = session.positions[0].ply;
  /** @type {HTMLElement[]} */
  const rows = [];
  for (const [index, character] of [...line].entries()) {
    const ply = first + index;
    if (index === 0 || ply % 2 === 0) {
      const number = make("span", { class: "move-number", "aria-hidden": "true" }, ply - (ply % 2) + 1);
      rows.push(make("li", {}, number, ply % 2 === 1 && make("span", { class: "move-gap" }, "…")));
    }
    const move = { index, ply, column: columnNumber(character), mark: marks.get(index) ?? "" };
    rows[rows.length - 1].append(moveButton(session, move, index >= variation));
  }
  const list = byId("moves");
  list.replaceChildren(...rows);
  byId("moves-empty").hidden = line !== "";
  const current = list.querySelector('[aria-current="step"]');
  // scrollIntoView() would scroll the entire page on a phone.
  if (shown === 0) list.scrollTop = 0;
  else if (current instanceof HTMLElement) list.scrollTop = Math.max(0, current.offsetTop - list.clientHeight / 2);
}

/**
 * @param {Session} session
 * @param {{index: number, ply: number, column: number, mark: Mark}} move
 * @param {boolean} isVariation
 */
function moveButton(session, { index, ply, column, mark }, isVariation) {
  const side = sideAt(ply);
  const meaning = mark === "" ? "" : `, ${markText(mark)}`;
  return make(
    "button",
    {
      type: "button",
      class: `move ${side}${isVariation ? " is-variation" : ""}`,
      "data-shown": index + 1,
      "data-mark": mark === "" ? null : mark,
      "aria-current": session.state.shown === index + 1 ? "step" : null,
      "aria-label": `Move ${ply + 1}: ${NAMES[side]}, column ${column}${meaning}`,
      onclick: () => session.go(index + 1),
    },
    columnLabel(column),
    mark !== "" && make("span", { class: "mark" }, mark),
  );
}
