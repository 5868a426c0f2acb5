/** The keys of the board. They rest while somebody writes, chooses, or has a dialog open. */

import { columnNumber } from "./game/notation.js";

/**
 * @param {{isActive: () => boolean, onColumn: (column: number) => void,
 *   commands: Record<string, () => void>}} options commands by `KeyboardEvent.key`.
 */
export function listenToKeys({ isActive, onColumn, commands }) {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (!isActive() || isTaken(event)) return;
    const command = commands[event.key];
    if (command !== undefined) command();
    else if (/^[1-9A-W]$/.test(event.key)) onColumn(columnNumber(event.key));
    else return;
    event.preventDefault();
  });
}

/** Whether the element with the focus needs the key for itself. @param {KeyboardEvent} event */
function isTaken({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (document.querySelector("dialog[open]") !== null) return true;
  if (target.closest("input:not([type=checkbox]), textarea, select, [role=slider]")) return true;
  return key === " " && target.closest("button, a, summary, input") !== null;
}
