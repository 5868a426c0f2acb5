/** The report of a match: results with their intervals, time, accuracy, plots, and its games. */

import { facts, make, table } from "../dom.js";
import { count, difference, duration, moment, percent, short, whole } from "../words.js";
import { accuracyPlot, coursePlot, intervalPlot } from "./plots.js";

/** @import {Child} from "../dom.js" */
/** @import {MatchPlayer, MatchReport, Tally} from "../types.js" */
/** @import {Page} from "./view.js" */

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
    ["Of decisive games the leader won", match.decisive_rate === null ? null : percent(match.decisive_rate)],
    [
      "P that either of two equals does so",
      p === null ? null : `${p < 0.001 ? "less than 0.001" : p.toFixed(3)}${match.significant ? ", significant" : ""}`,
    ],
    ["Elo of A above B", eloText(match.elo)],
    ["Sequential test", sprt && `${sprt.verdict ?? "undecided"}, ratio ${difference(sprt.ratio, 2)}`],
    ["Time", `${duration(time.seconds)} of play, ${duration(time.per_move)} a move`],
    ["Begun", moment(match.created)],
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
    row("Lost by failure", ({ forfeits }) => whole(forfeits)),
    row("Time a move", (player) => duration(player.seconds_per_move)),
  ];
  if (judged > 0) {
    rows.push(
      row("Best moves", ({ accuracy }) => percent(accuracy?.best_share)),
      row("Blunders", ({ accuracy }) => percent(accuracy?.blunder_share)),
      row("Points lost a move", ({ accuracy }) => accuracy?.mean_loss?.toFixed(2) ?? "–"),
    );
  }
  const since = from > 0 ? ` from ${count(from, "stone")} on` : "";
  const caption = judged > 0 ? `Results; moves of ${count(judged, "game")} judged${since}` : "Results";
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
