/**
 * The score of a game by move, as an SVG. Red is ahead above the middle, yellow below it. A click or an arrow key
 * steps to a move.
 */

import { draw } from "../dom.js";
import { NAMES, columnLabel } from "../game/position.js";
import { signed } from "../words.js";

/** @import {JudgedMove, Mark, Side} from "../types.js" */
/**
 * The position after `shown` moves, which has `ply` stones. `score` is for red, null if it is unknown; `side` and
 * `column` describe the last move, null at the start.
 * @typedef {{
 *   shown: number, ply: number, score: number | null, side: Side | null, column: number | null, mark: Mark,
 * }} GamePoint
 */

const WIDTH = 400;
const HEIGHT = 150;
const LEFT = 48;
const EDGE = 12;
/** Maximum width of a bar, for games of few moves. */
const WIDEST = 32;

export class Graph {
  #onGo;
  /** @type {GamePoint[]} */
  #points = [];
  #shown = 0;
  #most = 1;

  /** @param {(shown: number) => void} onGo */
  constructor(onGo) {
    this.#onGo = onGo;
    this.element = draw("svg", {
      id: "graph",
      class: "graph",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "slider",
      tabindex: 0,
      "aria-label": "Score by move",
      "aria-orientation": "horizontal",
      "aria-valuemin": 0,
      onclick: (event) => this.#click(event),
      onkeydown: (event) => this.#press(event),
    });
  }

  /** @param {JudgedMove[]} judged @param {number} shown the number of moves on the board */
  show(judged, shown) {
    this.#points = pointsOf(judged);
    this.#shown = shown;
    this.#most = compressed(Math.max(3, ...this.#points.map(({ score }) => Math.abs(score ?? 0))));
    this.element.setAttribute("aria-valuemax", String(this.#points.length - 1));
    this.element.setAttribute("aria-valuenow", String(shown));
    this.element.setAttribute("aria-valuetext", describe(this.#points[shown]));
    this.element.replaceChildren(...this.#frame(), this.#cursor(), ...this.#areas(), ...this.#marks());
  }

  /** @param {number} shown */
  #x(shown) {
    const steps = Math.max(1, this.#points.length - 1);
    return LEFT + (shown / steps) * (WIDTH - LEFT - EDGE);
  }

  /** @param {number} score */
  #y(score) {
    return HEIGHT / 2 - (compressed(score) / this.#most) * (HEIGHT / 2 - EDGE);
  }

  #frame() {
    const most = Math.round(this.#most ** 2);
    const middle = HEIGHT / 2;
    return [
      draw("line", { class: "graph-zero", x1: LEFT, x2: WIDTH - EDGE, y1: middle, y2: middle }),
      ...[most, 0, -most].map((score) => {
        const place = { x: LEFT - 20, y: this.#y(score) + 4, "text-anchor": "end" };
        return draw("text", { class: "graph-label", ...place }, signed(score));
      }),
    ];
  }

  /** A bar for each position whose score is known, and the line through them. */
  #areas() {
    const width = Math.max(1, Math.min(WIDEST, this.#x(1) - this.#x(0) - 2));
    /** @type {SVGElement[]} */
    const bars = [];
    let path = "";
    for (const { shown, score } of this.#points) {
      if (score === null) {
        path += " ";
        continue;
      }
      const [x, y] = [this.#x(shown), this.#y(score)];
      path += path === "" || path.endsWith(" ") ? `M${x} ${y}` : `L${x} ${y}`;
      const height = Math.max(1, Math.abs(y - HEIGHT / 2));
      const side = score > 0 ? "x" : score < 0 ? "o" : "even";
      const box = { x: x - width / 2, y: Math.min(y, HEIGHT / 2), width, height };
      bars.push(draw("rect", { class: `graph-bar ${side}`, ...box, rx: 2 }));
    }
    return [...bars, draw("path", { class: "graph-line", d: path, fill: "none" })];
  }

  #marks() {
    return this.#points.flatMap(({ shown, score, mark }) =>
      mark === "" || score === null ? [] : [drawMark(mark, this.#x(shown), this.#y(score))],
    );
  }

  #cursor() {
    const x = this.#x(Math.min(this.#shown, this.#points.length - 1));
    return draw("line", { class: "graph-cursor", x1: x, x2: x, y1: 4, y2: HEIGHT - 4 });
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const box = this.element.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    this.#go(Math.round(((x - LEFT) / (WIDTH - LEFT - EDGE)) * (this.#points.length - 1)));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    /** @type {Record<string, number>} */
    const places = {
      ArrowLeft: this.#shown - 1,
      ArrowDown: this.#shown - 1,
      ArrowRight: this.#shown + 1,
      ArrowUp: this.#shown + 1,
      Home: 0,
      End: this.#points.length - 1,
    };
    if (!(event.key in places) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#go(places[event.key]);
  }

  /** @param {number} shown */
  #go(shown) {
    this.#onGo(Math.max(0, Math.min(shown, this.#points.length - 1)));
  }
}

/**
 * The start and the position after each move. Moves have scores for the side that moved, points for red.
 * @param {JudgedMove[]} judged @returns {GamePoint[]}
 */
function pointsOf(judged) {
  /** @param {number | null} score @param {Side} side */
  const forRed = (score, side) => (score === null || side === "x" ? score : -score);
  const start = judged.length === 0 ? null : forRed(judged[0].before, judged[0].side);
  return [
    { shown: 0, ply: judged[0]?.ply ?? 0, score: start, side: null, column: null, mark: "" },
    ...judged.map(({ ply, side, column, mark, after }, index) => {
      return { shown: index + 1, ply: ply + 1, score: forRed(after, side), side, column, mark };
    }),
  ];
}

/**
 * Compress a score to its square root: the sign matters most, and differences of small scores matter more.
 * @param {number} score
 */
function compressed(score) {
  return Math.sign(score) * Math.sqrt(Math.abs(score));
}

/**
 * Draw a mark as a shape: a dot for a move that gave the result away, a ring for a move that was not the best, a
 * diamond for the only good move. Letters would overlap in a game with many mistakes.
 * @param {Mark} mark @param {number} x @param {number} y
 */
function drawMark(mark, x, y) {
  const shape =
    mark === "!"
      ? draw("path", { d: `M${x} ${y - 6}l6 6l-6 6l-6 -6z` })
      : draw("circle", { cx: x, cy: y, r: mark === "??" ? 5 : 4 });
  return draw("g", { class: "graph-mark", "data-mark": mark }, shape);
}

/** @param {GamePoint | undefined} point */
function describe(point) {
  if (point === undefined) return "";
  const score = point.score === null ? "score unknown" : `score ${signed(point.score)} for red`;
  if (point.side === null || point.column === null) return `Start, ${score}`;
  const mark = point.mark === "" ? "" : `, marked ${point.mark}`;
  return `Move ${point.ply}, ${NAMES[point.side]} column ${columnLabel(point.column)}, ${score}${mark}`;
}
