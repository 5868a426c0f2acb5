/** The review of a game: which one is reviewed, and what the server says of its moves. */

import { isAbort } from "../api.js";
import { byId } from "../dom.js";
import { boardText, parseBoard } from "../game/notation.js";
import { ReviewCard } from "./card.js";
import { playLine } from "../game/rules.js";
import { parseGrid } from "../game/setup.js";

/** Seconds for a whole game: at first, and when more was asked for. */
const BUDGETS = [10, 30];

export class Review {
  /**
   * @param {import("../game/session.js").Session} session
   * @param {import("../api.js").Api} api
   * @param {() => void} onChange
   */
  constructor(session, api, onChange) {
    this.session = session;
    this.api = api;
    this.onChange = onChange;
    this.card = new ReviewCard(byId("review"), {
      onGo: (shown) => this.#goTo(shown),
      onBack: () => this.#goTo(this.shared),
      onClose: () => this.#close(),
      onMore: () => this.#think(),
    });
    /** @type {any} the API's answer */
    this.answer = null;
    this.failure = "";
    this.asked = "";
    this.isAsking = false;
    this.control = new AbortController();
    api.addEventListener("back", () => this.failure !== "" && this.#retry());
    byId("open-review").addEventListener("click", () => this.open());
  }

  /** Review the line that is on the board. */
  open() {
    const { line, shown } = this.session.state;
    this.session.change({ view: "analysis", review: line, shown: Math.min(shown, line.length) });
  }

  /** How many moves of the line belong to the game that is reviewed. */
  get shared() {
    const { review, line } = this.session.state;
    if (review === null) return line.length;
    let count = 0;
    while (count < line.length && line[count] === review[count]) count += 1;
    return count;
  }

  /** The marks of the line's moves, by their places. @returns {Map<number, string>} */
  get marks() {
    const marks = new Map();
    if (this.session.state.review === null || this.answer === null) return marks;
    const { shared } = this;
    this.answer.moves_judged.forEach((/** @type {any} */ move, /** @type {number} */ index) => {
      if (index < shared && move.mark !== "") marks.set(index, move.mark);
    });
    return marks;
  }

  /** Ask for what is to be reviewed, and draw what is known. */
  show() {
    const { review, stored, view } = this.session.state;
    const isOpen = view === "analysis" && (review !== null || stored !== null);
    this.card.element.hidden = !isOpen;
    if (!isOpen) return;
    const name = this.#name();
    if (name !== this.asked) {
      this.asked = name;
      this.answer = null;
      void this.#ask(BUDGETS[0]);
    }
    this.card.show(
      { answer: this.answer, name: this.asked, isAsking: this.isAsking, failure: this.failure },
      { shown: this.session.state.shown, shared: this.shared, isLeft: this.session.state.line !== review },
    );
  }

  #name() {
    const { review, stored, grid, board } = this.session.state;
    return JSON.stringify(review === null ? stored : [review, grid, boardText(board)]);
  }

  #retry() {
    if (!this.card.element.hidden) void this.#ask(BUDGETS[0]);
  }

  /** @param {number} budget */
  async #ask(budget) {
    this.control.abort();
    this.control = new AbortController();
    const { signal } = this.control;
    this.isAsking = true;
    this.failure = "";
    try {
      this.answer = await this.#fetch(budget, signal);
      this.#takeStored();
    } catch (error) {
      if (isAbort(error)) return;
      this.failure = error instanceof Error ? error.message : String(error);
    }
    this.isAsking = false;
    this.onChange();
  }

  /** @param {number} budget @param {AbortSignal} signal */
  async #fetch(budget, signal) {
    const { review, stored, grid, board } = this.session.state;
    if (review === null) return this.api.get("/api/v1/game", { ...stored, budget }, signal);
    const query = { board: boardText(board), budget };
    if (grid === null) return this.api.get("/api/v1/game", { moves: review, ...query }, signal);
    const start = await this.api.get("/api/v1/position", { grid, board: query.board, budget: 0.1 }, signal);
    const final = playLine(this.session.positions[0], review).positions.at(-1);
    const ending = final?.isOver ? {} : { ending: "unfinished" };
    const fields = JSON.stringify({ board: query.board, moves: review, ...ending });
    // The key has more digits than a number of JavaScript holds, so it is written as text.
    const game = fields.replace("{", `{"start":${start.key},`);
    return this.api.post("/api/v1/game", game, { query: { budget }, signal });
  }

  /** A stored game comes with its answer: put it on the board. */
  #takeStored() {
    const { review, stored, shown } = this.session.state;
    if (review !== null || this.answer === null) return;
    const line = this.answer.moves ?? "";
    const size = parseBoard(this.answer.board) ?? this.session.state.board;
    const start = this.answer.start ? parseGrid(this.answer.start) : null;
    this.asked = JSON.stringify([line, start?.gridText() ?? null, boardText(size)]);
    const at = shown > 0 ? shown : line.length;
    // It takes the place of the address that asked for it: the way back leads to where that stood.
    this.session.setUp({ size, start, line, shown: at, changes: { review: line, stored }, isStep: true });
  }

  /** @param {number} shown */
  #goTo(shown) {
    const { review } = this.session.state;
    if (review !== null) this.session.follow(review, shown);
  }

  /** Search longer for what is not solved yet. */
  #think() {
    void this.#ask(BUDGETS[1]);
    this.show();
  }

  #close() {
    this.session.change({ review: null, stored: null });
    byId("open-review").focus();
  }
}
