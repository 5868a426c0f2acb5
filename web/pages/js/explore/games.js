/** The stored games: a filtered list in pages, and one game with its replay and review. */

import { Graph } from "../analysis/graph.js";
import { isAbort } from "../api.js";
import { Board, drawMiniature } from "../board/board.js";
import { choice, draw, facts, local, make, setAttribute, table, textInput } from "../dom.js";
import { parseGrid } from "../game/grids.js";
import { DEFAULT_BOARD, NAMES, Position, SIDES, columnNumber, parseBoard, playLine } from "../game/position.js";
import { count, duration, markText, messageOf, nameOf, percent, signed, whole } from "../words.js";

/** @import {Game, Games, JudgedMove, ReviewAnswer, Side} from "../types.js" */
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
  const replay = new Replay(game, Number(page.value("ply")), (text) => page.announce(text));
  const { winner, ending, detail, moves, seed, x_seconds: red = 0, o_seconds: yellow = 0 } = game;
  page.body.append(
    make("h2", {}, `Game ${game.match}:${game.number}`),
    players(game),
    moves === undefined ? lastPosition(game) : replay.element,
    facts([
      ["Winner", winner !== null ? NAMES[winner] : ending === "unfinished" ? "nobody yet" : "a draw"],
      ["Ending", detail ? `${ending}: ${detail}` : ending],
      ["Moves", moves || null],
      ["Seed", seed ?? null],
      ["Time", red || yellow ? `${duration(red)} and ${duration(yellow)}` : null],
    ]),
    links(page, game),
  );
  if (moves) void judge(page, replay, match, number);
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

/** @param {Game} game */
function lastPosition({ final_grid: grid, board }) {
  const position = grid === undefined ? null : parseGrid(grid);
  const attributes = { href: `/?grid=${position?.gridText()}&board=${board}`, "aria-label": "Show the last position" };
  return make(
    "div",
    { class: "only-end" },
    make("p", { class: "quiet" }, "Only the last position of this game is known, so it cannot be replayed."),
    position && make("a", attributes, drawMiniature(position)),
  );
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
    " · ",
    make("a", { href: `/?match=${match}&number=${number}` }, "Review on the analysis board"),
  );
}

/**
 * Add the review, which takes longer than showing the game.
 * @param {Page} page @param {Replay} replay @param {string} match @param {string} number
 */
async function judge(page, replay, match, number) {
  try {
    /** @type {ReviewAnswer} */
    const review = await page.get("/api/v1/game", { match, number });
    replay.judge(review);
    const { accuracy, best_moves: best, not_judged: open } = review;
    const words = [measureText("Results kept", accuracy), measureText("Best moves", best)];
    if (open > 0) words.push(`${open} of ${count(review.moves_judged.length, "move")} could not be judged in time.`);
    replay.say(words.filter((text) => text !== "").join(" "));
  } catch (error) {
    if (!isAbort(error)) replay.say(`No review: ${messageOf(error)}`);
  }
}

/** The replay of a game: the board, the moves, and the score by move if it is known. */
class Replay {
  #game;
  #announce;
  #positions;
  #board;
  #ply = 0;
  /** @type {JudgedMove[]} */
  #judged = [];
  /** @type {Graph | null} */
  #graph = null;
  #graphPlace = make("div", { class: "replay-graph" });
  #words = make("p", { class: "replay-words", "data-words": "" });
  #note = make("p", { class: "quiet", role: "status" }, "Judging the moves …");
  #analyse = make("a", { href: "/" }, "Analyse this position");
  #controls;
  #moves;

  /** @param {Game} game @param {number} ply the first shown; 0 for the end @param {(text: string) => void} announce */
  constructor(game, ply, announce) {
    const { start_grid: start, moves = "" } = game;
    this.#game = game;
    this.#announce = announce;
    const empty = Position.empty(parseBoard(game.board) ?? DEFAULT_BOARD);
    this.#positions = playLine(start === undefined ? empty : parseGrid(start), moves).positions;
    this.#board = new Board({ label: `Game ${game.match}:${game.number}` });
    this.#controls = {
      first: this.#control("first", "First position", "M18 6l-8 6 8 6zM6.5 6v12", () => 0),
      previous: this.#control("previous", "Previous move", "M16 6l-8 6 8 6z", () => this.#ply - 1),
      next: this.#control("next", "Next move", "M8 6l8 6-8 6z", () => this.#ply + 1),
      last: this.#control("last", "Last position", "M6 6l8 6-8 6zM17.5 6v12", () => this.#last),
    };
    this.#moves = [...moves].slice(0, this.#last).map((character, index) => this.#move(character, index));
    const controls = Object.values(this.#controls);
    this.element = make(
      "div",
      { class: "replay", "data-replay": "", onkeydown: (event) => this.#press(event) },
      make(
        "div",
        { class: "replay-board" },
        this.#board.element,
        make("div", { class: "replay-controls", role: "group", "aria-label": "Replay" }, controls),
      ),
      make(
        "div",
        { class: "replay-side" },
        this.#words,
        this.#graphPlace,
        this.#note,
        make(
          "ol",
          { class: "replay-moves", "aria-label": "Moves" },
          this.#moves.map((move) => make("li", {}, move)),
        ),
        make("p", {}, this.#analyse),
      ),
    );
    this.#goTo(ply || this.#last);
  }

  get #last() {
    return this.#positions.length - 1;
  }

  /** @param {string} name @param {string} label @param {string} shape @param {() => number} step */
  #control(name, label, shape, step) {
    const icon = draw("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, draw("path", { d: shape }));
    const onclick = () => this.#goTo(step());
    return make("button", { type: "button", class: "plain", "aria-label": label, "data-step": name, onclick }, icon);
  }

  /** @param {string} character @param {number} index */
  #move(character, index) {
    const { side, ply } = this.#positions[index];
    const attributes = {
      type: "button",
      class: `step ${side}`,
      "data-ply": index + 1,
      "aria-label": `Move ${ply + 1}, ${NAMES[side]}, column ${columnNumber(character)}`,
      onclick: () => this.#goTo(index + 1),
    };
    return make("button", attributes, character, make("span", { class: "mark" }));
  }

  /** @param {number} ply the number of moves on the board */
  #goTo(ply) {
    this.#ply = Math.max(0, Math.min(ply, this.#last));
    this.#board.show(this.#positions[this.#ply]);
    const { first, previous, next, last } = this.#controls;
    first.disabled = previous.disabled = this.#ply === 0;
    next.disabled = last.disabled = this.#ply === this.#last;
    for (const [index, move] of this.#moves.entries()) {
      setAttribute(move, "aria-current", index + 1 === this.#ply ? "step" : null);
    }
    this.#analyse.href = local(this.#address());
    this.#words.textContent = this.#description();
    this.#announce(this.#words.textContent);
    this.#graph?.show(this.#judged, this.#ply);
  }

  /** The address of the analysis of this position, with the complete game to step through. */
  #address() {
    const { board, moves = "" } = this.#game;
    const start = this.#positions[0];
    const query = new URLSearchParams({ pos: moves.slice(0, this.#ply), board, line: moves });
    if (start.ply > 0) query.set("grid", start.gridText());
    return `/?${query.toString().replaceAll("%2F", "/")}`;
  }

  #description() {
    const move = this.#game.moves?.[this.#ply - 1];
    const judged = this.#judged[this.#ply - 1];
    const { ply, turnText } = this.#positions[this.#ply];
    const last = this.#positions[this.#last].ply;
    return [
      move === undefined ? "Start." : `Move ${ply} of ${last}: column ${columnNumber(move)}.`,
      `${turnText}.`,
      ...(judged === undefined || judged.after === null ? [] : [worthText(judged)]),
    ].join(" ");
  }

  /** @param {ReviewAnswer} review */
  judge({ moves_judged: judged }) {
    this.#judged = judged;
    for (const [index, move] of this.#moves.entries()) {
      const mark = judged[index]?.mark ?? "";
      if (mark === "") continue;
      move.dataset.mark = mark;
      move.querySelector(".mark")?.replaceChildren(mark);
      move.setAttribute("aria-label", `${move.getAttribute("aria-label")}, ${markText(mark)}`);
    }
    if (judged.some(({ after }) => after !== null)) {
      this.#graph = new Graph("replay-graph", (ply) => this.#goTo(ply));
      this.#graphPlace.replaceChildren(this.#graph.element);
    }
    this.#goTo(this.#ply);
  }

  /** @param {string} text */
  say(text) {
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: this.#ply - 1, ArrowRight: this.#ply + 1, Home: 0, End: this.#last };
    const isSlider = event.target instanceof Element && event.target.closest("[role=slider]") !== null;
    if (!(event.key in steps) || isSlider) return;
    event.preventDefault();
    event.stopPropagation(); // the page uses the same keys for its own board
    this.#goTo(steps[event.key]);
  }
}

/** @param {JudgedMove} move */
function worthText({ side, before, after, best, mark }) {
  const name = NAMES[side];
  if (before === after) {
    return `The score for ${name} stays at ${signed(after)}${mark === "!" ? ": the only good move" : ""}.`;
  }
  const columns = best.length === 1 ? `column ${best[0]} was` : `columns ${best.join(", ")} were`;
  return `The score for ${name} changes from ${signed(before)} to ${signed(after)}; ${columns} best.`;
}

/** @param {string} name @param {Record<Side, number | null>} shares in percent */
function measureText(name, shares) {
  const known = SIDES.flatMap((side) => {
    const share = shares[side];
    return share === null ? [] : [`${NAMES[side]} ${percent(share / 100)}`];
  });
  return known.length > 0 ? `${name}: ${known.join(", ")}.` : "";
}
