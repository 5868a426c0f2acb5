/** The dialog with the keys, and what the signs mean. */

import { byId, make } from "./dom.js";

const KEYS = [
  ["1 … 9, then a …", "play a column (Shift and its letter from the tenth on)"],
  ["← →", "back and forth"],
  ["Home End", "first and last position"],
  ["u r", "undo and redo"],
  ["e", "evaluation on and off"],
  ["Space", "show a hidden evaluation"],
  ["t", "threats on and off"],
  ["h", "hints on and off, in a game"],
  ["f", "flip left and right"],
  ["c", "clear the board"],
  ["s", "set up a position"],
  ["l", "think longer"],
  ["?", "this help"],
];

const SIGNS = [
  ["+3", "The side to move wins; the larger the number, the sooner."],
  ["0", "A draw."],
  ["\u22122", "The side to move loses; the nearer to 0, the later."],
  ["▲", "A best column."],
  ["?? ? !", "In a review: a move that gave the result away, one that was not the best, the only good one."],
  ["● ○ ◇", "The same marks in the graph of a review."],
];

export class HelpDialog {
  constructor() {
    this.dialog = /** @type {HTMLDialogElement} */ (byId("help"));
    this.dialog.append(
      // With the focus on a button at its end, a dialog that scrolls would open there.
      make("h2", { id: "help-title", tabindex: -1, autofocus: true }, "Keys and signs"),
      list(KEYS, "kbd"),
      list(SIGNS, "b"),
      make("p", { class: "quiet" }, "Every score is exact: what the column comes to if both sides play perfectly from then on."),
      make("div", { class: "buttons" }, make("button", { type: "button", id: "help-close", class: "main", onclick: () => this.dialog.close() }, "Close")),
    );
    byId("open-help").addEventListener("click", () => this.open());
  }

  open() {
    this.dialog.showModal();
  }
}

/** @param {string[][]} rows @param {"kbd" | "b"} tag */
function list(rows, tag) {
  return make(
    "dl",
    { class: "keys" },
    ...rows.map(([name, meaning]) =>
      make("div", {}, make("dt", {}, make(tag, {}, name)), make("dd", {}, meaning)),
    ),
  );
}
