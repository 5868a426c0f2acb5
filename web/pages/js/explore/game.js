/** A stored game: what is known about it, its replay, and its review. */

import { make } from "../dom.js";
import { facts } from "./parts.js";
import { NAMES } from "../game/notation.js";
import { drawn } from "./miniature.js";
import { Replay } from "./replay.js";
import { duration, percent, short } from "./wording.js";

/** @param {import("./view.js").Page} page */
export async function showGame(page) {
  const match = page.query.get("match") || "";
  const number = page.query.get("number") || "";
  const game = await page.get(
    `/api/v1/games/${encodeURIComponent(match)}/${encodeURIComponent(number)}`,
  );
  const replay = new Replay(game, Number(page.query.get("ply")) || 0, page.announce);
  page.body.append(
    make("h2", {}, `Game ${game.match}/${game.number}`),
    players(game),
    game.moves === undefined ? onlyItsEnd(game) : replay.element,
    facts([
      [
        "Winner",
        game.winner ? NAMES[game.winner] : game.ending === "unfinished" ? "nobody yet" : "a draw",
      ],
      ["Ending", game.detail ? `${game.ending}: ${game.detail}` : game.ending],
      ["Moves", game.moves || null],
      ["Seed", game.seed ?? null],
      [
        "Time",
        game.x_seconds || game.o_seconds
          ? `${duration(game.x_seconds)} and ${duration(game.o_seconds)}`
          : null,
      ],
    ]),
    neighbours(page, Number(match), Number(number)),
  );
  if (game.moves) judge(page, replay, match, number);
}

function players({ first, second }) {
  return make(
    "p",
    { class: "versus" },
    make(
      "span",
      { class: "seat x" },
      `${NAMES.x} `,
      make("strong", { title: first ?? null }, short(first)),
    ),
    make("span", { class: "quiet" }, " against "),
    make(
      "span",
      { class: "seat o" },
      `${NAMES.o} `,
      make("strong", { title: second ?? null }, short(second)),
    ),
  );
}

function onlyItsEnd(game) {
  const grid = game.final_grid?.trim().split(/\s+/).join("/");
  return make(
    "div",
    { class: "only-end" },
    make(
      "p",
      { class: "quiet" },
      "Of this game only the last position is known: it cannot be replayed.",
    ),
    grid
      ? make(
          "a",
          { href: `/?grid=${grid}&board=${game.board}`, "aria-label": "Show the last position" },
          drawn(grid),
        )
      : null,
  );
}

function neighbours(page, match, number) {
  const link = (other, text) =>
    make("a", { href: page.link({ show: "game", match, number: other }) }, text);
  return make(
    "nav",
    { class: "links", "aria-label": "Games of this match" },
    number > 0 ? link(number - 1, "Game before") : null,
    number > 0 ? " · " : null,
    link(number + 1, "Next game"),
    " · ",
    make("a", { href: page.link({ show: "match", match }) }, `Match ${match}`),
    " · ",
    make("a", { href: `/?match=${match}&number=${number}` }, "Review on the analysis board"),
  );
}

/** The game is there at once; what its moves were worth comes when it has been found out. */
async function judge(page, replay, match, number) {
  try {
    const review = await page.get("/api/v1/game", { match, number });
    replay.judge(review);
    const { x, o } = review.accuracy;
    const said = [
      ["x", x],
      ["o", o],
    ]
      .filter(([, share]) => share !== null && share !== undefined)
      .map(([side, share]) => `${NAMES[side]} ${percent(share / 100)}`);
    replay.say(
      `${said.length ? `Accuracy: ${said.join(", ")}. ` : ""}${review.complete ? "" : "Some moves could not be judged in time."}`,
    );
  } catch (error) {
    if (error.name !== "AbortError") replay.say(`No review: ${error.message}`);
  }
}
