/** The plots of a match: the interval of its result, its course, and the points given away by ply. */

import { draw, make } from "../dom.js";
import { count, percent } from "../words.js";

/** @import {Children} from "../dom.js" */
/** @import {MatchReport} from "../types.js" */
/** @typedef {[x: number, y: number]} Point */
/**
 * The axes of a plot: their ranges, the values with labels, and the format of the labels.
 * @typedef {{
 *   x: Point, y: Point, xTicks: number[], yTicks: number[], xText: string, height?: number,
 *   xFormat?: (value: number) => string, yFormat?: (value: number) => string,
 * }} Axes
 */

const WIDTH = 480;
const HEIGHT = 240;
const LEFT = 46;
const BOTTOM = 42;
const TOP = 10;
const RIGHT = 24;

/** Minimum number of moves for a mean, as in the plots of `c4 match`. */
const FEWEST_MOVES = 5;

const SHARES = [0, 0.25, 0.5, 0.75, 1];

/**
 * Plot A's share of the decisive games with its 95 % interval.
 * @param {MatchReport} match
 */
export function intervalPlot({ a, leader, decisive_interval: interval }) {
  if (interval === null) return null;
  const share = a.wins / (a.wins + a.losses);
  const [low, high] = leader === "b" ? [1 - interval[1], 1 - interval[0]] : interval;
  const plot = new Plot({
    x: [0, 1],
    y: [0, 1],
    xTicks: SHARES,
    yTicks: [],
    height: 110,
    xText: "share of decisive games that A won",
    xFormat: (value) => percent(value, 0),
  });
  plot.line("even", [0.5, 0], [0.5, 1]);
  plot.line("whisker", [low, 0.5], [high, 0.5]);
  for (const end of [low, high]) plot.line("whisker", [end, 0.35], [end, 0.65]);
  plot.dot("dot a", [share, 0.5]);
  const summary = `${percent(share)}; 95 % confidence interval: ${percent(low)} to ${percent(high)}.`;
  return plot.figure("A’s share of decisive games.", summary);
}

/**
 * Plot A's share of the decisive games in the course of the match.
 * @param {MatchReport} match
 */
export function coursePlot({ course }) {
  const points = course.games.flatMap((game, index) => {
    const wins = course.wins[index];
    const low = course.low[index];
    const high = course.high[index];
    if (low === null || high === null) return []; // no decisive game yet
    return [{ game, share: wins / (wins + course.losses[index]), low, high }];
  });
  const last = points.at(-1);
  if (last === undefined || points.length < 2) return null;
  const plot = new Plot({
    x: [1, last.game],
    y: [0, 1],
    xTicks: ticks(1, last.game, 6),
    yTicks: SHARES,
    xText: "games",
    yFormat: (value) => percent(value, 0),
  });
  /** @param {"share" | "low" | "high"} name @returns {Point[]} */
  const curve = (name) => points.map((point) => [point.game, point[name]]);
  plot.path("band", [...curve("high"), ...curve("low").reverse()], true);
  plot.line("even", [1, 0.5], [last.game, 0.5]);
  plot.path("line a", curve("share"));
  const summary = `A’s share of decisive games after ${count(last.game, "game")}: ${percent(last.share)}`;
  return plot.figure("Course of the match.", `${summary}; the band is the 95 % confidence interval.`);
}

/**
 * Plot the points that the moves of each player gave away, by the stones on the board.
 * @param {MatchReport} match
 */
export function accuracyPlot({ a, b }) {
  const lines = [
    { name: "A", player: a },
    { name: "B", player: b },
  ]
    .map(({ name, player }) => {
      /** @type {Point[]} */
      const points = player.accuracy_by_ply
        .filter(({ moves }) => moves >= FEWEST_MOVES)
        .map(({ ply, mean_loss: loss }) => [ply, loss ?? 0]);
      return { name, points };
    })
    .filter(({ points }) => points.length > 1);
  if (lines.length === 0) return null;
  const all = lines.flatMap(({ points }) => points);
  const plies = all.map(([ply]) => ply);
  const most = Math.max(1, ...all.map(([, loss]) => loss));
  const [first, last] = [Math.min(...plies), Math.max(...plies)];
  const plot = new Plot({
    x: [first, last],
    y: [0, most],
    xTicks: ticks(first, last, 8),
    yTicks: ticks(0, most, 6),
    xText: "stones on the board before the move",
  });
  for (const { name, points } of lines) plot.path(`line ${name.toLowerCase()}`, points);
  const summary = "The mean by the number of stones on the board; lower is better.";
  return plot.figure(
    "Points given away per move.",
    summary,
    lines.map(({ name }) => name),
  );
}

/** A plot with axes. */
class Plot {
  #axes;
  #drawing;

  /** @param {Axes} axes */
  constructor(axes) {
    this.#axes = { height: HEIGHT, xFormat: String, yFormat: String, ...axes };
    const { x, y, xTicks, yTicks, xText, xFormat, yFormat, height } = this.#axes;
    const viewBox = `0 0 ${WIDTH} ${height}`;
    this.#drawing = draw("svg", { viewBox, class: "plot", "aria-hidden": "true" });
    /** @param {number} left @param {number} top @param {string} anchor @param {string} text */
    const label = (left, top, anchor, text) =>
      this.#drawing.append(draw("text", { class: "tick", x: left, y: top, "text-anchor": anchor }, text));
    for (const tick of yTicks) {
      this.line("grid-line", [x[0], tick], [x[1], tick]);
      label(this.#x(x[0]) - 6, this.#y(tick) + 4, "end", yFormat(tick));
    }
    for (const tick of xTicks) label(this.#x(tick), height - BOTTOM + 16, "middle", xFormat(tick));
    this.line("axis", [x[0], y[0]], [x[1], y[0]]);
    label((this.#x(x[0]) + this.#x(x[1])) / 2, height - 4, "middle", xText);
  }

  /** @param {number} value */
  #x(value) {
    const [low, high] = this.#axes.x;
    return LEFT + ((value - low) / (high - low || 1)) * (WIDTH - LEFT - RIGHT);
  }

  /** @param {number} value */
  #y(value) {
    const { y, height } = this.#axes;
    const [low, high] = y;
    return height - BOTTOM - ((value - low) / (high - low || 1)) * (height - BOTTOM - TOP);
  }

  /** @param {string} name the class @param {Point} from @param {Point} to */
  line(name, [x1, y1], [x2, y2]) {
    const ends = { x1: this.#x(x1), y1: this.#y(y1), x2: this.#x(x2), y2: this.#y(y2) };
    this.#drawing.append(draw("line", { class: name, ...ends }));
  }

  /** @param {string} name @param {Point} centre */
  dot(name, [x, y]) {
    this.#drawing.append(draw("circle", { class: name, cx: this.#x(x), cy: this.#y(y), r: 6 }));
  }

  /** @param {string} name @param {Point[]} points @param {boolean} [isClosed] */
  path(name, points, isClosed = false) {
    const steps = points.map(([x, y]) => `${this.#x(x).toFixed(1)} ${this.#y(y).toFixed(1)}`);
    this.#drawing.append(draw("path", { class: name, d: `M${steps.join("L")}${isClosed ? "Z" : ""}` }));
  }

  /**
   * The plot with a caption that describes it.
   * @param {string} caption @param {string} summary
   * @param {string[]} [players] the names of the lines
   */
  figure(caption, summary, players = []) {
    const keys = players.map((player) => {
      const line = draw("line", { class: `line ${player.toLowerCase()}`, x1: 0, x2: 28, y1: 5, y2: 5 });
      return make("li", {}, draw("svg", { viewBox: "0 0 28 10", class: "key", "aria-hidden": "true" }, line), player);
    });
    /** @type {Children[]} */
    const words = [make("strong", {}, caption), " ", summary];
    if (keys.length > 0) words.push(make("ul", { class: "legend" }, keys));
    return make("figure", { class: "plot-figure" }, this.#drawing, make("figcaption", {}, ...words));
  }
}

/**
 * Round numbers in a range.
 * @param {number} low @param {number} high @param {number} most the number of steps is smaller
 * @returns {number[]}
 */
function ticks(low, high, most) {
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
  const step = steps.find((size) => (high - low) / size < most) ?? high - low;
  const found = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + 1e-9; index += 1) {
    found.push(Number((index * step).toFixed(4)));
  }
  return found;
}
