/** The list of moves; each steps to its position. */

import { byId, make } from "./dom.js";
import { markText } from "./review/marks.js";
import { NAMES, columnLabel, columnNumber } from "./game/notation.js";
import { sideAt } from "./game/rules.js";

/**
 * @param {import("./game/session.js").Session} session
 * @param {Map<number, string>} marks by the move's place in the line, from 0.
 * @param {number} variation from this move on the line has left the game that is reviewed.
 */
export function showMoves(session, marks, variation) {
  const { line, shown } = session.state;
  const first = session.positions[0].ply;
  /** @type {HTMLElement[]} */
  const rows = [];
  let row = null;
  for (const [index, character] of [...line].entries()) {
    const ply = first + index;
    if (row === null || ply % 2 === 0) {
      row = make("li", {}, make("span", { class: "move-number", "aria-hidden": "true" }, `${Math.floor(ply / 2) + 1}`));
      if (ply % 2 === 1) row.append(make("span", { class: "move-gap" }, "…"));
      rows.push(row);
    }
    row.append(moveButton(session, index, ply, character, marks.get(index) ?? "", index >= variation));
  }
  const list = byId("moves");
  list.replaceChildren(...rows);
  byId("moves-empty").hidden = line !== "";
  const current = list.querySelector('[aria-current="step"]');
  // Not scrollIntoView(): that would move the whole page on a phone.
  if (shown === 0) list.scrollTop = 0;
  else if (current instanceof HTMLElement) {
    const place = current.offsetTop - list.clientHeight / 2;
    list.scrollTop = Math.max(0, place);
  }
}

/**
 * @param {import("./game/session.js").Session} session @param {number} index @param {number} ply
 * @param {string} character @param {string} mark @param {boolean} isVariation
 */
function moveButton(session, index, ply, character, mark, isVariation) {
  const side = sideAt(ply);
  const column = columnNumber(character);
  const meaning = mark === "" ? "" : `, ${markText(mark)}`;
  const isShown = session.state.shown === index + 1;
  return make(
    "button",
    {
      type: "button",
      class: `move ${side}${isVariation ? " is-variation" : ""}`,
      "data-shown": index + 1,
      "data-mark": mark === "" ? null : mark,
      "aria-current": isShown ? "step" : null,
      "aria-label": `Move ${ply + 1}: ${NAMES[side]}, column ${column}${meaning}`,
      onclick: () => session.go(index + 1),
    },
    columnLabel(column),
    mark === "" ? null : make("span", { class: "mark" }, mark),
  );
}
