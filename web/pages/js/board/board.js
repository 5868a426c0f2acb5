/**
 * The board: one SVG that is a labelled grid. Stones fall behind a plate with holes. The cells are on top of the
 * drawing, for pointers, the keyboard and screen readers. Any view can show a board:
 *
 *     const board = new Board({ label: "Game 17" });
 *     element.append(board.element);
 *     board.show(positionAfter("7x6", "4453"));
 *
 * A cell is 100 units wide.
 */

import { draw, isStill } from "../dom.js";
import { DEFAULT_BOARD, NAMES, Position, SIDES } from "../game/position.js";

/** @import {Cell, Size} from "../game/position.js" */
/** @import {Side} from "../types.js" */
/** @typedef {(column: number) => void} OnPlay */
/**
 * Marks of a board. `threats` are cells that would complete a four; `best` are columns whose next cell is marked;
 * `wrong` is a column whose next cell gets a cross, and the best ones a tick; `isPlayable`: a click plays; `isFree`: also after the end of the game. `ghost` is the side of the stone that is
 * shown where the pointer would drop it, by default the side to move.
 * @typedef {{
 *   flipped?: boolean, threats?: Record<Side, Cell[]> | null, best?: number[], wrong?: number,
 *   isPlayable?: boolean, isFree?: boolean, ghost?: Side | null,
 * }} Marks
 */

const CELL = 100;
/** Width of the plate's edge around the cells. */
const EDGE = 12;
/** Radius of a hole. */
const HOLE = 41;
/** Signs inside a cell, from its centre. */
const CROSS = "m-18 -18l36 36m0 -36l-36 36";
const TICK = "m-17 2l12 14l22 -30";
/** Radius of the plate's corners. */
const CORNER = 34;

/** The places of the cells in the drawing. */
class Layout {
  /** @param {Size} size @param {boolean} flipped left and right are swapped */
  constructor(size, flipped) {
    this.size = size;
    this.flipped = flipped;
    this.right = size.width * CELL + 2 * EDGE;
    this.bottom = size.height * CELL + 2 * EDGE;
  }

  /**
   * The place of a column from the left, or the column at a place.
   * @param {number} column
   */
  place(column) {
    return this.flipped ? this.size.width + 1 - column : column;
  }

  /** @param {number} column */
  x(column) {
    return EDGE + (this.place(column) - 0.5) * CELL;
  }

  /** @param {number} row */
  y(row) {
    return EDGE + (this.size.height - row + 0.5) * CELL;
  }

  /** @param {Cell} cell */
  centre([column, row]) {
    return { cx: this.x(column), cy: this.y(row) };
  }

  /** All cells by rows, the top row first, each row from the left. */
  *rows() {
    for (let row = this.size.height; row >= 1; row -= 1) {
      yield Array.from({ length: this.size.width }, (_, index) => /** @type {Cell} */ ([this.place(index + 1), row]));
    }
  }

  /** The plate with a hole for each cell. */
  plate() {
    const r = CORNER;
    const [w, h] = [this.right - 4 - 2 * r, this.bottom - 4 - 2 * r];
    const corner = (/** @type {number} */ x, /** @type {number} */ y) => `a${r} ${r} 0 0 1 ${x} ${y}`;
    const edge = `M${2 + r} 2h${w}${corner(r, r)}v${h}${corner(-r, r)}h${-w}${corner(-r, -r)}v${-h}${corner(r, -r)}z`;
    const holes = [...this.rows()].flat().map(([column, row]) => hole(this.x(column), this.y(row)));
    return draw("path", { d: edge + holes.join(""), "fill-rule": "evenodd", class: "board-face" });
  }
}

/** @param {number} x @param {number} y */
function hole(x, y) {
  return `M${x - HOLE} ${y}a${HOLE} ${HOLE} 0 1 0 ${2 * HOLE} 0a${HOLE} ${HOLE} 0 1 0 ${-2 * HOLE} 0z`;
}

/** @param {Layout} layout @param {string} name the class */
function rectangle({ right, bottom }, name) {
  return draw("rect", { class: name, x: 2, y: 2, width: right - 4, height: bottom - 4, rx: CORNER });
}

/**
 * A stone. Red has a ring and yellow a dot, for people who cannot tell the colours apart.
 * @param {Side} side @param {{cx: number, cy: number}} centre @param {string} [name] the class
 */
function drawStone(side, centre, name = "stone") {
  return draw(
    "g",
    { class: `${name} ${side}` },
    draw("circle", { class: "stone-body", ...centre, r: HOLE + 1 }),
    draw("circle", { class: "stone-rim", ...centre, r: HOLE - 5 }),
    draw("circle", { class: "stone-sign", ...centre, r: side === "x" ? 17 : 9 }),
  );
}

/** @param {SVGElement} stone @param {number} rows the number of rows that it falls */
function drop(stone, rows) {
  const from = { transform: `translateY(${-rows * CELL}px)` };
  stone.animate([from, { transform: "none" }], {
    duration: 90 + 75 * Math.sqrt(rows * 4),
    easing: "cubic-bezier(0.5, 0.02, 0.8, 0.6)",
  });
}

/**
 * Draw a small picture of a position for a table. Its cells have no labels: the table's row describes the position,
 * and fifty grids would overwhelm users of screen readers.
 * @param {Position} position @returns {SVGElement}
 */
export function drawMiniature(position) {
  const layout = new Layout(position.size, false);
  const cells = [...layout.rows()].flat().map((cell) => {
    const stone = position.at(...cell);
    const centre = layout.centre(cell);
    return stone === null ? draw("circle", { class: "board-back", ...centre, r: HOLE }) : drawStone(stone, centre);
  });
  const viewBox = `0 0 ${layout.right} ${layout.bottom}`;
  const attributes = { class: "board miniature", viewBox, "aria-hidden": "true" };
  return draw("svg", attributes, rectangle(layout, "board-face"), cells);
}

/** A board that shows positions, and plays columns if `onPlay` is given. */
export class Board {
  #label;
  #cells;
  #position = Position.empty(DEFAULT_BOARD);
  /** @type {Marks} */
  #marks = {};
  #layout = new Layout(DEFAULT_BOARD, false);
  #isBuilt = false;
  /** @type {Map<string, SVGElement>} */
  #stones = new Map();
  #layers = {
    holes: layer("holes"),
    ghost: layer("ghost"),
    stones: layer("stones"),
    plate: layer("plate"),
    marks: layer("marks"),
  };
  /** The column of the pointer; 0 for none. */
  #pointed = 0;

  /** @param {{label?: string, onPlay?: OnPlay | null}} [options] */
  constructor({ label = "Board", onPlay = null } = {}) {
    this.#label = label;
    this.#cells = new Cells(onPlay, (column) => {
      this.#pointed = column;
      this.#showGhost();
    });
    this.element = draw(
      "svg",
      { class: "board", role: "grid" },
      ...Object.values(this.#layers),
      this.#cells.element,
    );
  }

  /** @param {Position} position @param {Marks} [marks] */
  show(position, marks = {}) {
    const before = this.#position;
    this.#position = position;
    this.#marks = marks;
    const isSameBoard = !this.#build(position.size, marks.flipped === true);
    this.#showStones(isSameBoard && position.ply === before.ply + 1);
    this.#layers.marks.replaceChildren(...this.#drawMarks());
    this.#describe();
    this.#showGhost();
  }

  #showGhost() {
    const { size, columns, side } = this.#position;
    const row = (columns[this.#pointed - 1]?.length ?? size.height) + 1;
    const ghost = this.#marks.ghost === undefined ? side : this.#marks.ghost;
    const isShown = this.element.classList.contains("is-playable") && row <= size.height && ghost !== null;
    const stone = isShown ? [drawStone(ghost, this.#layout.centre([this.#pointed, row]), "ghost")] : [];
    this.#layers.ghost.replaceChildren(...stone);
  }

  /**
   * @param {Size} size @param {boolean} flipped
   * @returns {boolean} false if the board did not change
   */
  #build(size, flipped) {
    const old = this.#layout;
    const isSame = old.size.width === size.width && old.size.height === size.height && old.flipped === flipped;
    if (this.#isBuilt && isSame) return false;
    const layout = new Layout(size, flipped);
    this.#layout = layout;
    this.#isBuilt = true;
    this.element.setAttribute("viewBox", `0 0 ${layout.right} ${layout.bottom}`);
    this.element.setAttribute("aria-colcount", String(size.width));
    this.element.setAttribute("aria-rowcount", String(size.height));
    this.#stones.clear();
    this.#layers.stones.replaceChildren();
    this.#layers.holes.replaceChildren(rectangle(layout, "board-back"));
    this.#layers.plate.replaceChildren(layout.plate());
    this.#cells.build(layout);
    return true;
  }

  /** @param {boolean} isMove whether new stones fall into place */
  #showStones(isMove) {
    const wanted = new Set();
    this.#position.columns.forEach((stones, index) => {
      for (let row = 1; row <= stones.length; row += 1) {
        const side = /** @type {Side} */ (stones[row - 1]);
        const name = `${index},${row},${side}`;
        wanted.add(name);
        if (this.#stones.has(name)) continue;
        const stone = drawStone(side, this.#layout.centre([index + 1, row]));
        this.#stones.set(name, stone);
        this.#layers.stones.append(stone);
        if (isMove && !isStill()) drop(stone, this.#position.size.height - row + 1);
      }
    });
    for (const [name, stone] of this.#stones) {
      if (wanted.has(name)) continue;
      stone.remove();
      this.#stones.delete(name);
    }
  }

  #drawMarks() {
    const { winning, last, size, columns } = this.#position;
    const { threats = null, best = [], wrong } = this.#marks;
    /** @param {Cell} cell @param {string} name @param {number} r */
    const ring = (cell, name, r) => draw("circle", { class: name, ...this.#layout.centre(cell), r });
    const next = (/** @type {number} */ column) => /** @type {Cell} */ ([column, columns[column - 1].length + 1]);
    const signs = wrong === undefined ? [] : [this.#sign(next(wrong), CROSS, "mark-wrong"), ...best.map((one) => this.#sign(next(one), TICK, "mark-right"))];
    return [
      ...signs,
      ...SIDES.flatMap((side) => (threats?.[side] ?? []).map((cell) => this.#threat(side, cell))),
      ...best.map(next).filter(([, row]) => row <= size.height).map((cell) => ring(cell, "mark-best", 33)),
      ...winning.map((cell) => ring(cell, "mark-four", HOLE - 3)),
      ...(last !== null && winning.length === 0 ? [ring(last, "mark-last", HOLE - 1)] : []),
    ];
  }

  /** @param {Cell} cell @param {string} path @param {string} name */
  #sign(cell, path, name) {
    const { cx, cy } = this.#layout.centre(cell);
    return draw("path", { class: name, d: `M${cx} ${cy}${path}` });
  }

  /**
   * Draw a ring at the upper left for red, a dot at the lower right for yellow; a cell may have both.
   * @param {Side} side @param {Cell} cell
   */
  #threat(side, cell) {
    const { cx, cy } = this.#layout.centre(cell);
    const shift = side === "x" ? -13 : 13;
    return draw("circle", { class: `mark-threat ${side}`, cx: cx + shift, cy: cy + shift, r: side === "x" ? 10 : 9 });
  }

  #describe() {
    const { size, side, isOver, turnText } = this.#position;
    const text = `${this.#label}, ${size.width} columns, ${size.height} rows; ${turnText}`;
    const isOpen = !isOver || this.#marks.isFree === true;
    const isPlayable = this.#cells.onPlay !== null && this.#marks.isPlayable !== false && isOpen;
    this.element.setAttribute("aria-label", text);
    this.element.classList.toggle("is-playable", isPlayable);
    this.element.dataset.side = side;
    this.#cells.show(this.#position, isPlayable);
  }
}

/** @param {string} name */
function layer(name) {
  return draw("g", { class: `board-${name}`, "aria-hidden": "true" });
}

/** The cells of a board: a grid with one tab stop and arrow keys. */
class Cells {
  #isPlayable = false;
  #isFlipped = false;
  /** @type {Cell} */
  #focused = [1, 1];

  #onPoint;

  /**
   * @param {OnPlay | null} onPlay null if the board cannot be played on
   * @param {(column: number) => void} onPoint called with the column of the mouse, 0 for none
   */
  constructor(onPlay, onPoint) {
    this.onPlay = onPlay;
    this.#onPoint = onPoint;
    this.element = draw("g", { class: "board-cells", role: "rowgroup" });
    // A click does not move the focus, so that the arrow keys still step through the game.
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.element.addEventListener("click", (event) => this.#play(cellOf(event.target)[0]));
    // After a touch no pointer stays on the board.
    this.element.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.#point(cellOf(event.target)[0]);
    });
    this.element.addEventListener("pointerleave", () => this.#point(0));
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {Layout} layout */
  build(layout) {
    this.#isFlipped = layout.flipped;
    this.#focused = [Math.ceil(layout.size.width / 2), 1];
    const rows = [...layout.rows()].map((cells, index) =>
      draw("g", { role: "row", "aria-rowindex": index + 1 }, ...cells.map((cell) => drawCell(layout, cell))),
    );
    this.element.replaceChildren(...rows);
  }

  /** @param {Position} position @param {boolean} isPlayable */
  show(position, isPlayable) {
    this.#isPlayable = isPlayable;
    const winning = new Set(position.winning.map(String));
    for (const one of this.#all()) {
      const cell = cellOf(one);
      const stone = position.at(...cell);
      const held = stone === null ? "empty" : NAMES[stone].toLowerCase();
      const four = winning.has(String(cell)) ? ", in the four" : "";
      one.setAttribute("aria-label", `Column ${cell[0]}, row ${cell[1]}: ${held}${four}`);
    }
    this.#showFocus();
  }

  #all() {
    return [...this.element.querySelectorAll("rect")];
  }

  #showFocus() {
    for (const one of this.#all()) {
      const isFocused = String(cellOf(one)) === String(this.#focused);
      one.setAttribute("tabindex", this.onPlay !== null && isFocused ? "0" : "-1");
    }
  }

  /** @param {number} column */
  #play(column) {
    if (this.#isPlayable) this.onPlay?.(column);
  }

  /** @param {number} column 0 for none */
  #point(column) {
    this.#onPoint(column);
    for (const one of this.#all()) {
      one.classList.toggle("is-pointed", cellOf(one)[0] === column && this.#isPlayable);
    }
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const [column, row] = this.#focused;
    const across = this.#isFlipped ? -1 : 1;
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
    const found = this.#all().find((one) => String(cellOf(one)) === String(wanted));
    if (found === undefined) return;
    this.#focused = wanted;
    this.#showFocus();
    found.focus();
  }
}

/** @param {Layout} layout @param {Cell} cell */
function drawCell(layout, [column, row]) {
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

/** @param {EventTarget | null} target @returns {Cell} [0, 0] if it is not a cell */
function cellOf(target) {
  const { column = "0", row = "0" } = target instanceof SVGElement ? target.dataset : {};
  return [Number(column), Number(row)];
}
