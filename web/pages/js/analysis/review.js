/** The review of a game: how well both sides played, the score by move, and the mistakes. */

import { isAbort, recordOf } from "../api.js";
import { button, byId, make } from "../dom.js";
import { parseGrid } from "../game/grids.js";
import { NAMES, boardText, columnLabel, parseBoard, playLine } from "../game/position.js";
import { count, markText, messageOf, nameOf, sentence, signed } from "../words.js";
import { Graph } from "./graph.js";

/** @import {Api} from "../api.js" */
/** @import {Session} from "../game/session.js" */
/** @import {MaybeNumber} from "../words.js" */
/** @import {JudgedMove, Mark, ReviewAnswer, Side} from "../types.js" */

const MEASURES =
  "Results kept: the share of moves that kept a win or a draw, if another column would have lost it. " +
  "Best moves: the share of moves with the best score, if another column was worse.";

/** @typedef {{index: number, move: JudgedMove}} Mistake a move that was not the best, and its index in the game */

/** Seconds of search for the complete game: at first, and if the user asks for more. */
const [BUDGET, LONGER_BUDGET] = [10, 30];

export class Review {
  #session;
  #api;
  #onChange;
  #onMistake;
  #element = byId("review");
  #graph = new Graph((shown) => this.goTo(shown));
  /** @type {ReviewAnswer | null} */
  #answer = null;
  #failure = "";
  /** The name of the requested game. */
  #asked = "";
  #isAsking = false;
  /** The state that the card shows. It is rebuilt only if this changes, so that its buttons keep the focus. */
  #drawn = "";
  #control = new AbortController();

  /**
   * @param {Session} session @param {Api} api @param {() => void} onChange
   * @param {(index: number) => void} onMistake called when a mistake in the list is clicked
   */
  constructor(session, api, onChange, onMistake) {
    this.#session = session;
    this.#api = api;
    this.#onChange = onChange;
    this.#onMistake = onMistake;
    api.addEventListener("back", () => this.#failure !== "" && !this.#element.hidden && this.#ask(BUDGET));
    byId("open-review").addEventListener("click", () => this.open());
  }

  /** Review the line on the board. */
  open() {
    const { line, shown } = this.#session.state;
    this.#session.change({ view: "analysis", review: line, shown: Math.min(shown, line.length) });
  }

  /** The number of moves that the line has in common with the reviewed game. */
  get shared() {
    const { review, line } = this.#session.state;
    if (review === null) return line.length;
    let shared = 0;
    while (shared < line.length && line[shared] === review[shared]) shared += 1;
    return shared;
  }

  /**
   * The marks of the game's moves, by their index.
   * @returns {Map<number, Mark>}
   */
  get marks() {
    if (this.#session.state.review === null || this.#answer === null) return new Map();
    return new Map(this.#answer.moves_judged.map(({ mark }, index) => [index, mark]));
  }

  /** @returns {Mistake[]} */
  get mistakes() {
    const { view, review } = this.#session.state;
    if (view !== "analysis" || review === null || this.#answer === null) return [];
    return this.#answer.moves_judged.flatMap((move, index) => (move.mark.startsWith("?") ? [{ index, move }] : []));
  }

  /** Ask for the review of the game, and show it. */
  show() {
    const { review, stored, view, shown, line } = this.#session.state;
    const isOpen = view === "analysis" && (review !== null || stored !== null);
    this.#element.hidden = !isOpen;
    if (!isOpen) return;
    const name = this.#name();
    if (name !== this.#asked) {
      this.#asked = name;
      this.#answer = null;
      void this.#ask(BUDGET);
    }
    const answer = this.#answer;
    const wanted = JSON.stringify([name, this.#isAsking, answer?.complete, answer === null && this.#failure]);
    if (this.#drawn !== wanted) {
      this.#drawn = wanted;
      this.#element.replaceChildren(...(answer === null ? this.#waiting() : this.#card(answer)));
    }
    if (answer === null) return;
    const { shared } = this;
    this.#graph.show(answer.moves_judged, Math.min(shown, shared));
    byId("back-to-game").hidden = line === review;
  }

  #name() {
    const { review, stored, grid, board } = this.#session.state;
    return JSON.stringify(review === null ? stored : [review, grid, boardText(board)]);
  }

  /** @param {number} budget */
  async #ask(budget) {
    this.#control.abort();
    this.#control = new AbortController();
    const { signal } = this.#control;
    this.#isAsking = true;
    this.#failure = "";
    try {
      this.#answer = await this.#fetch(budget, signal);
      if (this.#answer.first !== null) await this.#api.players().catch(() => []); // for the names of levels
      this.#takeStored(this.#answer);
    } catch (error) {
      if (isAbort(error)) return;
      this.#failure = messageOf(error);
    }
    this.#isAsking = false;
    this.#onChange();
  }

  /**
   * @param {number} budget @param {AbortSignal} signal
   * @returns {Promise<ReviewAnswer>}
   */
  async #fetch(budget, signal) {
    const { review, stored, grid, board } = this.#session.state;
    if (review === null) return this.#api.get("/api/v1/game", { ...stored, budget }, signal);
    if (grid === null) {
      return this.#api.get("/api/v1/game", { moves: review, board: boardText(board), budget }, signal);
    }
    const [start] = this.#session.positions;
    const isOver = playLine(start, review).positions.at(-1)?.isOver;
    const game = await recordOf(this.#api, start, review, signal);
    const body = isOver ? game : { ...game, ending: "unfinished" };
    return this.#api.post("/api/v1/game", body, { query: { budget }, signal });
  }

  /**
   * Put a stored game on the board; the answer has its moves.
   * @param {ReviewAnswer} answer
   */
  #takeStored(answer) {
    const { review, stored, shown } = this.#session.state;
    if (review !== null) return;
    const line = answer.moves ?? "";
    const size = parseBoard(answer.board) ?? this.#session.state.board;
    const start = answer.start === null ? null : parseGrid(answer.start);
    this.#asked = JSON.stringify([line, start?.gridText() ?? null, boardText(size)]);
    const changes = { review: line, stored };
    // This replaces the address in the history, so that the back button leads to the previous page.
    this.#session.setUp({ size, start, line, shown: shown > 0 ? shown : line.length, changes, isStep: true });
  }

  /**
   * Show a position of the game.
   * @param {number} shown
   */
  goTo(shown) {
    const { review } = this.#session.state;
    if (review !== null) this.#session.follow(review, shown);
  }

  #thinkLonger() {
    void this.#ask(LONGER_BUDGET);
    this.show();
  }

  #close() {
    this.#session.change({ review: null, stored: null });
    byId("open-review").focus();
  }

  #head() {
    const close = button("Close", () => this.#close(), { id: "review-close" });
    return make("div", { class: "card-head" }, make("h2", { id: "review-title" }, "Review"), close);
  }

  #waiting() {
    const words = this.#failure === "" ? "Judging the moves…" : sentence(this.#failure);
    return [this.#head(), make("p", { class: "quiet", role: "status" }, words)];
  }

  /** @param {ReviewAnswer} answer */
  #card(answer) {
    const more = this.#isAsking
      ? ["Still searching…"]
      : [notJudgedText(answer), button("Think longer", () => this.#thinkLonger())];
    return [
      this.#head(),
      make("div", { class: "sides" }, sideOf("x", answer.first, answer), sideOf("o", answer.second, answer)),
      this.#graph.element,
      button("Back to the game", () => this.goTo(this.shared), { id: "back-to-game", hidden: true }),
      this.#mistakes(answer),
      make("p", { class: "quiet" }, MEASURES),
      ...(answer.complete ? [] : [make("p", { class: "quiet" }, more)]),
    ];
  }

  /** @param {ReviewAnswer} answer */
  #mistakes(answer) {
    const wrong = this.mistakes.map((mistake) => this.#mistake(mistake));
    if (wrong.length > 0) return make("ol", { id: "mistakes" }, wrong);
    const judged = answer.moves_judged.length - answer.not_judged;
    const words = answer.complete ? "No mistakes." : `No mistakes among the ${count(judged, "judged move")}.`;
    return make("p", { class: "quiet", id: "mistakes" }, words);
  }

  /** @param {Mistake} mistake */
  #mistake({ index, move }) {
    const { side, ply, column, mark, before, after } = move;
    const place = `${ply + 1}. column ${columnLabel(column)}`;
    const what = mistakeText(before ?? 0, after ?? 0);
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", class: "mistake", "data-shown": index, "data-mark": mark, onclick: () => this.#onMistake(index) },
        make("span", { class: "mark" }, mark),
        make("span", { class: "mistake-move" }, make("i", { class: `dot ${side}` }), place),
        make("span", { class: "mistake-what" }, what),
        make("span", { class: "mistake-scores", title: markText(mark) }, `${signed(before)} → ${signed(after)}`),
      ),
    );
  }
}

/** @param {ReviewAnswer} answer */
function notJudgedText({ not_judged: open, moves_judged: moves }) {
  return `${open} of ${count(moves.length, "move")} not judged: their positions are not solved yet. `;
}

/** @param {MaybeNumber} share in percent */
function shareText(share) {
  return share === null || share === undefined ? "–" : `${Math.round(share)}%`;
}

/**
 * Both measures of a side's moves, with its counts of marks.
 * @param {Side} name @param {string | null} player @param {ReviewAnswer} answer
 */
function sideOf(name, player, { accuracy, best_moves: best, moves_judged: moves }) {
  /** @param {Mark} mark @param {string} one */
  const counted = (mark, one) => {
    const number = moves.filter((move) => move.side === name && move.mark === mark).length;
    return make(
      "span",
      { "data-mark": mark, title: count(number, one) },
      make("span", { class: "mark", "aria-hidden": "true" }, mark),
      make("span", { "aria-hidden": "true" }, ` ${number}`),
      make("span", { class: "unseen" }, `${count(number, one)}, `),
    );
  };
  return make(
    "div",
    { class: `side ${name}` },
    make("span", { class: "side-name" }, make("i", { class: `dot ${name}` }), NAMES[name]),
    make("span", { class: "side-player", title: player }, player === null ? "" : nameOf(player)),
    make("span", { class: "side-what" }, "results kept"),
    make("span", { class: "side-share", id: `accuracy-${name}` }, shareText(accuracy[name])),
    make("span", { class: "side-what" }, "best moves"),
    make("span", { class: "side-share", id: `best-${name}` }, shareText(best[name])),
    make("span", { class: "side-counts" }, counted("??", "blunder"), counted("?", "slip"), counted("!", "only move")),
  );
}

/** @param {number} before @param {number} after */
export function mistakeText(before, after) {
  if (before > 0 && after === 0) return "let a win become a draw";
  if (before > 0 && after < 0) return "turned a win into a loss";
  if (before === 0 && after < 0) return "gave the draw away";
  return after > 0 ? "wins later than it could" : "loses sooner than it had to";
}
