/** The buttons under the board, one for each column with its score, and a sentence about the best columns. */

import { make, setAttribute } from "../dom.js";
import { NAMES, columnLabel } from "../game/position.js";
import { boundsShort, guessed, outcomeText, percent } from "../words.js";

/** @import {Position} from "../game/position.js" */
/** @import {ColumnAnswer, PositionAnswer} from "../types.js" */

export class Columns {
  #element;
  #outcome;
  #onPlay;
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  /** The sentence that is shown while no column has the focus or the pointer. */
  #summary = "";

  /**
   * @param {HTMLElement} element
   * @param {HTMLElement} outcome the element for the sentence
   * @param {(column: number) => void} onPlay
   */
  constructor(element, outcome, onPlay) {
    this.#element = element;
    this.#outcome = outcome;
    this.#onPlay = onPlay;
    for (const name of ["pointerover", "focusin"]) {
      element.addEventListener(name, (event) => this.#describe(event.target));
    }
    for (const name of ["pointerleave", "focusout"]) element.addEventListener(name, () => this.#describe(null));
  }

  /**
   * @param {Position} position
   * @param {{flipped: boolean, answer: PositionAnswer | null, isPlayable: boolean, isBare: boolean}} options
   *   answer: null if there are no scores; isBare: scores are hidden
   */
  show(position, { flipped, answer, isPlayable, isBare }) {
    const { width } = position.size;
    if (this.#buttons.length !== width) this.#build(width);
    this.#element.classList.toggle("is-bare", isBare);
    for (const [index, button] of this.#buttons.entries()) {
      const column = index + 1;
      const isOpen = position.isPlayable(column);
      button.style.order = String(flipped ? width - index : column);
      // Not `disabled`: a button would lose the focus when its column becomes full.
      button.setAttribute("aria-disabled", String(!isOpen || !isPlayable));
      showAnswer(button, column, isOpen, answer?.columns[index] ?? null, answer?.estimate?.columns[index] ?? null);
    }
    this.#summary = answer === null || position.isOver ? "" : bestText(answer.columns);
    if (this.#summary === "" && answer?.estimate) {
      this.#summary = `Not proven: ~ is the chance of ${NAMES[position.side]} in percent, a guess.`;
    }
    this.#describe(this.#element.contains(document.activeElement) ? document.activeElement : null);
  }

  /** @param {number} width */
  #build(width) {
    this.#buttons = Array.from({ length: width }, (_, index) => this.#button(index + 1));
    this.#element.replaceChildren(...this.#buttons);
    this.#element.style.setProperty("--columns", String(width));
  }

  /** @param {number} column */
  #button(column) {
    const button = make(
      "button",
      { type: "button", class: "column", "data-column": column },
      make("span", { class: "column-best" }),
      make("span", { class: "column-score" }),
      // The style sheet draws the label, because visible text must be part of the button's name.
      make("span", { class: "column-number", "data-label": columnLabel(column) }),
    );
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") !== "true") this.#onPlay(column);
    });
    return button;
  }

  /** @param {EventTarget | null} target */
  #describe(target) {
    const button = target instanceof Element ? target.closest("button") : null;
    this.#outcome.textContent = button?.dataset.outcome ?? this.#summary;
  }
}

/**
 * @param {HTMLButtonElement} button @param {number} column
 * @param {boolean} isOpen whether the column can be played
 * @param {ColumnAnswer | null} answer
 * @param {number | null} share the guess if the score is not proven
 */
function showAnswer(button, column, isOpen, answer, share) {
  const known = isOpen ? answer : null;
  const bounds = boundsShort(known?.lower ?? -1, known?.upper ?? 1);
  const score = known === null || bounds === "" ? null : bounds;
  const parts = [`Column ${column}`];
  if (!isOpen) parts.push("cannot be played");
  if (score !== null) parts.push(`score ${score}`);
  const guess = known === null || score !== null || share === null ? null : guessed(share);
  if (known !== null) parts.push(guess === null ? provenText(known) : guessText(share));
  if (known?.best) parts.push("best");
  button.setAttribute("aria-label", parts.join(", "));
  const text = button.querySelector(".column-score");
  if (text !== null) text.textContent = score ?? guess ?? "";
  setAttribute(button, "data-score", known === null || known.score === null ? null : String(known.score));
  setAttribute(button, "data-value", known?.value ?? null);
  setAttribute(button, "data-best", known?.best ? "true" : null);
  setAttribute(button, "data-open", known !== null && score === null && guess === null ? "true" : null);
  setAttribute(button, "data-guess", guess === null ? null : "true");
  setAttribute(button, "data-outcome", known === null ? null : `Column ${column} ${guess === null ? outcomeVerb(known) : guessText(share)}.`);
}

/** @param {number | null} share */
function guessText(share) {
  return `is not decided yet; a guess: ${percent(share, 0)}`;
}

/** @param {ColumnAnswer} answer */
function outcomeVerb(answer) {
  return answer.value === "draw" ? "holds the draw" : provenText(answer);
}

/**
 * The proven outcome of a column: "wins", "draw", "at least a draw", "is not decided yet".
 * @param {ColumnAnswer} answer
 */
function provenText(answer) {
  if (answer.value !== null) return outcomeText(answer);
  if (answer.lower === 0) return "has at least a draw";
  return answer.upper === 0 ? "has at most a draw" : "is not decided yet";
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
