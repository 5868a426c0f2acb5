/**
 * What the page shows, and how an address says it: `/?pos=4453&board=7x6`. Pure. A link is an
 * analysis, so whatever is on the board is in the address:
 *
 * - `pos`: the moves up to the position that is shown;
 * - `line`: the longer line that it is part of, where there is one and it is not the game reviewed;
 * - `board`: columns x rows; `grid`: the position that the line begins from, rows from the top;
 * - `review`: the moves of the game that is reviewed; `match`, `number`: a stored game;
 * - `flip=1`: mirrored; `view=play`: the game, at `/`. The views `/explore` and `/work` have queries
 *   of their own.
 */

import { DEFAULT_BOARD, boardText, parseBoard } from "./notation.js";

/** @typedef {"analysis" | "play" | "explore" | "work"} View */
/**
 * @typedef {object} State
 * @property {View} view
 * @property {import("./notation.js").Size} board
 * @property {string | null} grid the position that the line begins from; null for the empty board
 * @property {string} line all moves
 * @property {number} shown how many moves of the line are on the board
 * @property {boolean} flipped whether the board is mirrored
 * @property {string | null} review the moves of the game that is reviewed
 * @property {{match: number, number: number} | null} stored the stored game to be fetched
 */

/** @type {Record<string, View>} */
const PATHS = { "/explore": "explore", "/work": "work" };

/** @returns {State} */
export function initialState() {
  return {
    view: "analysis",
    board: DEFAULT_BOARD,
    grid: null,
    line: "",
    shown: 0,
    flipped: false,
    review: null,
    stored: null,
  };
}

/**
 * The state that an address names. What cannot be read is left at its default; moves are not checked.
 * @param {URL} url
 * @returns {State}
 */
export function stateOf(url) {
  const query = url.searchParams;
  const state = initialState();
  state.view = PATHS[url.pathname.replace(/\/+$/, "")] ?? readView(query);
  state.board = parseBoard(query.get("board") ?? "") ?? DEFAULT_BOARD;
  state.grid = query.get("grid");
  const pos = readMoves(query.get("pos"));
  state.review = query.has("review") ? readMoves(query.get("review")) : null;
  const line = query.has("line") ? readMoves(query.get("line")) : (state.review ?? "");
  state.line = line.startsWith(pos) ? line : pos;
  state.shown = pos.length;
  state.flipped = query.get("flip") === "1";
  state.stored = readStored(query);
  return state;
}

/** @param {URLSearchParams} query @returns {View} */
function readView(query) {
  return query.get("view") === "play" ? "play" : "analysis";
}

/** Moves as people paste them: with blanks, commas, capitals. @param {string | null} text */
export function readMoves(text) {
  return (text ?? "").toLowerCase().replace(/[\s,;.-]/g, "");
}

/** @param {URLSearchParams} query */
function readStored(query) {
  const match = query.get("match") ?? "";
  const number = query.get("number") ?? "";
  if (!/^\d+$/.test(match) || !/^\d+$/.test(number)) return null;
  return { match: Number(match), number: Number(number) };
}

/**
 * The address of a state, from the slash on.
 * @param {State} state
 */
export function addressOf(state) {
  if (state.view === "explore" || state.view === "work") return `/${state.view}`;
  const query = new URLSearchParams();
  if (state.view === "play") query.set("view", "play");
  const pos = state.line.slice(0, state.shown);
  const board = boardText(state.board);
  const isPlain = state.line === "" && board === boardText(DEFAULT_BOARD);
  if (!isPlain || state.grid !== null) {
    query.set("pos", pos);
    query.set("board", board);
  }
  if (state.line !== (state.review?.startsWith(pos) ? state.review : pos)) query.set("line", state.line);
  if (state.grid !== null) query.set("grid", state.grid);
  if (state.review !== null) query.set("review", state.review);
  if (state.stored !== null) {
    query.set("match", String(state.stored.match));
    query.set("number", String(state.stored.number));
  }
  if (state.flipped) query.set("flip", "1");
  // A slash may stand in a query as it is, and a grid is readable only so.
  const text = query.toString().replaceAll("%2F", "/");
  return text === "" ? "/" : `/?${text}`;
}
