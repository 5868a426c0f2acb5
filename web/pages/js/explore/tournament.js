/** The matches of one tournament side by side: everybody's score against everybody. */

import { make } from "../dom.js";
import { table } from "./parts.js";
import { percent, short, whole } from "./wording.js";

/** With two players the match itself says everything; a table of more than these cannot be read. */
const FEWEST = 3;
const MOST = 12;

/**
 * The groups of matches that one job has played, with enough players for a table.
 * @param {Array<any>} matches
 * @returns {Array<{job: number, players: string[], results: Map<string, any>}>}
 */
export function tournaments(matches) {
  const groups = new Map();
  for (const match of matches.filter((one) => one.job !== null && one.a.player !== one.b.player)) {
    if (!groups.has(match.job)) groups.set(match.job, []);
    groups.get(match.job).push(match);
  }
  return [...groups]
    .map(([job, group]) => ({ job, ...scores(group) }))
    .filter(({ players }) => players.length >= FEWEST && players.length <= MOST);
}

function scores(group) {
  const results = new Map();
  for (const { a, b, match } of group) {
    add(results, a.player, b.player, a, match);
    add(results, b.player, a.player, { wins: a.losses, losses: a.wins, draws: a.draws }, match);
  }
  const total = (player) =>
    share(
      [...results]
        .filter(([pair]) => JSON.parse(pair)[0] === player)
        .reduce((sum, [, one]) => joined(sum, one), { wins: 0, losses: 0, draws: 0 }),
    ) ?? 0;
  const names = [...new Set(group.flatMap(({ a, b }) => [a.player, b.player]))];
  const players = names
    .map((name) => ({ name, score: total(name) }))
    .sort((one, other) => other.score - one.score);
  return { players, results };
}

function add(results, player, other, tally, match) {
  const pair = JSON.stringify([player, other]);
  results.set(pair, {
    ...joined(results.get(pair) ?? { wins: 0, losses: 0, draws: 0 }, tally),
    match,
  });
}

function joined(one, other) {
  return {
    wins: one.wins + other.wins,
    losses: one.losses + other.losses,
    draws: one.draws + other.draws,
  };
}

function share({ wins, losses, draws }) {
  const games = wins + losses + draws;
  return games ? (wins + draws / 2) / games : null;
}

/**
 * The score of the player of the row against that of the column; a cell leads to the match.
 * @param {import("./view.js").Page} page
 * @param {{job: number, players: Array<{name: string, score: number}>, results: Map<string, any>}} found
 */
export function crossTable(page, { job, players, results }) {
  const headings = [
    "Player",
    { text: "All", right: true },
    ...players.map(({ name }, index) => ({ text: `${index + 1}.`, right: true, title: name })),
  ];
  const rows = players.map(({ name, score }, index) => [
    make("span", { title: name }, `${index + 1}. ${short(name)}`),
    percent(score),
    ...players.map((other) => cell(page, results.get(JSON.stringify([name, other.name])))),
  ]);
  return table(
    `Tournament of job ${whole(job)}: score of the row's player against the column's`,
    headings,
    rows,
  );
}

function cell(page, tally) {
  if (!tally) return "";
  const value = share(tally);
  if (value === null) return "–";
  const tone = value > 0.5 ? "win" : value < 0.5 ? "loss" : "draw";
  return make(
    "a",
    {
      href: page.link({ show: "match", match: tally.match }),
      class: `score ${tone}`,
      title: `won ${tally.wins}, lost ${tally.losses}, drawn ${tally.draws}`,
    },
    percent(value),
  );
}
