/** The frame of a plot: scales, grid lines with labels, and what people read instead of it. */

import { draw, make } from "../dom.js";

const WIDTH = 480;
const HEIGHT = 240;
const LEFT = 46;
const BOTTOM = 42;
const TOP = 10;
const RIGHT = 24;

/**
 * A plot to draw into.
 * @typedef {Object} Plot
 * @property {SVGElement} drawing
 * @property {(value: number) => number} x where a value lies.
 * @property {(value: number) => number} y
 */

/**
 * An empty plot with its axes.
 * @param {{x: [number, number], y: [number, number], xTicks: number[], yTicks: number[],
 *     xText: string, format?: (value: number) => string, height?: number}} axes
 * @returns {Plot}
 */
export function frame({
  x: [x0, x1],
  y: [y0, y1],
  xTicks,
  yTicks,
  xText,
  format = String,
  xFormat = String,
  height = HEIGHT,
}) {
  const x = (value) => LEFT + ((value - x0) / (x1 - x0 || 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value) => height - BOTTOM - ((value - y0) / (y1 - y0 || 1)) * (height - BOTTOM - TOP);
  const drawing = draw(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${height}`, class: "plot", "aria-hidden": "true" },
    yTicks.flatMap((tick) => [
      draw("line", { class: "grid-line", x1: x(x0), x2: x(x1), y1: y(tick), y2: y(tick) }),
      draw(
        "text",
        { class: "tick", x: x(x0) - 6, y: y(tick) + 4, "text-anchor": "end" },
        format(tick),
      ),
    ]),
    xTicks.map((tick) =>
      draw(
        "text",
        { class: "tick", x: x(tick), y: height - BOTTOM + 16, "text-anchor": "middle" },
        xFormat(tick),
      ),
    ),
    draw("line", { class: "axis", x1: x(x0), x2: x(x1), y1: y(y0), y2: y(y0) }),
    draw(
      "text",
      { class: "tick", x: (x(x0) + x(x1)) / 2, y: height - 4, "text-anchor": "middle" },
      xText,
    ),
  );
  return { drawing, x, y };
}

/**
 * A plot with its caption. What is drawn is said in the caption's words too.
 * @param {Plot} plot
 * @param {string} caption
 * @param {string} summary
 * @param {Array<[string, string]>} [legend] classes of lines and what they are.
 * @returns {HTMLElement}
 */
export function figure(plot, caption, summary, legend = []) {
  const keys = legend.map(([name, text]) =>
    make(
      "li",
      {},
      draw(
        "svg",
        { viewBox: "0 0 28 10", class: "key", "aria-hidden": "true" },
        draw("line", { class: `line ${name}`, x1: 0, x2: 28, y1: 5, y2: 5 }),
      ),
      text,
    ),
  );
  return make(
    "figure",
    { class: "plot-figure" },
    plot.drawing,
    make(
      "figcaption",
      {},
      make("strong", {}, caption),
      " ",
      summary,
      legend.length ? make("ul", { class: "legend" }, keys) : null,
    ),
  );
}

/**
 * The path through points.
 * @param {Array<[number, number]>} points
 * @returns {string}
 */
export function path(points) {
  return points
    .map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join("");
}

/**
 * Round numbers between two others.
 * @param {number} low
 * @param {number} high
 * @param {number} most how many at most.
 * @returns {number[]}
 */
export function ticks(low, high, most) {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const step = steps.find((size) => (high - low) / size < most) ?? high - low;
  const found = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + 1e-9; index += 1) {
    found.push(Number((index * step).toFixed(4)));
  }
  return found;
}
