/**
 * The cells of a board: what a pointer, the keyboard and a screen reader find there. They lie over all
 * that is drawn and are a grid with one tab stop, in which the arrow keys move.
 */

import { draw } from "../dom.js";
import { NAMES } from "../game/notation.js";
import { CELL } from "./shapes.js";

/** @typedef {import("../game/rules.js").Cell} Cell */
/** @typedef {import("../game/rules.js").Position} Position */

export class BoardCells {
  /** @param {((column: number) => void) | null} onPlay null for a board that is only looked at. */
  constructor(onPlay) {
    this.onPlay = onPlay;
    this.isPlayable = false;
    /** @type {import("./shapes.js").Layout | null} */
    this.layout = null;
    /** @type {Cell} */
    this.focused = [1, 1];
    this.element = draw("g", { class: "board-cells", role: "rowgroup" });
    this.#listen();
  }

  /** @param {import("./shapes.js").Layout} layout */
  build(layout) {
    const { width, height } = layout.size;
    this.layout = layout;
    this.focused = [Math.ceil(width / 2), 1];
    const rows = [];
    for (let row = height; row >= 1; row -= 1) {
      const line = draw("g", { role: "row", "aria-rowindex": height - row + 1 });
      for (let place = 1; place <= width; place += 1) line.append(cell(layout, layout.place(place), row));
      rows.push(line);
    }
    this.element.replaceChildren(...rows);
  }

  /** @param {Position} position @param {boolean} isPlayable */
  show(position, isPlayable) {
    this.isPlayable = isPlayable;
    const winning = new Set(position.winning.map(String));
    for (const one of this.#all()) {
      const [column, row] = cellOf(one);
      const stone = position.at(column, row);
      const held = stone === null ? "empty" : NAMES[stone].toLowerCase();
      const four = winning.has(`${column},${row}`) ? ", in the four" : "";
      one.setAttribute("aria-label", `Column ${column}, row ${row}: ${held}${four}`);
    }
    this.#showFocus();
  }

  #all() {
    return [...this.element.querySelectorAll("rect")];
  }

  #showFocus() {
    for (const one of this.#all()) {
      const isFocused = cellOf(one).join() === this.focused.join();
      one.setAttribute("tabindex", this.onPlay !== null && isFocused ? "0" : "-1");
    }
  }

  #listen() {
    const { element } = this;
    // The focus stays where it was: after a click the arrow keys step through the game as before.
    element.addEventListener("mousedown", (event) => event.preventDefault());
    element.addEventListener("click", (event) => this.#play(cellOf(event.target)[0]));
    element.addEventListener("pointerover", (event) => this.#point(cellOf(event.target)[0]));
    element.addEventListener("pointerleave", () => this.#point(0));
    element.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {number} column */
  #play(column) {
    if (this.isPlayable) this.onPlay?.(column);
  }

  /** Light up a column. @param {number} column 0 for none. */
  #point(column) {
    for (const one of this.#all()) {
      one.classList.toggle("is-pointed", cellOf(one)[0] === column && this.isPlayable);
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const [column, row] = this.focused;
    const across = this.layout?.flipped ? -1 : 1;
    /** @type {Record<string, Cell>} */
    const steps = {
      ArrowLeft: [column - across, row],
      ArrowRight: [column + across, row],
      ArrowUp: [column, row + 1],
      ArrowDown: [column, row - 1],
    };
    if (event.key === "Enter" || event.key === " ") this.#play(column);
    else if (event.key in steps) this.#focus(steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Cell} wanted */
  #focus(wanted) {
    const found = this.#all().find((one) => cellOf(one).join() === wanted.join());
    if (found === undefined) return;
    this.focused = wanted;
    this.#showFocus();
    found.focus();
  }
}

/** @param {import("./shapes.js").Layout} layout @param {number} column @param {number} row */
function cell(layout, column, row) {
  return draw("rect", {
    class: "board-cell",
    role: "gridcell",
    "aria-colindex": layout.place(column),
    "data-column": column,
    "data-row": row,
    x: layout.x(column) - CELL / 2 + 3,
    y: layout.y(row) - CELL / 2 + 3,
    width: CELL - 6,
    height: CELL - 6,
    rx: 20,
  });
}

/** @param {EventTarget | null} target @returns {Cell} */
function cellOf(target) {
  const { column = "0", row = "0" } = /** @type {SVGElement} */ (target).dataset;
  return [Number(column), Number(row)];
}
