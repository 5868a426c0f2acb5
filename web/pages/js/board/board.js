/**
 * The board: one SVG that is a labelled grid. Stones lie behind a plate with holes, so that they fall
 * behind it. Other views use it too: `new Board()`, put its `element` somewhere, call `show`.
 *
 *     const board = new Board({ label: "Game 17" });
 *     element.append(board.element);
 *     board.show(positionAfter("7x6", "4453"));
 */

import { BoardCells } from "./cells.js";
import { draw, isStill } from "../dom.js";
import { DEFAULT_BOARD, NAMES, parseBoard } from "../game/notation.js";
import { Position, playLine } from "../game/rules.js";
import { HOLE, Layout, circle, drawStone, drop, outline } from "./shapes.js";

/** @typedef {import("../game/rules.js").Cell} Cell */
/** @typedef {import("../game/notation.js").Side} Side */
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
    this.position = Position.empty(DEFAULT_BOARD);
    /** @type {Marks} */
    this.marks = {};
    /** @type {Layout | null} */
    this.layout = null;
    /** @type {Map<string, SVGElement>} */
    this.stones = new Map();
    this.cells = new BoardCells(onPlay);
    this.layers = Object.fromEntries(
      ["holes", "stones", "plate", "marks"].map((name) => [
        name,
        draw("g", { class: `board-${name}`, "aria-hidden": "true" }),
      ]),
    );
    this.element = draw(
      "svg",
      { class: "board", role: "grid" },
      ...Object.values(this.layers),
      this.cells.element,
    );
  }

  /** Show a position. @param {Position} position @param {Marks} [marks] */
  show(position, marks = {}) {
    const before = this.position;
    this.position = position;
    this.marks = marks;
    const isNew = this.#build(position.size, Boolean(marks.flipped));
    this.#showStones(!isNew && position.ply === before.ply + 1);
    this.#showMarks();
    this.#label();
  }

  /** Where the cells are, once something is shown. */
  get #layout() {
    if (this.layout === null) throw new Error("nothing has been shown");
    return this.layout;
  }

  /**
   * @param {import("../game/notation.js").Size} size @param {boolean} flipped
   * @returns {boolean} false where the board is the one that stands there.
   */
  #build(size, flipped) {
    const old = this.layout;
    const isSame = old?.size.width === size.width && old.size.height === size.height;
    if (isSame && old?.flipped === flipped) return false;
    const layout = new Layout(size, flipped);
    const { right, bottom } = layout;
    this.layout = layout;
    this.element.setAttribute("viewBox", `0 0 ${right} ${bottom}`);
    this.element.setAttribute("aria-colcount", String(size.width));
    this.element.setAttribute("aria-rowcount", String(size.height));
    this.stones.clear();
    this.layers.stones.replaceChildren();
    const plate = { x: 2, y: 2, width: right - 4, height: bottom - 4, rx: 34 };
    this.layers.holes.replaceChildren(draw("rect", { ...plate, class: "board-back" }));
    let path = outline(right, bottom);
    for (let row = 1; row <= size.height; row += 1) {
      for (let column = 1; column <= size.width; column += 1) {
        path += circle(layout.x(column), layout.y(row), HOLE);
      }
    }
    this.layers.plate.replaceChildren(
      draw("path", { d: path, "fill-rule": "evenodd", class: "board-face" }),
    );
    this.cells.build(layout);
    return true;
  }

  /** @param {boolean} isMove whether the stone that is new falls into its place. */
  #showStones(isMove) {
    const layout = this.#layout;
    const wanted = new Set();
    this.position.columns.forEach((stones, index) => {
      [...stones].forEach((side, above) => {
        const [column, row] = [index + 1, above + 1];
        const name = `${column},${row},${side}`;
        wanted.add(name);
        if (this.stones.has(name)) return;
        const stone = drawStone(/** @type {Side} */ (side), layout.x(column), layout.y(row));
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
    return { cx: this.#layout.x(column), cy: this.#layout.y(row) };
  }

  /**
   * A ring at the upper left for red, a dot at the lower right for yellow; a cell may have both.
   * @param {Side} side @param {Cell} cell
   */
  #threat(side, [column, row]) {
    const shift = side === "x" ? -13 : 13;
    const place = { cx: this.#layout.x(column) + shift, cy: this.#layout.y(row) + shift };
    return draw("circle", { class: `mark-threat ${side}`, ...place, r: side === "x" ? 10 : 9 });
  }

  #label() {
    const { size, winner, side, isFull, isOver } = this.position;
    const turn =
      winner !== null ? `${NAMES[winner]} has won` : isFull ? "a draw" : `${NAMES[side]} to move`;
    const text = `${this.label}, ${size.width} columns, ${size.height} rows; ${turn}`;
    const isPlayable = this.cells.onPlay !== null && this.marks.isPlayable !== false && !isOver;
    this.element.setAttribute("aria-label", text);
    this.element.classList.toggle("is-playable", isPlayable);
    this.element.dataset.side = side;
    this.cells.show(this.position, isPlayable);
  }
}
