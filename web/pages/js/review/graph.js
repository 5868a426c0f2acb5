/**
 * The score of a game by move, as an SVG. Above the middle red is ahead, below it yellow. A click, or
 * the arrow keys, go to a move.
 */

import { draw } from "../dom.js";
import { NAMES, columnLabel, signed } from "../game/notation.js";

/**
 * @typedef {object} Point the position after so many moves
 * @property {number} shown moves played
 * @property {number | null} score for red; null where it is not known
 * @property {import("../game/notation.js").Side | null} side who moved last
 * @property {number | null} column where
 * @property {string} mark of that move
 */

const WIDTH = 400;
const HEIGHT = 150;
const LEFT = 48;
/** The widest bar: that of a game of few moves. */
const WIDEST = 32;
const EDGE = 12;

/** @param {number} score */
function compressed(score) {
  // The sign matters most and the first points more than the last ones, hence the root.
  return Math.sign(score) * Math.sqrt(Math.abs(score));
}

export class Graph {
  /** @param {(shown: number) => void} onGo */
  constructor(onGo) {
    this.onGo = onGo;
    /** @type {Point[]} */
    this.points = [];
    this.shown = 0;
    this.most = 1;
    this.element = draw("svg", {
      id: "graph",
      class: "graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "slider",
      tabindex: 0,
      "aria-label": "Score by move",
      "aria-orientation": "horizontal",
      "aria-valuemin": 0,
    });
    this.element.addEventListener("click", (event) => this.#click(event));
    this.element.addEventListener("keydown", (event) => this.#press(event));
  }

  /** @param {Point[]} points @param {number} shown */
  show(points, shown) {
    this.points = points;
    this.shown = shown;
    const scores = points.map((point) => Math.abs(point.score ?? 0));
    this.most = compressed(Math.max(3, ...scores));
    this.element.setAttribute("aria-valuemax", String(points.length - 1));
    this.element.setAttribute("aria-valuenow", String(shown));
    this.element.setAttribute("aria-valuetext", describe(points[shown]));
    this.element.replaceChildren(
      ...this.#frame(),
      this.#cursor(shown),
      ...this.#areas(),
      ...this.#marks(),
    );
  }

  /** @param {number} shown */
  #x(shown) {
    const steps = Math.max(1, this.points.length - 1);
    return LEFT + (shown / steps) * (WIDTH - LEFT - EDGE);
  }

  /** @param {number} score */
  #y(score) {
    const half = HEIGHT / 2 - EDGE;
    return HEIGHT / 2 - (compressed(score) / this.most) * half;
  }

  #frame() {
    const most = Math.round(this.most ** 2);
    const labels = [most, 0, -most].map((score) =>
      draw(
        "text",
        { class: "graph-label", x: LEFT - 20, y: this.#y(score) + 4, "text-anchor": "end" },
        signed(score),
      ),
    );
    const middle = HEIGHT / 2;
    return [
      draw("line", { class: "graph-zero", x1: LEFT, x2: WIDTH - EDGE, y1: middle, y2: middle }),
      ...labels,
    ];
  }

  /** A filled step for each position, and the line over them. */
  #areas() {
    const step = this.#x(1) - this.#x(0);
    /** @type {SVGElement[]} */
    const bars = [];
    let path = "";
    for (const { shown, score } of this.points) {
      if (score === null) {
        path += " ";
        continue;
      }
      const [x, y] = [this.#x(shown), this.#y(score)];
      path += path === "" || path.endsWith(" ") ? `M${x} ${y}` : `L${x} ${y}`;
      const top = Math.min(y, HEIGHT / 2);
      const height = Math.max(1, Math.abs(y - HEIGHT / 2));
      const side = score > 0 ? "x" : score < 0 ? "o" : "even";
      const width = Math.max(1, Math.min(WIDEST, step - 2));
      bars.push(draw("rect", { class: `graph-bar ${side}`, x: x - width / 2, y: top, width, height, rx: 2 }));
    }
    return [...bars, draw("path", { class: "graph-line", d: path, fill: "none" })];
  }

  #marks() {
    return this.points
      .filter((point) => point.mark !== "" && point.score !== null)
      .map(({ shown, score, mark }) => markAt(mark, this.#x(shown), this.#y(score ?? 0)));
  }

  /** @param {number} shown */
  #cursor(shown) {
    const x = this.#x(Math.min(shown, this.points.length - 1));
    return draw("line", { class: "graph-cursor", x1: x, x2: x, y1: 4, y2: HEIGHT - 4 });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const box = this.element.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const share = (x - LEFT) / (WIDTH - LEFT - EDGE);
    this.#go(Math.round(share * (this.points.length - 1)));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const last = this.points.length - 1;
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: this.shown - 1,
      ArrowDown: this.shown - 1,
      ArrowRight: this.shown + 1,
      ArrowUp: this.shown + 1,
      Home: 0,
      End: last,
    };
    if (!(event.key in places) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#go(places[event.key]);
  }

  /** @param {number} shown */
  #go(shown) {
    this.onGo(Math.max(0, Math.min(shown, this.points.length - 1)));
  }
}

/**
 * A mark as a shape of its own, for text beside the dots of a bad game lies over its neighbours: a full
 * dot for what gave the result away, a ring for what was not the best, a diamond for the only good move.
 * @param {string} mark @param {number} x @param {number} y
 */
function markAt(mark, x, y) {
  const shape =
    mark === "!"
      ? draw("path", { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` })
      : draw("circle", { cx: x, cy: y, r: mark === "??" ? 5 : 4 });
  return draw("g", { class: "graph-mark", "data-mark": mark }, shape);
}

/** @param {Point | undefined} point */
function describe(point) {
  if (point === undefined) return "";
  const score = point.score === null ? "score not known" : `score ${signed(point.score)} for red`;
  if (point.side === null || point.column === null) return `Start, ${score}`;
  const mark = point.mark === "" ? "" : `, marked ${point.mark}`;
  const move = `${NAMES[point.side]} column ${columnLabel(point.column)}`;
  return `Move ${point.shown}, ${move}, ${score}${mark}`;
}
