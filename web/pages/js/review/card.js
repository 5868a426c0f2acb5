/** The review as it is seen: the accuracy of both sides, a graph of the score, and the mistakes. */

import { byId, make } from "../dom.js";
import { Graph } from "./graph.js";
import { markText, pointsOf } from "./marks.js";
import { NAMES, columnLabel, plural, sentence, signed } from "../game/notation.js";

/**
 * @typedef {object} Found what is known of the game
 * @property {any} answer the API's; null while nothing is known
 * @property {string} name of the game, different for each
 * @property {boolean} isAsking
 * @property {string} failure why there is no answer, in words
 */
/**
 * @typedef {object} Place where the board stands
 * @property {number} shown moves of the line
 * @property {number} shared moves that the line has in common with the game
 * @property {boolean} isLeft whether the line has left the game
 */

export class ReviewCard {
  /**
   * @param {HTMLElement} element
   * @param {{onGo: (shown: number) => void, onBack: () => void, onClose: () => void,
   *   onMore: () => void}} events onMore: search longer.
   */
  constructor(element, { onGo, onBack, onClose, onMore }) {
    this.element = element;
    this.onGo = onGo;
    this.onBack = onBack;
    this.onClose = onClose;
    this.onMore = onMore;
    this.graph = new Graph(onGo);
    /** What the card was built for; stepping through the game leaves its buttons, and the focus, alone. */
    this.drawn = "";
  }

  /** @param {Found} found @param {Place} place */
  show(found, { shown, shared, isLeft }) {
    const { answer, failure } = found;
    if (answer === null) {
      this.drawn = "";
      const words = failure === "" ? "Looking at every move…" : sentence(failure);
      this.element.replaceChildren(this.#head(), make("p", { class: "quiet", role: "status" }, words));
      return;
    }
    const wanted = `${found.name} ${answer.complete} ${found.isAsking}`;
    if (this.drawn !== wanted) this.#build(found);
    this.drawn = wanted;
    this.graph.show(pointsOf(answer.moves_judged), Math.min(shown, shared));
    byId("back-to-game").hidden = !isLeft;
    for (const button of this.element.querySelectorAll("#mistakes button")) {
      const isShown = Number(button.getAttribute("data-shown")) === shown && shown <= shared;
      if (isShown) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
  }

  /** @param {Found} found */
  #build({ answer, isAsking }) {
    this.element.replaceChildren(
      this.#head(),
      make("div", { class: "sides" }, side("x", answer.first, answer), side("o", answer.second, answer)),
      this.graph.element,
      make("button", { type: "button", id: "back-to-game", class: "plain", hidden: true, onclick: this.onBack }, "Back to the game"),
      this.#mistakes(answer),
    );
    if (!answer.complete) this.element.append(this.#incomplete(isAsking));
  }

  #head() {
    const close = make("button", { type: "button", class: "plain", id: "review-close", onclick: this.onClose }, "Close");
    return make("div", { class: "card-head" }, make("h2", { id: "review-title" }, "Review"), close);
  }

  /** @param {any} answer */
  #mistakes(answer) {
    const wrong = answer.moves_judged
      .map((/** @type {any} */ move, /** @type {number} */ index) => ({ ...move, index }))
      .filter((/** @type {any} */ move) => move.mark === "??" || move.mark === "?");
    if (wrong.length === 0) {
      const words = answer.complete ? "Not one mistake." : "No mistake is known so far.";
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
        { type: "button", class: "mistake", "data-shown": move.index + 1, "data-mark": move.mark, onclick: () => this.onGo(move.index + 1) },
        make("span", { class: "mark" }, move.mark),
        make("span", { class: "mistake-move" }, make("i", { class: `dot ${move.side}` }), `${move.ply + 1}. column ${columnLabel(move.column)}`),
        make("span", { class: "mistake-what" }, `${mistakeText(move)}; best was ${best}`),
        make("span", { class: "mistake-scores", title: markText(move.mark) }, scores),
      ),
    );
  }

  /** @param {boolean} isAsking */
  #incomplete(isAsking) {
    const more = make("button", { type: "button", class: "plain", onclick: this.onMore }, "Think longer");
    const words = isAsking ? "Searching on…" : "Some positions are not solved yet. ";
    return make("p", { class: "quiet" }, words, isAsking ? null : more);
  }
}

/**
 * How well a side has played.
 * @param {"x" | "o"} name @param {string | null} player @param {any} answer
 */
function side(name, player, answer) {
  const accuracy = answer.accuracy[name];
  const marks = answer.moves_judged
    .filter((/** @type {any} */ move) => move.side === name)
    .map((/** @type {any} */ move) => move.mark);
  const count = (/** @type {string} */ mark) => marks.filter((/** @type {string} */ each) => each === mark).length;
  return make(
    "div",
    { class: `side ${name}` },
    make("span", { class: "side-name" }, make("i", { class: `dot ${name}` }), NAMES[name]),
    make("span", { class: "side-share", id: `accuracy-${name}` }, accuracy === null ? "–" : `${Math.round(accuracy)}%`),
    make("span", { class: "side-player" }, player ?? ""),
    make("span", { class: "side-what" }, "accuracy"),
    make(
      "span",
      { class: "side-counts" },
      counted("??", count("??"), "blunder"),
      counted("?", count("?"), "slip"),
      counted("!", count("!"), "only move"),
    ),
  );
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
