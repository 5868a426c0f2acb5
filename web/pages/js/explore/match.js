/** The report of a match: results with their intervals, time, accuracy, plots, its games. */

import { make } from "../dom.js";
import { facts, table } from "./parts.js";
import { accuracyPlot, coursePlot, intervalPlot } from "./plots.js";
import { count, difference, duration, moment, percent, short, whole } from "./wording.js";

/** @param {import("./view.js").Page} page */
export async function showMatch(page) {
  const id = page.query.get("match") || "";
  const match = await page.get(`/api/v1/matches/${encodeURIComponent(id)}`);
  page.body.append(
    make("h2", {}, title(match)),
    players(match),
    facts(terms(match)),
    results(match),
    make("div", { class: "plots" }, intervalPlot(match), accuracyPlot(match), coursePlot(match)),
    make(
      "p",
      { class: "links" },
      make(
        "a",
        { href: page.link({ show: "games", match: match.match }) },
        `All ${count(match.games, "game")}`,
      ),
      " · ",
      make(
        "a",
        { href: page.link({ show: "game", match: match.match, number: 0 }) },
        "Replay the first game",
      ),
      ...(match.job === null
        ? []
        : [" · ", make("a", { href: `/work?job=${match.job}` }, `Job ${match.job}`)]),
    ),
  );
  page.announce(`Report of match ${match.match}, ${count(match.games, "game")}`);
}

function title(match) {
  return match.label ? `Match ${match.match}: ${match.label}` : `Match ${match.match}`;
}

function players({ a, b }) {
  return make(
    "p",
    { class: "versus" },
    make("span", { class: "seat" }, "A ", make("strong", {}, a.player)),
    make("span", { class: "quiet" }, " against "),
    make("span", { class: "seat" }, "B ", make("strong", {}, b.player)),
  );
}

function terms(match) {
  return [
    ["Games", match.finished ? whole(match.games) : `${whole(match.games)} so far`],
    ["Different games", whole(match.distinct_games)],
    [
      "Length",
      match.length.mean === null
        ? null
        : `${match.length.mean.toFixed(1)} moves (${match.length.shortest} to ${match.length.longest})`,
    ],
    ["First mover", tally(match.first_mover)],
    [
      "Of decisive games the leader won",
      match.decisive_rate === null ? null : percent(match.decisive_rate),
    ],
    [
      "P that either of two equals does so",
      match.p_two_sided === null
        ? null
        : `${chance(match.p_two_sided)}${match.significant ? ", significant" : ""}`,
    ],
    ["Elo of A above B", elo(match.elo)],
    [
      "Sequential test",
      match.sprt
        ? `${match.sprt.verdict ?? "undecided"}, ratio ${difference(match.sprt.ratio, 2)}`
        : null,
    ],
    ["Time", `${duration(match.time.seconds)} of play, ${duration(match.time.per_move)} a move`],
    ["Begun", moment(match.created)],
  ];
}

function results({ a, b, judged_games: judged, judged_from: from }) {
  const figures = (name, get) => [name, get(a), get(b)];
  const rows = [
    figures("Won – lost – drawn", tally),
    figures("Score", (one) => percent(one.score)),
    figures("As Red", (one) => tally(one.as_x)),
    figures("As Yellow", (one) => tally(one.as_o)),
    figures("Lost by failure", (one) => whole(one.forfeits)),
    figures("Time a move", (one) => duration(one.seconds_per_move)),
  ];
  if (judged) {
    rows.push(
      figures("Best moves", (one) => percent(one.accuracy?.best_share ?? null)),
      figures("Blunders", (one) => percent(one.accuracy?.blunder_share ?? null)),
      figures("Points lost a move", (one) => one.accuracy?.mean_loss?.toFixed(2) ?? "–"),
    );
  }
  const since = from ? ` from ${count(from, "stone")} on` : "";
  const caption = judged ? `Results; moves of ${count(judged, "game")} judged${since}` : "Results";
  return table(
    caption,
    [
      "Figure",
      { text: `A ${short(a.player)}`, right: true },
      { text: `B ${short(b.player)}`, right: true },
    ],
    rows,
  );
}

function tally({ wins, losses, draws }) {
  return `${whole(wins)} – ${whole(losses)} – ${whole(draws)}`;
}

function chance(p) {
  return p < 0.001 ? "less than 0.001" : p.toFixed(3);
}

function elo(found) {
  if (!found || found.difference === null) return null;
  const low = found.low === null ? "−∞" : difference(found.low);
  const high = found.high === null ? "+∞" : difference(found.high);
  return `${difference(found.difference)} (95 %: ${low} to ${high})`;
}
