/** The review of a game: what every move gave away, a graph of the score, and the mistakes. */

import { isAbort } from "./api.js";
import { byId, make } from "./dom.js";
import { Graph } from "./graph.js";
import { NAMES, boardText, columnLabel, parseBoard, plural, signed } from "./notation.js";
import { MARKS } from "./moves.js";
import { playLine } from "./rules.js";
import { parseGrid } from "./setup.js";

/** Seconds for a whole game: at first, and when more was asked for. */
const BUDGETS = [10, 30];

export class Review {
  /**
   * @param {import("./session.js").Session} session
   * @param {import("./api.js").Api} api
   * @param {() => void} onChange
   */
  constructor(session, api, onChange) {
    this.session = session;
    this.api = api;
    this.onChange = onChange;
    this.card = byId("review");
    this.graph = new Graph((shown) => this.#goTo(shown));
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
    this.card.hidden = !isOpen;
    if (!isOpen) return;
    const name = this.#name();
    if (name !== this.asked) {
      this.asked = name;
      this.answer = null;
      void this.#ask(BUDGETS[0]);
    }
    this.#draw();
  }

  #name() {
    const { review, stored, grid, board } = this.session.state;
    return JSON.stringify(review === null ? stored : [review, grid, boardText(board)]);
  }

  #retry() {
    if (!this.card.hidden) void this.#ask(BUDGETS[0]);
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

  #draw() {
    if (this.answer === null) {
      const words = this.failure === "" ? "Looking at every move…" : this.failure;
      this.card.replaceChildren(this.#head(), make("p", { class: "quiet", role: "status" }, words));
      return;
    }
    if (this.card.dataset.drawn !== this.#stamp()) this.#build();
    this.graph.show(pointsOf(this.answer), Math.min(this.session.state.shown, this.shared));
    const { shown, review } = this.session.state;
    byId("back-to-game").hidden = this.session.state.line === review;
    for (const button of this.card.querySelectorAll("#mistakes button")) {
      const isShown = Number(button.getAttribute("data-shown")) === shown && shown <= this.shared;
      if (isShown) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }

  #stamp() {
    return `${this.asked} ${this.answer.complete} ${this.isAsking}`;
  }

  #build() {
    const { accuracy, complete, first, second } = this.answer;
    this.card.dataset.drawn = this.#stamp();
    this.card.replaceChildren(
      this.#head(),
      make(
        "div",
        { class: "sides" },
        this.#side("x", first, accuracy.x),
        this.#side("o", second, accuracy.o),
      ),
      this.graph.element,
      make("button", { type: "button", id: "back-to-game", class: "plain", hidden: true, onclick: () => this.#goTo(this.shared) }, "Back to the game"),
      this.#mistakes(),
    );
    if (!complete) this.card.append(this.#incomplete());
  }

  #head() {
    const close = make("button", { type: "button", class: "plain", id: "review-close", onclick: () => this.#close() }, "Close");
    return make("div", { class: "card-head" }, make("h2", { id: "review-title" }, "Review"), close);
  }

  #close() {
    this.session.change({ review: null, stored: null });
    byId("open-review").focus();
  }

  /** @param {"x" | "o"} side @param {string | null} player @param {number | null} accuracy */
  #side(side, player, accuracy) {
    const marks = this.answer.moves_judged
      .filter((/** @type {any} */ move) => move.side === side)
      .map((/** @type {any} */ move) => move.mark);
    const count = (/** @type {string} */ mark) => marks.filter((/** @type {string} */ each) => each === mark).length;
    const share = accuracy === null ? "–" : `${Math.round(accuracy)}%`;
    const counts = [
      counted("??", count("??"), "blunder"),
      counted("?", count("?"), "slip"),
      counted("!", count("!"), "only move"),
    ];
    return make(
      "div",
      { class: `side ${side}` },
      make("span", { class: "side-name" }, make("i", { class: `dot ${side}` }), NAMES[side]),
      make("span", { class: "side-share", id: `accuracy-${side}` }, share),
      make("span", { class: "side-player" }, player ?? "accuracy"),
      make("span", { class: "side-counts" }, ...counts),
    );
  }

  #mistakes() {
    const wrong = this.answer.moves_judged
      .map((/** @type {any} */ move, /** @type {number} */ index) => ({ ...move, index }))
      .filter((/** @type {any} */ move) => move.mark === "??" || move.mark === "?");
    if (wrong.length === 0) {
      const words = this.answer.complete ? "Not one mistake." : "No mistake is known so far.";
      return make("p", { class: "quiet", id: "mistakes" }, words);
    }
    return make("ol", { id: "mistakes" }, ...wrong.map((/** @type {any} */ move) => this.#mistake(move)));
  }

  /** @param {any} move */
  #mistake(move) {
    const best = move.best.map(columnLabel).join(", ");
    const scores = `${signed(move.before)} → ${signed(move.after)}`;
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "mistake", "data-shown": move.index + 1, "data-mark": move.mark, onclick: () => this.#goTo(move.index + 1) },
        make("span", { class: "mark" }, move.mark),
        make("span", { class: "mistake-move" }, make("i", { class: `dot ${move.side}` }), `${move.ply + 1}. column ${columnLabel(move.column)}`),
        make("span", { class: "mistake-what" }, `${mistakeText(move)}; best was ${best}`),
        make("span", { class: "mistake-scores", title: MARKS[/** @type {"?"} */ (move.mark)] }, scores),
      ),
    );
  }

  #incomplete() {
    const more = make("button", { type: "button", class: "plain", onclick: () => { void this.#ask(BUDGETS[1]); this.#draw(); } }, "Think longer");
    const words = this.isAsking ? "Searching on…" : "Some positions are not solved yet. ";
    return make("p", { class: "quiet" }, words, this.isAsking ? null : more);
  }
}

/** @param {string} mark @param {number} count @param {string} name */
function counted(mark, count, name) {
  return make(
    "span",
    { "data-mark": mark, title: plural(count, name) },
    make("span", { class: "mark", "aria-hidden": "true" }, mark),
    make("span", { "aria-hidden": "true" }, ` ${count}`),
    make("span", { class: "unseen" }, `${plural(count, name)}, `),
  );
}

/** @param {any} move */
function mistakeText({ before, after }) {
  if (before > 0 && after === 0) return "let a win become a draw";
  if (before > 0 && after < 0) return "turned a win into a loss";
  if (before === 0 && after < 0) return "gave the draw away";
  return after > 0 ? "wins later than it could" : "loses sooner than it had to";
}

/**
 * The score for red after each move.
 * @param {any} answer
 * @returns {import("./graph.js").Point[]}
 */
function pointsOf(answer) {
  const sign = (/** @type {string} */ side) => (side === "x" ? 1 : -1);
  const forRed = (/** @type {number | null} */ score, /** @type {string} */ side) =>
    score === null ? null : score * sign(side);
  const judged = answer.moves_judged;
  const start = judged.length === 0 ? null : forRed(judged[0].before, judged[0].side);
  const points = [{ shown: 0, score: start, side: null, column: null, mark: "" }];
  judged.forEach((/** @type {any} */ move, /** @type {number} */ index) => {
    const { side, column, mark } = move;
    points.push({ shown: index + 1, score: forRed(move.after, side), side, column, mark });
  });
  return points;
}
