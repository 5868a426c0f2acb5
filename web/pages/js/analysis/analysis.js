/** The analysis of the board: the verdict in words, the evaluation bar and the best play. */

import { byId, make } from "../dom.js";
import { NAMES, columnLabel, columnNumber, otherSide } from "../game/position.js";
import { keepSwitch } from "../storage.js";
import { boundsText, count, duration, guessed, reasonText, sentence, signed } from "../words.js";
import { isFinished } from "./analyst.js";

/** @import {Position} from "../game/position.js" */
/** @import {Session} from "../game/session.js" */
/** @import {PositionAnswer, Side} from "../types.js" */
/** @import {Analyst} from "./analyst.js" */

/** Distances of the bar from the middle, where 1 is the end: at least for a proven win, at most for a guess. */
const LEAST_PROVEN = 0.3;
const MOST_GUESSED = 0.25;

/** Time before a running search shows a spinner. */
const SPINNER_MS = 250;

export class Analysis {
  #session;
  #analyst;
  #announce;
  /** The position whose hidden evaluation the user asked for. */
  #shownOnce = "";
  #announced = "";
  /** The position and the line that are shown. They are rebuilt only if they change, so that a button keeps the focus. */
  #line = "";
  #evaluation = byId("toggle-evaluation", HTMLInputElement);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #spinner;

  /**
   * @param {Session} session
   * @param {Analyst} analyst
   * @param {() => void} onChange called when the page must be drawn again
   * @param {(text: string) => void} announce
   */
  constructor(session, analyst, onChange, announce) {
    this.#session = session;
    this.#analyst = analyst;
    this.#announce = announce;
    /** Whether hints are shown in a game. */
    this.hasHints = false;
    /** Whether the evaluation is hidden while the user looks for a move. */
    this.isHidden = false;
    keepSwitch(this.#evaluation, "evaluation", true, onChange);
    keepSwitch(byId("toggle-threats", HTMLInputElement), "threats", false, onChange);
    byId("show-once").addEventListener("click", () => {
      this.#shownOnce = this.#name;
      onChange();
    });
    byId("think-longer").addEventListener("click", () => this.#thinkLonger());
    byId("go-on").addEventListener("click", () => analyst.queue());
    analyst.addEventListener("change", onChange);
  }

  /** Whether the evaluation of the position is shown. */
  get isShown() {
    if (this.#session.state.view === "play") return this.hasHints;
    return (this.#evaluation.checked && !this.isHidden) || this.#shownOnce === this.#name;
  }

  /** The answer about the position, if it is shown. */
  get answer() {
    return this.isShown ? this.#analyst.answer : null;
  }

  get #name() {
    return JSON.stringify(this.#session.question);
  }

  /** Ask about the position if its evaluation is shown, and show the known scores. */
  show() {
    const { position, state } = this.#session;
    const isPlay = state.view === "play";
    if (this.isShown && !position.isOver) this.#analyst.ask(this.#session.question);
    else this.#analyst.rest();
    const { status } = this.#analyst;
    const { answer, isShown } = this;
    document.body.dataset.state = position.isOver ? "ready" : isShown ? status : "hidden";
    showVerdict(position, answer);
    byId("analysis").hidden = isPlay && !isShown;
    byId("bounds").textContent = scoreText(position, answer);
    byId("reason").textContent = answer === null || answer.reason === null ? "" : reasonText(answer.reason);
    byId("source").textContent = status === "ready" ? sourceText(answer) : "";
    byId("hidden-note").hidden = isShown || position.isOver || isPlay;
    showBar(position, answer, isShown || position.isOver);
    this.#showLine(position, answer?.line ?? "");
    this.#showWaiting(answer);
    this.#showFailure();
    if (status === "ready" || position.isOver) this.#announceOnce(position, answer);
  }

  /** @param {PositionAnswer | null} answer */
  #showWaiting(answer) {
    const { status, longer } = this.#analyst;
    const spinner = byId("spinner");
    clearTimeout(this.#spinner);
    if (status === "asking") this.#spinner = setTimeout(() => (spinner.hidden = false), SPINNER_MS);
    else spinner.hidden = true;
    const isFailed = this.isShown && status === "failed";
    const isIncomplete = status === "incomplete" && answer !== null;
    const isOpen = isIncomplete && answer.queued === null;
    const isWithoutLine = status === "ready" && answer !== null && !isFinished(answer);
    const button = byId("think-longer");
    button.hidden = !(isFailed || ((isOpen || isWithoutLine) && longer !== null));
    button.textContent = isFailed ? "Try again" : `Think longer (${longer} s)`;
    byId("go-on").hidden = !isOpen;
    if (isIncomplete && answer.queued !== null) {
      const link = make("a", { href: `/work?job=${answer.queued}` }, `Job ${answer.queued}`);
      byId("source").replaceChildren(link, " continues the search");
    }
  }

  #thinkLonger() {
    if (this.#analyst.status === "failed") this.#analyst.retry();
    else this.#analyst.askLonger();
  }

  #showFailure() {
    const failure = byId("failure");
    const isFailed = this.#analyst.status === "failed" && this.isShown;
    const text = isFailed ? sentence(this.#analyst.failure) : (this.#session.problem ?? "");
    failure.hidden = text === "";
    if (failure.textContent !== text) failure.textContent = text;
  }

  /**
   * Show the principal variation; each move is a button that steps to it.
   * @param {Position} position @param {string} line
   */
  #showLine(position, line) {
    byId("line-box").hidden = line === "";
    const name = JSON.stringify([this.#name, this.#session.moves, line]);
    if (name === this.#line) return;
    this.#line = name;
    byId("line").replaceChildren(...lineChips(this.#session, this.#session.moves, line, position.side));
  }

  /** @param {Position} position @param {PositionAnswer | null} answer */
  #announceOnce(position, answer) {
    const name = this.#name + this.isShown;
    if (name === this.#announced) return;
    this.#announced = name;
    this.#announce(announcementText(position, answer));
  }
}

/**
 * The moves of a line as buttons that step through it.
 * @param {Session} session @param {string} start the moves before the line @param {string} line
 * @param {Side} first the side to move
 */
export function lineChips(session, start, line, first) {
  return [...line].map((character, index) => {
    const side = index % 2 === 0 ? first : otherSide(first);
    const column = columnNumber(character);
    const attributes = {
      type: "button",
      class: `chip ${side}`,
      "data-index": index,
      "aria-label": `${NAMES[side]}, column ${column}`,
      onclick: () => session.follow(start + line, start.length + index + 1),
    };
    return make("li", {}, make("button", attributes, columnLabel(column)));
  });
}

/** @param {Position} position @param {PositionAnswer | null} answer */
function verdictText(position, answer) {
  if (position.winner !== null) return `${NAMES[position.winner]} has won`;
  if (position.isFull) return "A draw: the board is full";
  const mover = NAMES[position.side];
  const other = NAMES[otherSide(position.side)];
  if (answer === null) return `${mover} to move`;
  if (answer.value === "draw") return "A draw with best play";
  if (answer.value !== null) {
    const winner = answer.value === "win" ? mover : other;
    if (answer.plies === null) return `${winner} wins with best play`;
    if (answer.plies <= 1) return `${winner} wins at once`;
    return `${winner} wins in ${count(answer.plies, "move")} with best play`;
  }
  if (answer.lower === 0) return `${mover} has at least a draw`;
  if (answer.upper === 0) return `${other} has at least a draw`;
  if (answer.estimate === null || answer.estimate.share === null) return "Not decided yet";
  const { favoured, published } = answer.estimate;
  if (published !== null) return `Published score: ${signed(published)} for ${mover}, not proven here`;
  if (favoured === null) return "Too close to call, not proven";
  return `${favoured === "win" ? mover : other} is favoured, not proven`;
}

/** @param {Position} position @param {PositionAnswer | null} answer */
function showVerdict(position, answer) {
  const element = byId("verdict");
  // The condition is a separate element, so that a line breaks before it and not inside it.
  const [main, condition] = verdictText(position, answer).split(/ (?=(?:with best play|not proven(?: here)?)$)/);
  element.replaceChildren(main, ...(condition === undefined ? [] : [" ", make("span", {}, condition)]));
  element.classList.toggle("is-guess", isGuess(answer));
  const side = leadingSide(position, answer);
  if (side === null) delete element.dataset.side;
  else element.dataset.side = side;
}

/** @param {PositionAnswer | null} answer */
function isGuess(answer) {
  return answer !== null && answer.value === null && answer.estimate !== null;
}

/**
 * The side that the verdict is about.
 * @param {Position} position @param {PositionAnswer | null} answer
 * @returns {Side | null} null for a draw or an undecided position
 */
function leadingSide(position, answer) {
  if (position.winner !== null) return position.winner;
  if (position.isFull) return null;
  if (answer === null || answer.value === "win") return position.side;
  return answer.value === "loss" ? otherSide(position.side) : null;
}

/** @param {Position} position @param {PositionAnswer | null} answer */
function scoreText(position, answer) {
  if (position.winner !== null) return `Four in a row, after ${count(position.ply, "move")}`;
  if (position.isFull) return `After ${count(position.ply, "move")}`;
  if (answer === null) return "";
  const left = position.size.width * position.size.height - position.ply;
  const score = boundsText(answer.lower, answer.upper, -Math.floor(left / 2), Math.floor((left + 1) / 2));
  const { share = null, published = null } = answer.estimate ?? {};
  const guess = share === null || published !== null ? "" : `; a guess: ${guessed(share)} %`;
  return `Score ${score} for ${NAMES[position.side]}, to move${guess}`;
}

/** @param {PositionAnswer | null} answer */
function sourceText(answer) {
  if (answer === null) return "";
  if (answer.source === "book") return "from the book";
  if (answer.source === "db") return "from the database";
  if (answer.source !== "search") return "";
  return `${positionsText(answer.nodes)} searched in ${duration(answer.seconds)}`;
}

/** @param {number} nodes */
function positionsText(nodes) {
  if (nodes >= 1e6) return `${(nodes / 1e6).toFixed(1)} million positions`;
  return nodes >= 10_000 ? `${Math.round(nodes / 1000)} thousand positions` : count(nodes, "position");
}

/**
 * The bar's value, from −1 (yellow) to 1 (red). A proven win is farther from the middle than a guess; a quick win is
 * farther than a slow one.
 * @param {Position} position @param {PositionAnswer | null} answer
 */
function barShare(position, answer) {
  if (position.winner !== null) return position.winner === "x" ? 1 : -1;
  if (answer === null || answer.value === "draw" || position.isFull) return 0;
  const mover = position.side === "x" ? 1 : -1;
  if (answer.value === null && answer.estimate?.share != null) {
    const { share, published } = answer.estimate;
    const lead = published === null ? 2 * share - 1 : Math.sign(published);
    return mover * Math.max(-MOST_GUESSED, Math.min(MOST_GUESSED, lead));
  }
  const most = (position.size.width * position.size.height + 1) / 2;
  const score = answer.score ?? (answer.lower > 0 ? answer.lower : Math.min(answer.upper, 0));
  const sign = Math.sign(score) * mover;
  return sign === 0 ? 0 : sign * (LEAST_PROVEN + 0.6 * Math.min(1, Math.abs(score) / most));
}

/** @param {Position} position @param {PositionAnswer | null} answer @param {boolean} isShown */
function showBar(position, answer, isShown) {
  const bar = byId("bar");
  const share = isShown ? barShare(position, answer) : 0;
  const words = isShown ? verdictText(position, answer) : "hidden";
  bar.classList.toggle("is-hidden", !isShown);
  bar.classList.toggle("is-guess", isShown && !position.isOver && isGuess(answer));
  bar.style.setProperty("--share", String((1 + share) / 2));
  bar.setAttribute("aria-valuenow", String(Math.round(share * 100)));
  bar.setAttribute("aria-valuetext", words);
  bar.title = isShown ? words : "";
}

/** @param {Position} position @param {PositionAnswer | null} answer */
function announcementText(position, answer) {
  const words = [verdictText(position, answer)];
  if (answer !== null && !position.isOver) {
    const { score, best } = answer;
    if (score !== null) words.push(`score ${signed(score)} for ${NAMES[position.side]}`);
    if (best.length > 0) words.push(`best column${best.length === 1 ? "" : "s"} ${best.join(", ")}`);
  }
  return `${words.join("; ")}.`;
}
