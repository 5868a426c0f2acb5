/**
 * The board: one SVG that is a labelled grid. Stones lie behind a plate with holes, so that they fall
 * behind it. Other views use it too: `new Board()`, put its `element` somewhere, call `show`.
 *
 *     const board = new Board({ label: "Game 17" });
 *     element.append(board.element);
 *     board.show(positionAfter("7x6", "4453"));
 */

import { draw, isStill } from "./dom.js";
import { DEFAULT_BOARD, NAMES, parseBoard } from "./notation.js";
import { Position, playLine } from "./rules.js";
import { CELL, EDGE, HOLE, circle, drawStone, drop, outline } from "./shapes.js";

/** @typedef {import("./rules.js").Cell} Cell */
/** @typedef {import("./notation.js").Side} Side */
/**
 * @typedef {object} Marks
 * @property {boolean} [flipped] mirrored
 * @property {{x: Cell[], o: Cell[]} | null} [threats] cells that would complete four
 * @property {number[]} [best] columns whose next cell is marked as best
 * @property {boolean} [isPlayable] whether a click plays
 */

/** The position after moves on a board such as "7x6". @param {string} board @param {string} moves */
export function positionAfter(board, moves) {
  const { positions } = playLine(Position.empty(parseBoard(board) ?? DEFAULT_BOARD), moves);
  return positions[positions.length - 1];
}

export class Board {
  /** @param {{label?: string, onPlay?: ((column: number) => void) | null}} [options] */
  constructor({ label = "Board", onPlay = null } = {}) {
    this.label = label;
    this.onPlay = onPlay;
    this.position = Position.empty(DEFAULT_BOARD);
    /** @type {Marks} */
    this.marks = {};
    /** @type {Cell} */
    this.focused = [1, 1];
    /** @type {Map<string, SVGElement>} */
    this.stones = new Map();
    this.element = /** @type {SVGSVGElement} */ (draw("svg", { class: "board", role: "grid" }));
    this.layers = Object.fromEntries(
      ["holes", "stones", "plate", "marks", "cells"].map((name) => [
        name,
        draw("g", { class: `board-${name}`, ...(name === "cells" ? {} : { "aria-hidden": "true" }) }),
      ]),
    );
    this.layers.cells.setAttribute("role", "rowgroup");
    this.element.append(...Object.values(this.layers));
    this.#listen();
  }

  /** Show a position. @param {Position} position @param {Marks} [marks] */
  show(position, marks = {}) {
    const before = this.position;
    const isSameBoard =
      this.element.hasAttribute("viewBox") &&
      before.size.width === position.size.width &&
      before.size.height === position.size.height &&
      Boolean(this.marks.flipped) === Boolean(marks.flipped);
    this.position = position;
    this.marks = marks;
    if (!isSameBoard) this.#build();
    this.#showStones(isSameBoard && position.ply === before.ply + 1);
    this.#showMarks();
    this.#label();
  }

  #build() {
    const { width, height } = this.position.size;
    const [right, bottom] = [width * CELL + 2 * EDGE, height * CELL + 2 * EDGE];
    this.element.setAttribute("viewBox", `0 0 ${right} ${bottom}`);
    this.element.setAttribute("aria-colcount", String(width));
    this.element.setAttribute("aria-rowcount", String(height));
    for (const layer of Object.values(this.layers)) layer.replaceChildren();
    this.stones.clear();
    this.focused = [Math.ceil(width / 2), 1];
    const plate = { x: 2, y: 2, width: right - 4, height: bottom - 4, rx: 34 };
    this.layers.holes.append(draw("rect", { ...plate, class: "board-back" }));
    let path = outline(right, bottom);
    for (let row = height; row >= 1; row -= 1) {
      const line = draw("g", { role: "row", "aria-rowindex": height - row + 1 });
      for (let place = 1; place <= width; place += 1) {
        const column = this.marks.flipped ? width + 1 - place : place;
        path += circle(this.#x(column), this.#y(row), HOLE);
        line.append(this.#cell(column, row, place));
      }
      this.layers.cells.append(line);
    }
    this.layers.plate.append(
      draw("path", { d: path, "fill-rule": "evenodd", class: "board-face" }),
    );
  }

  /** @param {number} column @param {number} row @param {number} place */
  #cell(column, row, place) {
    return draw("rect", {
      class: "board-cell",
      role: "gridcell",
      "aria-colindex": place,
      "data-column": column,
      "data-row": row,
      x: this.#x(column) - CELL / 2 + 3,
      y: this.#y(row) - CELL / 2 + 3,
      width: CELL - 6,
      height: CELL - 6,
      rx: 20,
    });
  }

  /** @param {number} column */
  #x(column) {
    const place = this.marks.flipped ? this.position.size.width + 1 - column : column;
    return EDGE + (place - 0.5) * CELL;
  }

  /** @param {number} row */
  #y(row) {
    return EDGE + (this.position.size.height - row + 0.5) * CELL;
  }

  /** @param {boolean} isMove whether the stone that is new falls into its place. */
  #showStones(isMove) {
    const wanted = new Set();
    this.position.columns.forEach((stones, index) => {
      [...stones].forEach((side, above) => {
        const [column, row] = [index + 1, above + 1];
        const name = `${column},${row},${side}`;
        wanted.add(name);
        if (this.stones.has(name)) return;
        const stone = drawStone(/** @type {Side} */ (side), this.#x(column), this.#y(row));
        this.stones.set(name, stone);
        this.layers.stones.append(stone);
        if (isMove && !isStill()) drop(stone, this.position.size.height - row + 1);
      });
    });
    for (const [name, stone] of this.stones) {
      if (wanted.has(name)) continue;
      stone.remove();
      this.stones.delete(name);
    }
  }

  #showMarks() {
    const { winning, last, size } = this.position;
    const { threats = null, best = [] } = this.marks;
    /** @type {SVGElement[]} */
    const marks = [];
    for (const side of /** @type {Side[]} */ (["x", "o"])) {
      for (const cell of threats?.[side] ?? []) marks.push(this.#threat(side, cell));
    }
    for (const column of best) {
      const row = this.position.columns[column - 1].length + 1;
      if (row > size.height) continue;
      marks.push(draw("circle", { class: "mark-best", ...this.#centre([column, row]), r: 33 }));
    }
    for (const cell of winning) {
      marks.push(draw("circle", { class: "mark-four", ...this.#centre(cell), r: HOLE - 3 }));
    }
    if (last !== null && winning.length === 0) {
      marks.push(draw("circle", { class: "mark-last", ...this.#centre(last), r: HOLE - 1 }));
    }
    this.layers.marks.replaceChildren(...marks);
  }

  /** @param {Cell} cell */
  #centre([column, row]) {
    return { cx: this.#x(column), cy: this.#y(row) };
  }

  /**
   * A ring at the upper left for red, a dot at the lower right for yellow; a cell may have both.
   * @param {Side} side @param {Cell} cell
   */
  #threat(side, [column, row]) {
    const shift = side === "x" ? -13 : 13;
    const place = { cx: this.#x(column) + shift, cy: this.#y(row) + shift };
    return draw("circle", { class: `mark-threat ${side}`, ...place, r: side === "x" ? 10 : 9 });
  }

  #label() {
    const { size, winner, side, isFull } = this.position;
    const turn =
      winner !== null ? `${NAMES[winner]} has won` : isFull ? "a draw" : `${NAMES[side]} to move`;
    const text = `${this.label}, ${size.width} columns, ${size.height} rows; ${turn}`;
    this.element.setAttribute("aria-label", text);
    this.element.classList.toggle("is-playable", this.#isPlayable());
    this.element.dataset.side = side;
    const winning = new Set(this.position.winning.map(String));
    for (const cell of this.layers.cells.querySelectorAll("rect")) {
      const [column, row] = cellOf(cell);
      const stone = this.position.at(column, row);
      const held = stone === null ? "empty" : NAMES[stone].toLowerCase();
      const four = winning.has(`${column},${row}`) ? ", in the four" : "";
      cell.setAttribute("aria-label", `Column ${column}, row ${row}: ${held}${four}`);
      const isFocused = column === this.focused[0] && row === this.focused[1];
      cell.setAttribute("tabindex", this.onPlay !== null && isFocused ? "0" : "-1");
    }
  }

  #isPlayable() {
    return this.onPlay !== null && this.marks.isPlayable !== false && !this.position.isOver;
  }

  /** @param {number} column */
  #play(column) {
    if (this.#isPlayable()) this.onPlay?.(column);
  }

  #listen() {
    const { cells } = this.layers;
    // The focus stays where it was: after a click the arrow keys step through the game as before.
    cells.addEventListener("mousedown", (event) => event.preventDefault());
    cells.addEventListener("click", (event) => this.#play(cellOf(event.target)[0]));
    cells.addEventListener("pointerover", (event) => this.#point(cellOf(event.target)[0]));
    cells.addEventListener("pointerleave", () => this.#point(0));
    cells.addEventListener("keydown", (event) => this.#press(event));
  }

  /** Light up a column. @param {number} column 0 for none. */
  #point(column) {
    for (const cell of this.layers.cells.querySelectorAll("rect")) {
      cell.classList.toggle("is-pointed", cellOf(cell)[0] === column && this.#isPlayable());
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const [column, row] = this.focused;
    const across = this.marks.flipped ? -1 : 1;
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

  /** @param {Cell} cell */
  #focus([column, row]) {
    const { width, height } = this.position.size;
    if (column < 1 || column > width || row < 1 || row > height) return;
    this.focused = [column, row];
    this.#label();
    const cells = this.layers.cells.querySelectorAll("rect");
    [...cells].find((cell) => cellOf(cell).join() === this.focused.join())?.focus();
  }
}

/** @param {EventTarget | null} target @returns {Cell} */
function cellOf(target) {
  const { column = "0", row = "0" } = /** @type {SVGElement} */ (target).dataset;
  return [Number(column), Number(row)];
}
