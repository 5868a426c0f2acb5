/** The stored games: a filtered list in pages, and one game, whose review is on the analysis board. */

import { drawMiniature } from "../board/board.js";
import { choice, facts, make, quiet, table, textInput } from "../dom.js";
import { parseGrid } from "../game/grids.js";
import { DEFAULT_BOARD, NAMES, Position, parseBoard, playLine } from "../game/position.js";
import { count, duration, nameOf, whole } from "../words.js";

/** @import {Game, Games, Side} from "../types.js" */
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
  const empty = "No stored games match. Play one here, or play matches with c4 match or c4 tournament.";
  page.body.append(table("Stored games", HEADINGS, rows, { empty }), page.paging(next) ?? "");
  page.announce(count(games.length, "game"));
}

/** @param {Page} page @param {Game} game */
function row(page, { match, number, first, second, winner, ending, length, board }) {
  const name = `${match}:${number}`;
  const player = (/** @type {string | undefined} */ one) => make("span", { title: one }, nameOf(one));
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

/** @param {Page} page */
export async function showGame(page) {
  const [match, number] = [page.value("match"), page.value("number")];
  /** @type {Game} */
  const game = await page.get(`/api/v1/games/${encodeURIComponent(match)}/${encodeURIComponent(number)}`);
  const { winner, ending, detail, moves, seed, x_seconds: red = 0, o_seconds: yellow = 0 } = game;
  page.body.append(
    make("h2", {}, `Game ${game.match}:${game.number}`),
    players(game),
    lastPosition(game),
    facts([
      ["Winner", winner !== null ? NAMES[winner] : ending === "unfinished" ? "nobody yet" : "a draw"],
      ["Ending", detail ? `${ending}: ${detail}` : ending],
      ["Moves", moves || null],
      ["Seed", seed ?? null],
      ["Time", red || yellow ? `${duration(red)} and ${duration(yellow)}` : null],
    ]),
    links(page, game),
  );
}

/** @param {Game} game */
function players({ first, second }) {
  /** @param {Side} side @param {string | undefined} player */
  const seat = (side, player) => {
    const name = make("strong", { title: player }, nameOf(player));
    return make("span", { class: `seat ${side}` }, `${NAMES[side]} `, name);
  };
  const against = make("span", { class: "quiet" }, " against ");
  return make("p", { class: "versus" }, seat("x", first), against, seat("o", second));
}

/** A picture of the last position; it leads to the review. @param {Game} game */
function lastPosition({ match, number, board, moves, start_grid: start, final_grid: grid }) {
  if (moves === undefined) {
    const position = grid === undefined ? null : parseGrid(grid);
    const attributes = { href: `/?grid=${position?.gridText()}&board=${board}`, "aria-label": "Show the last position" };
    return make(
      "div",
      { class: "only-end" },
      quiet("Only the last position of this game is known, so it has no review."),
      position && make("a", attributes, drawMiniature(position)),
    );
  }
  const first = start === undefined ? Position.empty(parseBoard(board) ?? DEFAULT_BOARD) : parseGrid(start);
  const position = playLine(first, moves).positions.at(-1) ?? first;
  const href = `/?match=${match}&number=${number}`;
  return make("a", { href, class: "last-position" }, drawMiniature(position), "Review on the analysis board");
}

/** @param {Page} page @param {Game} game */
function links(page, { match, number }) {
  const game = (/** @type {number} */ other, /** @type {string} */ text) =>
    make("a", { href: page.link({ show: "game", match, number: other }) }, text);
  return make(
    "nav",
    { class: "links", "aria-label": "Games of this match" },
    number > 0 ? [game(number - 1, "Previous game"), " · "] : null,
    game(number + 1, "Next game"),
    " · ",
    make("a", { href: page.link({ show: "match", match }) }, `Match ${match}`),
  );
}
