/**
 * The state of the page and its address, such as `/?pos=4453&board=7x6`. Every action of the user changes the session,
 * which sends `change` and updates the address. A link restores the analysis, so the address has the entire state:
 *
 * - `pos`: the moves up to the current position; `moves` is another name;
 * - `line`: the longer line that `pos` is part of, unless it is the reviewed game;
 * - `board`: columns x rows; `grid`: the position that the line begins from, rows from the top;
 * - `review`: the moves of the reviewed game; `match`, `number`: a stored game;
 * - `flip=1`: mirrored; `view=play`: the game. Views with their own path have their own query.
 */

import { local } from "../dom.js";
import { VIEWS, hasBoard, viewAt } from "../views.js";
import { GridError, parseGrid } from "./grids.js";
import { DEFAULT_BOARD, Position, boardText, columnLabel, parseBoard, playLine, withoutCapitals } from "./position.js";

/** @import {Question} from "../types.js" */
/** @import {View} from "../views.js" */
/** @import {Size} from "./position.js" */
/**
 * The state of the page. `grid` is the position that the line begins from, null for the empty board; `shown` is the
 * number of moves on the board; `review` has the moves of the reviewed game; `stored` is a stored game to fetch.
 * @typedef {{
 *   view: View, board: Size, grid: string | null, line: string, shown: number, flipped: boolean,
 *   review: string | null, stored: {match: number, number: number} | null,
 * }} State
 */
/** @typedef {"load" | "address" | "change" | "move" | "step" | "line" | "setup"} Reason the reason of a change */

const PLAIN = /^[1-9a-zA-Z]*$/;

/** The names in an address of the board. */
const KNOWN = new Set(["pos", "moves", "line", "board", "grid", "review", "match", "number", "flip", "view"]);

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
 * Read the state from an address. Unreadable values become the defaults; moves are not checked.
 * @param {URL} url @returns {State}
 */
export function stateOf(url) {
  const query = url.searchParams;
  const board = parseBoard(query.get("board") ?? "") ?? DEFAULT_BOARD;
  const pos = readMoves(movesOf(query), board);
  const review = query.has("review") ? readMoves(query.get("review"), board) : null;
  const line = query.has("line") ? readMoves(query.get("line"), board) : (review ?? "");
  return {
    view: viewAt(url),
    board,
    grid: query.get("grid"),
    line: line.startsWith(pos) ? line : pos,
    shown: pos.length,
    flipped: query.get("flip") === "1",
    review,
    stored: readStored(query),
  };
}

/** @param {URLSearchParams} query */
function movesOf(query) {
  return query.get("pos") ?? query.get("moves");
}

/**
 * Read moves such as 4453; the server reads all other forms.
 * @param {string | null} text @param {Size} board @returns {string}
 */
function readMoves(text, board) {
  return PLAIN.test(text ?? "") ? withoutCapitals(text ?? "", board.width) : "";
}

/** @param {URLSearchParams} query @returns {string | null} what the address of a board has wrong */
function problemOf(query) {
  const unknown = [...query.keys()].find((name) => !KNOWN.has(name));
  if (unknown !== undefined) return `The address has the name “${unknown}”, which this page does not know.`;
  const board = query.get("board");
  if (board !== null && parseBoard(board) === null) return `The address has the board “${board}”: write it as 7x6.`;
  return null;
}

/** @param {URLSearchParams} query */
function readStored(query) {
  const match = query.get("match") ?? "";
  const number = query.get("number") ?? "";
  if (!/^\d+$/.test(match) || !/^\d+$/.test(number)) return null;
  return { match: Number(match), number: Number(number) };
}

/** @param {State} state @returns {string} the path and query */
export function addressOf(state) {
  if (!hasBoard(state.view)) return VIEWS[state.view].address;
  const query = new URL(VIEWS[state.view].address, window.location.origin).searchParams;
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
  // Slashes are allowed in a query, and make grids readable.
  const text = query.toString().replaceAll("%2F", "/");
  const path = document.body.classList.contains("embed") ? "/embed" : "/";
  return local(text === "" ? path : `${path}?${text}`);
}

/** The state of the page, with the positions of its line. */
export class Session extends EventTarget {
  #state = initialState();
  /** The state of the board when another view was opened. */
  #left = this.#state;
  #positions = [Position.empty(DEFAULT_BOARD)];
  /** @type {string | null} */
  #problem = null;
  /** The moves in the address, if only the server can read them. @type {string | null} */
  unread = null;

  constructor() {
    super();
    window.addEventListener("popstate", () => this.readAddress());
  }

  get state() {
    return this.#state;
  }

  /** The start and every position of the line. */
  get positions() {
    return this.#positions;
  }

  /** The error in the address, as a text, or null. */
  get problem() {
    return this.#problem;
  }

  get position() {
    return this.#positions[this.#state.shown];
  }

  /** The moves up to the current position. */
  get moves() {
    return this.#state.line.slice(0, this.#state.shown);
  }

  get isAtEnd() {
    return this.#state.shown === this.#state.line.length;
  }

  /**
   * The current position for a request: its moves, or its grid if it was set up as a grid.
   * @returns {Question}
   */
  get question() {
    const board = boardText(this.#state.board);
    return this.#state.grid === null ? { moves: this.moves, board } : { grid: this.position.gridText(), board };
  }

  /**
   * Show the state of the address. A line with an illegal move is shown up to that move.
   * @param {Reason} why
   */
  readAddress(why = "address") {
    const url = new URL(window.location.href);
    const state = stateOf(url);
    const moves = movesOf(url.searchParams) ?? "";
    this.unread = PLAIN.test(moves) ? null : moves;
    this.#problem = hasBoard(state.view) ? problemOf(url.searchParams) : null;
    let start = Position.empty(state.board);
    if (state.grid !== null) {
      try {
        start = parseGrid(state.grid);
        state.board = start.size;
      } catch (error) {
        if (!(error instanceof GridError)) throw error;
        this.#problem ??= `The grid in the address: ${error.message}`;
        state.grid = null;
      }
    }
    const { positions, error } = playLine(start, state.line);
    this.#problem ??= error;
    const isReviewed = state.line === state.review;
    state.line = state.line.slice(0, positions.length - 1);
    if (isReviewed) state.review = state.line;
    state.shown = Math.min(state.shown, state.line.length);
    this.#state = state;
    this.#positions = positions;
    this.#announce(why);
  }

  /**
   * Show another view. Views with a board share one board.
   * @param {View} view
   */
  show(view) {
    const changes = view === "play" ? { review: null, stored: null } : {};
    window.history.pushState(null, "", addressOf({ ...this.#left, ...changes, view }));
    this.readAddress();
    window.scrollTo(0, 0);
  }

  /**
   * @param {Partial<State>} changes
   * @param {{isStep?: boolean, why?: Reason}} [options] isStep: the back button skips this change
   */
  change(changes, { isStep = false, why = "change" } = {}) {
    this.#state = { ...this.#state, ...changes };
    this.#problem = null;
    const address = addressOf(this.#state);
    const isSame = address === window.location.pathname + window.location.search;
    if (isStep || isSame) window.history.replaceState(null, "", address);
    else window.history.pushState(null, "", address);
    this.#announce(why);
  }

  /**
   * Play a column. The rest of the line is kept if it begins with this move.
   * @param {number} column
   * @returns {boolean} false if the column cannot be played
   */
  play(column) {
    const next = this.position.play(column);
    if (next === null) return false;
    const label = columnLabel(column);
    const { line, shown } = this.#state;
    const isKnown = line[shown] === label;
    if (!isKnown) this.#positions = [...this.#positions.slice(0, shown + 1), next];
    this.change({ line: isKnown ? line : this.moves + label, shown: shown + 1 }, { why: "move" });
    return true;
  }

  /** @param {number} shown */
  go(shown) {
    const within = Math.max(0, Math.min(shown, this.#state.line.length));
    if (within !== this.#state.shown) this.change({ shown: within }, { isStep: true, why: "step" });
  }

  /** @param {number} by number of moves; negative numbers step back */
  step(by) {
    this.go(this.#state.shown + by);
  }

  /** @param {string} line @param {number} shown */
  follow(line, shown) {
    this.#positions = playLine(this.#positions[0], line).positions;
    const played = line.slice(0, this.#positions.length - 1);
    this.change({ line: played, shown: Math.min(shown, played.length) }, { why: "line" });
  }

  /**
   * @param {{size?: Size, start?: Position | null, line?: string, shown?: number, changes?: Partial<State>,
   *   isStep?: boolean}} setup start: null for the empty board of that size; isStep as in {@link change}
   */
  setUp({ size = this.#state.board, start = null, line = "", shown = line.length, changes = {}, isStep = false }) {
    const first = start ?? Position.empty(size);
    this.#positions = playLine(first, line).positions;
    const played = line.slice(0, this.#positions.length - 1);
    this.change(
      {
        review: null,
        stored: null,
        ...changes,
        board: first.size,
        grid: start === null ? null : start.gridText(),
        line: played,
        shown: Math.min(shown, played.length),
      },
      { isStep, why: "setup" },
    );
  }

  /** @param {Reason} why */
  #announce(why) {
    if (hasBoard(this.#state.view)) this.#left = this.#state;
    this.dispatchEvent(new CustomEvent("change", { detail: { why } }));
  }
}
