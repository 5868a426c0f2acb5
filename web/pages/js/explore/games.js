/** Stored games: a list with conditions, page by page. */

import { make } from "../dom.js";
import { choice, field, table } from "./parts.js";
import { NAMES } from "../game/notation.js";
import { asked, filter, paging } from "./paging.js";
import { count, short, whole } from "./wording.js";

const PAGE_ROWS = 50;
const WINNERS = [
  ["", "any"],
  ["x", "Red wins"],
  ["o", "Yellow wins"],
  ["draw", "draw"],
];
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

/** @param {import("./view.js").Page} page */
export async function showGames(page) {
  page.body.append(conditions(page));
  const query = asked(page, "match", "board", "winner", "ending", "cursor");
  const { games, next } = await page.get("/api/v1/games", { ...query, limit: PAGE_ROWS });
  page.body.append(
    table(
      "Stored games",
      [
        "Game",
        "Red",
        "Yellow",
        "Winner",
        "Ending",
        { text: "Moves", right: true },
        "Board",
      ],
      games.map((game) => row(page, game)),
      {
        empty:
          "No stored game meets these conditions. c4 match and c4 tournament play and store them.",
      },
    ),
    paging(page, next) ?? "",
  );
  page.announce(count(games.length, "game"));
}

function conditions(page) {
  const text = (name, size) =>
    make("input", {
      name,
      size,
      value: page.query.get(name) || "",
      autocomplete: "off",
      spellcheck: "false",
    });
  return filter(
    page,
    "games",
    field("Match", text("match", 5)),
    field("Board", text("board", 5)),
    field("Winner", choice("winner", WINNERS, page.query.get("winner") || "")),
    field("Ending", choice("ending", ENDINGS, page.query.get("ending") || "")),
  );
}

function row(page, game) {
  const href = page.link({ show: "game", match: game.match, number: game.number });
  return [
    make("a", { href, "data-game": `${game.match}/${game.number}` }, `${game.match}/${game.number}`),
    player(game.first),
    player(game.second),
    NAMES[game.winner] ?? (game.ending === "unfinished" ? "–" : "draw"),
    game.ending,
    whole(game.length ?? game.moves?.length ?? null),
    game.board,
  ];
}

function player(description) {
  return make("span", { title: description ?? null }, short(description));
}
