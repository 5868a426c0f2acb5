/** The shapes that the board is made of, in its own units: a cell is 100 wide. */

import { draw } from "../dom.js";

/** @typedef {import("../game/notation.js").Side} Side */
/** @typedef {import("../game/notation.js").Size} Size */

export const CELL = 100;
/** Of the plate, around all cells. */
export const EDGE = 12;
/** Radius. */
export const HOLE = 41;

const CORNER = 34;

/**
 * A stone; red has a ring, yellow a dot, for those to whom the colours look alike.
 * @param {Side} side @param {number} x @param {number} y
 */
export function drawStone(side, x, y) {
  return draw(
    "g",
    { class: `stone ${side}` },
    draw("circle", { class: "stone-body", cx: x, cy: y, r: HOLE + 1 }),
    draw("circle", { class: "stone-rim", cx: x, cy: y, r: HOLE - 5 }),
    draw("circle", { class: "stone-sign", cx: x, cy: y, r: side === "x" ? 17 : 9 }),
  );
}

/** @param {SVGElement} stone @param {number} rows how far it falls. */
export function drop(stone, rows) {
  const from = { transform: `translateY(${-rows * CELL}px)` };
  stone.animate([from, { transform: "none" }], {
    duration: 90 + 75 * Math.sqrt(rows * 4),
    easing: "cubic-bezier(0.5, 0.02, 0.8, 0.6)",
  });
}

/** The plate's edge. @param {number} right @param {number} bottom */
export function outline(right, bottom) {
  const r = CORNER;
  const [w, h] = [right - 4 - 2 * r, bottom - 4 - 2 * r];
  return `M${2 + r} 2h${w}a${r} ${r} 0 0 1 ${r} ${r}v${h}a${r} ${r} 0 0 1 ${-r} ${r}h${-w}a${r} ${r} 0 0 1 ${-r} ${-r}v${-h}a${r} ${r} 0 0 1 ${r} ${-r}z`;
}

/** @param {number} x @param {number} y @param {number} r */
export function circle(x, y, r) {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
}

/** Where the cells of a board lie. */
export class Layout {
  /** @param {Size} size @param {boolean} flipped mirrored */
  constructor(size, flipped) {
    this.size = size;
    this.flipped = flipped;
    this.right = size.width * CELL + 2 * EDGE;
    this.bottom = size.height * CELL + 2 * EDGE;
  }

  /** The column's place from the left; of a place its column. @param {number} column from 1 */
  place(column) {
    return this.flipped ? this.size.width + 1 - column : column;
  }

  /** The middle of a column. @param {number} column */
  x(column) {
    return EDGE + (this.place(column) - 0.5) * CELL;
  }

  /** The middle of a row. @param {number} row from 1, the lowest */
  y(row) {
    return EDGE + (this.size.height - row + 0.5) * CELL;
  }
}
