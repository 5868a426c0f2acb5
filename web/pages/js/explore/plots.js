/** The pictures of a match: the interval of its result, its course, and points given away by ply. */

import { figure, frame, path, ticks } from "./axes.js";
import { draw } from "../dom.js";
import { count, percent } from "./wording.js";

/** The normal distribution's quantile for 95 %. */
const Z = 1.959964;

/** A mean over fewer moves says nothing and is not drawn, as in the command's own plots. */
const FEWEST_MOVES = 5;

/**
 * Wilson's interval of a share, as c4core/arena/statistics.py has it.
 * @param {number} wins
 * @param {number} trials
 * @returns {[number, number]}
 */
export function wilson(wins, trials) {
  if (!trials) return [0, 1];
  const share = wins / trials;
  const square = Z * Z;
  const middle = share + square / (2 * trials);
  const reach = Z * Math.sqrt((share * (1 - share) + square / (4 * trials)) / trials);
  const whole = 1 + square / trials;
  return [Math.max(0, (middle - reach) / whole), Math.min(1, (middle + reach) / whole)];
}

/**
 * A's share of the decisive games, and where it lies with 95 % confidence.
 * @param {any} match the report.
 * @returns {Element|string}
 */
export function intervalPlot({ a }) {
  const decisive = a.wins + a.losses;
  if (!decisive) return "";
  const [low, high] = wilson(a.wins, decisive);
  const share = a.wins / decisive;
  const plot = frame({
    x: [0, 1],
    y: [0, 1],
    xTicks: [0, 0.25, 0.5, 0.75, 1],
    yTicks: [],
    height: 110,
    xText: "share of decisive games that A has won",
    xFormat: (value) => percent(value, 0),
  });
  const { x, y } = plot;
  plot.drawing.append(
    draw("line", { class: "even", x1: x(0.5), x2: x(0.5), y1: y(0), y2: y(1) }),
    draw("line", { class: "whisker", x1: x(low), x2: x(high), y1: y(0.5), y2: y(0.5) }),
    ...[low, high].map((end) =>
      draw("line", { class: "whisker", x1: x(end), x2: x(end), y1: y(0.35), y2: y(0.65) }),
    ),
    draw("circle", { class: "dot a", cx: x(share), cy: y(0.5), r: 6 }),
  );
  return figure(
    plot,
    "A’s share of decisive games.",
    `${percent(share)}, with 95 % confidence between ${percent(low)} and ${percent(high)}.`,
  );
}

/**
 * A's share of the decisive games as the match went on.
 * @param {any} match the report.
 * @returns {Element|string}
 */
export function coursePlot({ course }) {
  const points = (course?.games ?? [])
    .map((game, index) => pointOf(game, course.wins[index], course.losses[index]))
    .filter((point) => point !== null);
  if (points.length < 2) return "";
  const last = points.at(-1);
  const plot = frame({
    x: [1, last.game],
    y: [0, 1],
    xTicks: ticks(1, last.game, 6),
    yTicks: [0, 0.25, 0.5, 0.75, 1],
    xText: "games",
    format: (value) => percent(value, 0),
  });
  const { x, y } = plot;
  const upper = points.map(({ game, high }) => [x(game), y(high)]);
  const lower = points.map(({ game, low }) => [x(game), y(low)]).reverse();
  plot.drawing.append(
    draw("path", { class: "band", d: `${path([...upper, ...lower])}Z` }),
    draw("line", { class: "even", x1: x(1), x2: x(last.game), y1: y(0.5), y2: y(0.5) }),
    draw("path", { class: "line a", d: path(points.map(({ game, share }) => [x(game), y(share)])) }),
  );
  return figure(
    plot,
    "The course.",
    `A’s share of decisive games after ${count(last.game, "game")}: ${percent(last.share)}; the band is the 95 % interval.`,
  );
}

/** A point of the course; null before the first decisive game. */
function pointOf(game, wins, losses) {
  if (wins + losses === 0) return null;
  const [low, high] = wilson(wins, wins + losses);
  return { game, share: wins / (wins + losses), low, high };
}

/**
 * Points that the moves of each player gave away, by the stones on the board.
 * @param {any} match the report.
 * @returns {Element|string}
 */
export function accuracyPlot({ a, b }) {
  const lines = [
    ["a", a],
    ["b", b],
  ]
    .map(([name, player]) => ({
      name,
      points: player.accuracy_by_ply
        .filter(({ moves }) => moves >= FEWEST_MOVES)
        .map(({ ply, mean_loss: loss }) => [ply, loss]),
    }))
    .filter(({ points }) => points.length > 1);
  if (!lines.length) return "";
  const all = lines.flatMap(({ points }) => points);
  const plies = all.map(([ply]) => ply);
  const most = Math.max(1, ...all.map(([, loss]) => loss));
  const range = [Math.min(...plies), Math.max(...plies)];
  const plot = frame({
    x: range,
    y: [0, most],
    xTicks: ticks(...range, 8),
    yTicks: ticks(0, most, 6),
    xText: "stones on the board before the move",
  });
  const { x, y } = plot;
  for (const { name, points } of lines) {
    plot.drawing.append(
      draw("path", {
        class: `line ${name}`,
        d: path(points.map(([ply, loss]) => [x(ply), y(loss)])),
      }),
    );
  }
  return figure(
    plot,
    "Points given away a move.",
    "The mean, by the stones on the board; the lower the better.",
    lines.map(({ name }) => [name, name === "a" ? "A" : "B"]),
  );
}
