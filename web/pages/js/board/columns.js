/** The row of buttons under the board: one a column, with its score, and what is said of it. */

import { make } from "../dom.js";
import { columnLabel, outcomeText, signed } from "../game/notation.js";

/** @typedef {import("../game/rules.js").Position} Position */
/**
 * @typedef {object} ColumnAnswer what the API says of a column
 * @property {number} column
 * @property {boolean} playable
 * @property {number | null} score for the side to move
 * @property {string | null} value
 * @property {number | null} plies
 * @property {boolean} best
 */

export class Columns {
  /**
   * @param {HTMLElement} element
   * @param {HTMLElement} outcome where the chosen column is put into words.
   * @param {(column: number) => void} onPlay
   */
  constructor(element, outcome, onPlay) {
    this.element = element;
    this.outcome = outcome;
    this.onPlay = onPlay;
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.standing = "";
    for (const name of ["pointerover", "focusin"]) {
      element.addEventListener(name, (event) => this.#describe(event.target));
    }
    for (const name of ["pointerleave", "focusout"]) {
      element.addEventListener(name, () => this.#describe(null));
    }
  }

  /**
   * @param {Position} position
   * @param {{flipped: boolean, answers: ColumnAnswer[] | null, isPlayable: boolean, isBare: boolean}}
   *   options answers: null while nothing is known; isBare: no scores are to be shown.
   */
  show(position, { flipped, answers, isPlayable, isBare }) {
    const { width } = position.size;
    if (this.buttons.length !== width) this.#build(width);
    this.element.classList.toggle("is-bare", isBare);
    for (const [index, button] of this.buttons.entries()) {
      const column = index + 1;
      const answer = answers?.find((each) => each.column === column) ?? null;
      const isOpen = position.isPlayable(column);
      button.style.order = String(flipped ? width - index : column);
      // Not `disabled`: a button that is would lose the focus when its column fills.
      button.setAttribute("aria-disabled", String(!isOpen || !isPlayable));
      showAnswer(button, column, isOpen, answer);
    }
    this.standing = answers === null || position.isOver ? "" : bestText(answers);
    this.#describe(this.element.contains(document.activeElement) ? document.activeElement : null);
  }

  /** @param {number} width */
  #build(width) {
    this.buttons = Array.from({ length: width }, (_, index) =>
      make(
        "button",
        {
          type: "button",
          class: "column",
          "data-column": index + 1,
          onclick: (/** @type {Event} */ event) => {
            const button = /** @type {HTMLElement} */ (event.currentTarget);
            if (button.getAttribute("aria-disabled") !== "true") this.onPlay(index + 1);
          },
        },
        make("span", { class: "column-best" }),
        make("span", { class: "column-score" }),
        // Drawn by the style: the text that is seen has to be part of the button's name as it stands.
        make("span", { class: "column-number", "data-label": columnLabel(index + 1) }),
      ),
    );
    this.element.replaceChildren(...this.buttons);
    this.element.style.setProperty("--columns", String(width));
  }

  /** @param {EventTarget | null} target */
  #describe(target) {
    const button = target instanceof Element ? target.closest("button") : null;
    this.outcome.textContent = button?.dataset.outcome ?? this.standing;
  }
}

/**
 * @param {HTMLButtonElement} button @param {number} column @param {boolean} isOpen
 * @param {ColumnAnswer | null} answer
 */
function showAnswer(button, column, isOpen, answer) {
  const isKnown = isOpen && answer !== null;
  const score = isKnown && answer.score !== null ? signed(answer.score) : null;
  const isBest = isKnown && answer.best;
  const parts = [`Column ${column}`];
  if (!isOpen) parts.push("cannot be played");
  else if (score !== null) parts.push(`score ${score}`, outcomeText(/** @type {ColumnAnswer} */ (answer)));
  else if (isKnown) parts.push(outcomeText(answer));
  if (isBest) parts.push("best");
  button.setAttribute("aria-label", parts.join(", "));
  const text = button.querySelector(".column-score");
  if (text !== null) text.textContent = score ?? "";
  keep(button, "score", isKnown && answer.score !== null ? String(answer.score) : null);
  keep(button, "value", isKnown ? answer.value : null);
  keep(button, "best", isBest ? "true" : null);
  keep(button, "open", isKnown && score === null ? "true" : null);
  keep(button, "outcome", isKnown ? `Column ${column} ${outcomeVerb(answer)}.` : null);
}

/** @param {ColumnAnswer} answer */
function outcomeVerb(answer) {
  if (answer.value === "draw") return "holds the draw";
  return answer.value === null ? "is not decided yet" : outcomeText(answer);
}

/** @param {ColumnAnswer[]} answers */
function bestText(answers) {
  const best = answers.filter((answer) => answer.best);
  if (best.length === 0) return "";
  const names = best.map((answer) => columnLabel(answer.column));
  const outcome = outcomeVerb(best[0]);
  if (names.length === 1) return `Best: column ${names[0]} ${outcome}.`;
  const many = outcome.replace(/^(wins|loses|holds)/, (verb) => verb.slice(0, -1));
  return `Best: columns ${names.slice(0, -1).join(", ")} and ${names.at(-1)} ${many}.`;
}

/** @param {HTMLElement} element @param {string} name @param {string | null} value */
function keep(element, name, value) {
  if (value === null) delete element.dataset[name];
  else element.dataset[name] = value;
}
