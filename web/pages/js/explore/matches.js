/** The stored matches: a list with a cross table for each tournament, and the report of a match with its plots. */

import { draw, facts, make, table } from "../dom.js";
import { count, difference, duration, moment, nameOf, percent, whole } from "../words.js";

/** @import {Child, Children} from "../dom.js" */
/** @import {MatchPlayer, MatchReport, MatchSummary, Matches, Tally} from "../types.js" */
/** @import {Page} from "./view.js" */
/** @typedef {Tally & {match: number}} PairResults the results of two players, and one of their matches */
/**
 * A tournament. The keys of `results` are the row's player and the column's player.
 * @typedef {{
 *   job: number, players: {name: string, score: number}[], results: Map<string, Map<string, PairResults>>,
 * }} Tournament
 */
/** @typedef {[x: number, y: number]} Point */
/**
 * The axes of a plot: their ranges, the values with labels, and the format of the labels.
 * @typedef {{
 *   x: Point, y: Point, xTicks: number[], yTicks: number[], xText: string, height?: number,
 *   xFormat?: (value: number) => string, yFormat?: (value: number) => string,
 * }} Axes
 */

const PAGE_ROWS = 50;

/** Minimum number of players of a cross table: a table is useless for two players. */
const FEWEST = 3;

/** Maximum number of players of a cross table: a larger table is unreadable. */
const MOST = 12;

const HEADINGS = [
  "Match",
  "A",
  "B",
  { text: "Games", right: true },
  { text: "A won – lost – drawn", right: true },
  { text: "Score of A", right: true },
  "Started",
];

/** @param {Page} page */
export async function showMatches(page) {
  /** @type {Matches} */
  const { matches, next } = await page.get("/api/v1/matches", { cursor: page.value("cursor"), limit: PAGE_ROWS });
  const rows = matches.map((match) => row(page, match));
  const empty = "No matches are stored. Play matches with c4 match or c4 tournament.";
  page.body.append(
    table("Stored matches", HEADINGS, rows, { empty }),
    page.paging(next) ?? "",
    ...tournaments(matches).map((found) => crossTable(page, found)),
  );
  page.announce(count(matches.length, "match", "matches"));
}

/** @param {Page} page @param {MatchSummary} summary */
function row(page, { match, label, a, b, finished, games, created }) {
  const attributes = { href: page.link({ show: "match", match }), "data-match": match };
  return [
    make("a", attributes, label ? `${match}, ${label}` : match),
    make("span", { title: a.player }, nameOf(a.player)),
    make("span", { title: b.player }, nameOf(b.player)),
    finished ? whole(games) : `${whole(games)}, in progress`,
    tallyText(a),
    percent(a.score),
    moment(created),
  ];
}

/**
 * The tournaments among matches: matches of one job, with enough players for a table.
 * @param {MatchSummary[]} matches @returns {Tournament[]}
 */
function tournaments(matches) {
  /** @type {Map<number, MatchSummary[]>} */
  const jobs = new Map();
  for (const match of matches) {
    if (match.job !== null && match.a.player !== match.b.player) {
      jobs.set(match.job, [...(jobs.get(match.job) ?? []), match]);
    }
  }
  return [...jobs]
    .map(([job, group]) => tournament(job, group))
    .filter(({ players }) => players.length >= FEWEST && players.length <= MOST);
}

/** @param {number} job @param {MatchSummary[]} matches @returns {Tournament} */
function tournament(job, matches) {
  /** @type {Tournament["results"]} */
  const results = new Map();
  /** @param {string} player @param {string} other @param {Tally} tally @param {number} match */
  const add = (player, other, tally, match) => {
    const row = results.get(player) ?? new Map();
    results.set(player, row.set(other, { ...sumOf([row.get(other), tally]), match }));
  };
  for (const { a, b, match } of matches) {
    add(a.player, b.player, a, match);
    add(b.player, a.player, { wins: a.losses, losses: a.wins, draws: a.draws }, match);
  }
  const players = [...results]
    .map(([name, row]) => ({ name, score: shareOf(sumOf([...row.values()])) ?? 0 }))
    .sort((one, other) => other.score - one.score);
  return { job, players, results };
}

/** @param {(Tally | undefined)[]} tallies @returns {Tally} */
function sumOf(tallies) {
  const sum = { wins: 0, losses: 0, draws: 0 };
  for (const { wins, losses, draws } of tallies.filter((tally) => tally !== undefined)) {
    sum.wins += wins;
    sum.losses += losses;
    sum.draws += draws;
  }
  return sum;
}

/** @param {Tally} tally @returns {number | null} null without games */
function shareOf({ wins, losses, draws }) {
  const games = wins + losses + draws;
  return games === 0 ? null : (wins + draws / 2) / games;
}

/**
 * The score of each player against each other; a cell links to the match.
 * @param {Page} page @param {Tournament} tournament
 */
function crossTable(page, { job, players, results }) {
  const headings = [
    "Player",
    { text: "All", right: true },
    ...players.map(({ name }, index) => ({ text: `${index + 1}.`, right: true, title: name })),
  ];
  const rows = players.map(({ name, score }, index) => [
    make("span", { title: name }, `${index + 1}. ${nameOf(name)}`),
    percent(score),
    ...players.map((other) => cell(page, results.get(name)?.get(other.name))),
  ]);
  return table(`Tournament of job ${whole(job)}: score of the row's player against the column's`, headings, rows);
}

/** @param {Page} page @param {PairResults | undefined} tally */
function cell(page, tally) {
  if (tally === undefined) return "";
  const share = shareOf(tally);
  if (share === null) return "–";
  const { match, wins, losses, draws } = tally;
  const tone = share > 0.5 ? "win" : share < 0.5 ? "loss" : "draw";
  const title = `won ${wins}, lost ${losses}, drawn ${draws}`;
  return make("a", { href: page.link({ show: "match", match }), class: `score ${tone}`, title }, percent(share));
}

/** @param {Page} page */
export async function showMatch(page) {
  /** @type {MatchReport} */
  const report = await page.get(`/api/v1/matches/${encodeURIComponent(page.value("match"))}`);
  const { match, label, games, job, a, b } = report;
  const seat = (/** @type {string} */ name, /** @type {string} */ player) =>
    make("span", { class: "seat" }, `${name} `, make("strong", {}, player));
  const against = make("span", { class: "quiet" }, " against ");
  const link = (/** @type {string} */ href, /** @type {string} */ text) => make("a", { href }, text);
  page.body.append(
    make("h2", {}, label ? `Match ${match}: ${label}` : `Match ${match}`),
    make("p", { class: "versus" }, seat("A", a.player), against, seat("B", b.player)),
    facts(terms(report)),
    results(report),
    make("div", { class: "plots" }, intervalPlot(report), accuracyPlot(report), coursePlot(report)),
    make(
      "p",
      { class: "links" },
      link(page.link({ show: "games", match }), `All ${count(games, "game")}`),
      " · ",
      link(page.link({ show: "game", match, number: 0 }), "Replay the first game"),
      job === null ? null : [" · ", link(`/work?job=${job}`, `Job ${job}`)],
    ),
  );
  page.announce(`Report of match ${match}, ${count(games, "game")}`);
}

/** @param {MatchReport} match @returns {[string, Child][]} */
function terms(match) {
  const { length, p_two_sided: p, sprt, time } = match;
  return [
    ["Games", match.finished ? whole(match.games) : `${whole(match.games)} so far`],
    ["Different games", whole(match.distinct_games)],
    [
      "Length",
      length.mean === null ? null : `${length.mean.toFixed(1)} moves (${length.shortest} to ${length.longest})`,
    ],
    ["First mover", tallyText(match.first_mover)],
    ["Decisive games won by the leader", match.decisive_rate === null ? null : percent(match.decisive_rate)],
    ["Difference", p === null || match.games < 2 ? null : `${match.significant ? "" : "not "}significant (p ${p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`})`],
    ["Elo of A above B", eloText(match.elo)],
    ["Sequential test", sprt && `${sprt.verdict ?? "undecided"}, ratio ${difference(sprt.ratio, 2)}`],
    ["Time", `${duration(time.seconds)} of play, ${duration(time.per_move)} per move`],
    ["Started", moment(match.created)],
  ];
}

/** @param {MatchReport} match */
function results({ a, b, judged_games: judged, judged_from: from }) {
  /** @param {string} name @param {(player: MatchPlayer) => string} write @returns {Child[]} */
  const row = (name, write) => [name, write(a), write(b)];
  const rows = [
    row("Won – lost – drawn", tallyText),
    row("Score", ({ score }) => percent(score)),
    row("As Red", (player) => tallyText(player.as_x)),
    row("As Yellow", (player) => tallyText(player.as_o)),
    row("Lost by forfeit", ({ forfeits }) => whole(forfeits)),
    row("Time per move", (player) => duration(player.seconds_per_move)),
  ];
  if (judged > 0) {
    rows.push(
      row("Best moves", ({ accuracy }) => percent(accuracy?.best_share)),
      row("Blunders", ({ accuracy }) => percent(accuracy?.blunder_share)),
      row("Points lost per move", ({ accuracy }) => accuracy?.mean_loss?.toFixed(2) ?? "–"),
    );
  }
  const since = from > 0 ? ` from ${count(from, "stone")} on` : "";
  const caption = judged > 0 ? `Results; the moves of ${count(judged, "game")} are judged${since}` : "Results";
  const player = (/** @type {string} */ text) => ({ text, right: true });
  return table(caption, ["Figure", player(`A ${nameOf(a.player)}`), player(`B ${nameOf(b.player)}`)], rows);
}

/** @param {Tally} tally */
function tallyText({ wins, losses, draws }) {
  return `${whole(wins)} – ${whole(losses)} – ${whole(draws)}`;
}

/** @param {MatchReport["elo"]} elo */
function eloText(elo) {
  if (elo === null || elo.difference === null) return null;
  const low = elo.low === null ? "−∞" : difference(elo.low, 0);
  const high = elo.high === null ? "+∞" : difference(elo.high, 0);
  return `${difference(elo.difference, 0)} (95 %: ${low} to ${high})`;
}

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
function intervalPlot({ a, leader, decisive_interval: interval }) {
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
function coursePlot({ course }) {
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
function accuracyPlot({ a, b }) {
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
