/** The stored games: a list with conditions, page by page. */

import { choice, make, table, textInput } from "../dom.js";
import { NAMES } from "../game/position.js";
import { count, short, whole } from "../words.js";

/** @import {Game, Games} from "../types.js" */
/** @import {Page} from "./view.js" */

const PAGE_ROWS = 50;
const CONDITIONS = ["match", "board", "winner", "ending", "cursor"];

/** @type {[string, string][]} */
const WINNERS = [
  ["", "any"],
  ["x", "Red wins"],
  ["o", "Yellow wins"],
  ["draw", "draw"],
];

/** @type {[string, string][]} */
const ENDINGS = [
  ["", "any"],
  ["four", "four in a row"],
  ["full", "full board"],
  ["illegal", "illegal move"],
  ["time", "time"],
  ["error", "error"],
  ["crash", "crash"],
  ["nonsense", "nonsense"],
  ["resigned", "resigned"],
  ["unfinished", "unfinished"],
];

const HEADINGS = ["Game", "Red", "Yellow", "Winner", "Ending", { text: "Moves", right: true }, "Board"];

/** @param {Page} page */
export async function showGames(page) {
  page.body.append(
    page.form("Show", [
      ["Match", textInput("match", page.value("match"), { size: 5 })],
      ["Board", textInput("board", page.value("board"), { size: 5 })],
      ["Winner", choice("winner", WINNERS, page.value("winner"))],
      ["Ending", choice("ending", ENDINGS, page.value("ending"))],
    ]),
  );
  const conditions = Object.fromEntries(CONDITIONS.map((name) => [name, page.value(name)]));
  /** @type {Games} */
  const { games, next } = await page.get("/api/v1/games", { ...conditions, limit: PAGE_ROWS });
  const rows = games.map((game) => row(page, game));
  const empty = "No stored game meets these conditions. c4 match and c4 tournament play and store them.";
  page.body.append(table("Stored games", HEADINGS, rows, { empty }), page.paging(next) ?? "");
  page.announce(count(games.length, "game"));
}

/** @param {Page} page @param {Game} game */
function row(page, { match, number, first, second, winner, ending, length, board }) {
  const name = `${match}/${number}`;
  const player = (/** @type {string | undefined} */ one) => make("span", { title: one }, short(one));
  return [
    make("a", { href: page.link({ show: "game", match, number }), "data-game": name }, name),
    player(first),
    player(second),
    winner === null ? (ending === "unfinished" ? "–" : "draw") : NAMES[winner],
    ending,
    whole(length),
    board,
  ];
}
