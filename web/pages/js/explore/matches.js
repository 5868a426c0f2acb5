/** The stored matches: a list with a cross table for each tournament, and the report of a match. */

import { facts, make, table } from "../dom.js";
import { count, difference, duration, moment, percent, short, whole } from "../words.js";
import { accuracyPlot, coursePlot, intervalPlot } from "./plots.js";

/** @import {Child} from "../dom.js" */
/** @import {MatchPlayer, MatchReport, MatchSummary, Matches, Tally} from "../types.js" */
/** @import {Page} from "./view.js" */
/** @typedef {Tally & {match: number}} PairResults the results of two players, and one of their matches */
/**
 * A tournament. The keys of `results` are the row's player and the column's player.
 * @typedef {{
 *   job: number, players: {name: string, score: number}[], results: Map<string, Map<string, PairResults>>,
 * }} Tournament
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
    make("span", { title: a.player }, short(a.player)),
    make("span", { title: b.player }, short(b.player)),
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
    make("span", { title: name }, `${index + 1}. ${short(name)}`),
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
    [
      "Two-sided p-value",
      p === null ? null : `${p < 0.001 ? "less than 0.001" : p.toFixed(3)}${match.significant ? ", significant" : ""}`,
    ],
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
  return table(caption, ["Figure", player(`A ${short(a.player)}`), player(`B ${short(b.player)}`)], rows);
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
