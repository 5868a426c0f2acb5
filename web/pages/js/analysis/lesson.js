/** A mistake of a reviewed game: the board before it, the better column, both lines, and a chance to find it. */

import { button, byId, make, setAttribute } from "../dom.js";
import { NAMES, columnLabel } from "../game/position.js";
import { lineChips } from "./analysis.js";
import { mistakeText } from "./review.js";
import { reasonText, signed } from "../words.js";

/** @import {Session} from "../game/session.js" */
/** @import {Reason} from "../types.js" */
/** @import {Mistake, Review} from "./review.js" */

export class Lesson {
  #session;
  #review;
  #onChange;
  #element = byId("lesson");
  #title = make("h2", { id: "lesson-title" });
  #what = make("p", { class: "quiet" });
  #answer = make("p", { id: "lesson-answer", role: "status" });
  #lines = make("div", {});
  #previous = button("Previous", () => this.step(-1), { "aria-keyshortcuts": "p", title: "Previous mistake (p)" });
  #next = button("Next", () => this.step(1), { "aria-keyshortcuts": "n", title: "Next mistake (n)" });
  #try = button("Try it yourself", () => this.#toggle(), { id: "lesson-try" });
  /** The index of the mistake whose better column the user looks for; -1 for none. */
  #trying = -1;
  /** The mistake that the card shows. It is rebuilt only if this changes, so that its buttons keep the focus. */
  #drawn = "";

  /** @param {Session} session @param {Review} review @param {() => void} onChange */
  constructor(session, review, onChange) {
    this.#session = session;
    this.#review = review;
    this.#onChange = onChange;
    const tools = make("span", { class: "card-tools" }, this.#previous, this.#next);
    const head = make("div", { class: "card-head" }, this.#title, tools);
    this.#element.append(head, this.#what, make("div", { class: "buttons" }, this.#try, this.#answer), this.#lines);
  }

  /** Whether the better column is hidden. */
  get isTrying() {
    return this.#trying === this.#session.state.shown && this.#mistake?.index === this.#trying;
  }

  /** The columns to mark on the board before a mistake: the played one and the best ones. */
  get marks() {
    const mistake = this.#mistake;
    if (mistake === null || mistake.index !== this.#session.state.shown || this.isTrying) return null;
    return { wrong: mistake.move.column, best: mistake.move.best };
  }

  /**
   * The mistake that the board is about: the position before or after it, or a line that leaves the game there.
   * @returns {Mistake | null}
   */
  get #mistake() {
    const { shared, mistakes } = this.#review;
    const { shown } = this.#session.state;
    /** @param {Mistake} mistake */
    const nearness = ({ index }) => {
      if (shown === index) return shown <= shared ? 3 : 0;
      if (shown < index) return 0;
      return shared === index ? 2 : Number(shown === index + 1 || shared === index + 1);
    };
    const nearest = mistakes.toSorted((a, b) => nearness(b) - nearness(a))[0];
    return nearest !== undefined && nearness(nearest) > 0 ? nearest : null;
  }

  show() {
    const mistake = this.#mistake;
    this.#element.hidden = mistake === null;
    for (const one of document.querySelectorAll("#mistakes button")) {
      const isShown = one.getAttribute("data-shown") === String(mistake?.index);
      setAttribute(one, "aria-current", isShown ? "step" : null);
    }
    if (mistake === null) return;
    this.#previous.setAttribute("aria-disabled", String(this.#beside(-1) === undefined));
    this.#next.setAttribute("aria-disabled", String(this.#beside(1) === undefined));
    const isTrying = mistake.index === this.#trying;
    this.#try.textContent = isTrying ? "Show the answer" : "Try it yourself";
    const name = JSON.stringify([this.#session.state.review, mistake.index]);
    if (!this.#drawn.startsWith(name) && !isTrying) this.#set(-1, "");
    const wanted = name + isTrying;
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;
    const { side, ply, column, mark, before, after } = mistake.move;
    this.#title.replaceChildren(`${ply + 1}. ${NAMES[side]} played ${columnLabel(column)} `, make("span", { class: "mark" }, mark));
    this.#what.textContent = `It ${mistakeText(before ?? 0, after ?? 0)}: ${signed(before)} → ${signed(after)}.`;
    this.#lines.replaceChildren(...(isTrying ? [] : this.#linesOf(mistake)));
  }

  /** @param {Mistake} mistake */
  #linesOf({ index, move }) {
    const { side, column, best, reason, better } = move;
    const start = (this.#session.state.review ?? "").slice(0, index);
    /** @param {string} sign @param {string} name @param {number[]} columns @param {Reason | null} why */
    const line = (sign, name, columns, why) => {
      const moves = (why?.moves ?? columns.slice(0, 1)).map(columnLabel).join("");
      return make(
        "div",
        { class: "lesson-line" },
        make("h3", {}, `${sign} ${name} ${columns.map(columnLabel).join(", ")}`),
        why !== null && make("p", {}, reasonText(why)),
        make("ol", { class: "chips" }, lineChips(this.#session, start, moves, side)),
      );
    };
    return [line("✕", "Played:", [column], reason), line("✓", "Better:", best, better)];
  }

  /** @param {1 | -1} by */
  #beside(by) {
    const { shown } = this.#session.state;
    const at = this.#mistake?.index ?? shown - by / 2;
    const { mistakes } = this.#review;
    return by > 0 ? mistakes.find(({ index }) => index > at) : mistakes.findLast(({ index }) => index < at);
  }

  /** @param {1 | -1} by */
  step(by) {
    const mistake = this.#beside(by);
    if (mistake !== undefined) this.open(mistake.index);
  }

  /**
   * Show the board before a mistake.
   * @param {number} index
   */
  open(index) {
    this.#set(-1, "");
    this.#review.goTo(index);
    window.scrollTo(0, 0);
  }

  #toggle() {
    const mistake = this.#mistake;
    if (mistake === null) return;
    if (mistake.index === this.#trying) this.#set(-1, "");
    else this.#set(mistake.index, `${NAMES[mistake.move.side]} to move: play the better column.`);
    this.#review.goTo(mistake.index);
    this.#onChange();
  }

  /** @param {number} trying @param {string} answer */
  #set(trying, answer) {
    this.#trying = trying;
    this.#answer.textContent = answer;
  }

  /**
   * Judge a column that is played while the user looks for the better one. A wrong column is not played.
   * @param {number} column
   * @returns {boolean} whether the column was judged
   */
  judge(column) {
    const mistake = this.#mistake;
    if (mistake === null || !this.isTrying || !this.#session.position.isPlayable(column)) return false;
    const { mark, keeps, best } = mistake.move;
    const name = `Column ${columnLabel(column)}`;
    const isBest = best.includes(column);
    if (isBest || (mark === "??" && keeps.includes(column))) {
      this.#set(-1, isBest ? `${name} is right.` : `${name} keeps the result; ${columnLabel(best[0])} is best.`);
      this.#session.play(column);
    } else {
      this.#answer.textContent = `${name} is not the move. Try another column.`;
    }
    return true;
  }
}
