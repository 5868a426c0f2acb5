/**
 * What the board shows and how it changes. Everything that the person does goes through here, and
 * every change is sent as `change`; the address follows (see state.js).
 */

import { boardText, columnLabel } from "./notation.js";
import { Position, playLine } from "./rules.js";
import { SetupError, parseGrid } from "./setup.js";
import { addressOf, initialState, stateOf } from "./state.js";

/** @typedef {import("./state.js").State} State */

export class Session extends EventTarget {
  constructor() {
    super();
    this.state = initialState();
    /** Every position of the line, the start among them. */
    this.positions = [Position.empty(this.state.board)];
    /** What was wrong with the address, in words; null where nothing was. @type {string | null} */
    this.problem = null;
    window.addEventListener("popstate", () => this.readAddress());
  }

  /** The position that is shown. */
  get position() {
    return this.positions[this.state.shown];
  }

  /** The moves up to it. */
  get moves() {
    return this.state.line.slice(0, this.state.shown);
  }

  get isAtEnd() {
    return this.state.shown === this.state.line.length;
  }

  /**
   * What names the position in a request: its moves, or its grid where it was set up as one.
   * @returns {Record<string, string>}
   */
  get question() {
    const board = boardText(this.state.board);
    return this.state.grid === null
      ? { moves: this.moves, board }
      : { grid: this.position.gridText(), board };
  }

  /**
   * Show what the address says; a line with a mistake is shown up to it.
   * @param {string} why "load" when the page begins
   */
  readAddress(why = "address") {
    const state = stateOf(new URL(window.location.href));
    this.problem = null;
    let start = Position.empty(state.board);
    if (state.grid !== null) {
      try {
        start = parseGrid(state.grid);
        state.board = start.size;
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        this.problem = `The grid of the address: ${error.message}`;
        state.grid = null;
      }
    }
    const { positions, error } = playLine(start, state.line);
    this.problem ??= error;
    const isReviewed = state.line === state.review;
    state.line = state.line.slice(0, positions.length - 1);
    if (isReviewed) state.review = state.line;
    state.shown = Math.min(state.shown, state.line.length);
    this.state = state;
    this.positions = positions;
    this.#tell(why);
  }

  /**
   * Change the state, and the address with it.
   * @param {Partial<State>} changes
   * @param {{isStep?: boolean, why?: string}} [options] isStep: the back button does not come here.
   */
  change(changes, { isStep = false, why = "change" } = {}) {
    this.state = { ...this.state, ...changes };
    this.problem = null;
    const address = addressOf(this.state);
    const isSame = address === window.location.pathname + window.location.search;
    if (isStep || isSame) window.history.replaceState(null, "", address);
    else window.history.pushState(null, "", address);
    this.#tell(why);
  }

  /**
   * Play a column; what came after on the line is given up unless it begins so.
   * @param {number} column
   */
  play(column) {
    const next = this.position.play(column);
    if (next === null) return false;
    const label = columnLabel(column);
    const { line, shown } = this.state;
    if (line[shown] === label) {
      this.change({ shown: shown + 1 }, { why: "move" });
      return true;
    }
    this.positions = [...this.positions.slice(0, shown + 1), next];
    this.change({ line: this.moves + label, shown: shown + 1 }, { why: "move" });
    return true;
  }

  /** Show the position after so many moves. @param {number} shown */
  go(shown) {
    const within = Math.max(0, Math.min(shown, this.state.line.length));
    if (within !== this.state.shown) this.change({ shown: within }, { isStep: true, why: "step" });
  }

  /** @param {number} by moves; below 0 back. */
  step(by) {
    this.go(this.state.shown + by);
  }

  /**
   * Show another line from the same start.
   * @param {string} line @param {number} shown @param {Partial<State>} [changes]
   */
  follow(line, shown, changes = {}) {
    const { positions } = playLine(this.positions[0], line);
    this.positions = positions;
    const whole = line.slice(0, positions.length - 1);
    this.change({ ...changes, line: whole, shown: Math.min(shown, whole.length) }, { why: "line" });
  }

  /**
   * Begin anew.
   * @param {{size?: import("./notation.js").Size, start?: Position | null, line?: string,
   *   shown?: number, changes?: Partial<State>, isStep?: boolean}} setup start: null for the empty
   *   board of that size; isStep as in {@link change}.
   */
  setUp({ size = this.state.board, start = null, line = "", shown = line.length, changes = {}, isStep = false }) {
    const first = start ?? Position.empty(size);
    this.positions = playLine(first, line).positions;
    const whole = line.slice(0, this.positions.length - 1);
    this.change(
      {
        review: null,
        stored: null,
        ...changes,
        board: first.size,
        grid: start === null ? null : start.gridText(),
        line: whole,
        shown: Math.min(shown, whole.length),
      },
      { isStep, why: "setup" },
    );
  }

  /** @param {string} why */
  #tell(why) {
    this.dispatchEvent(new CustomEvent("change", { detail: { why } }));
  }
}
