/** The analysis of the board: scores, words, bar, best play; shown when asked for. */

import { byId, make } from "./dom.js";
import { sentence } from "./game/notation.js";
import { keepSwitch } from "./settings.js";
import {
  announcementText,
  leadingSide,
  scoreText,
  showBar,
  showLine,
  showVerdict,
  sourceText,
  verdictText,
} from "./verdict.js";

/** Until a search is slow enough that a spinner says so. */
const SPINNER_MS = 250;

export class Analysis {
  /**
   * @param {import("./game/session.js").Session} session
   * @param {import("./analyst.js").Analyst} analyst
   * @param {() => void} onChange what is shown has changed.
   * @param {(text: string) => void} announce
   */
  constructor(session, analyst, onChange, announce) {
    this.session = session;
    this.analyst = analyst;
    this.announce = announce;
    /** Whether hints are shown in a game. */
    this.hasHints = false;
    /** The position that was asked for while evaluations are hidden. */
    this.askedFor = "";
    this.announced = "";
    this.evaluation = /** @type {HTMLInputElement} */ (byId("toggle-evaluation"));
    this.threats = /** @type {HTMLInputElement} */ (byId("toggle-threats"));
    keepSwitch(this.evaluation, "evaluation", true, onChange);
    keepSwitch(this.threats, "threats", false, onChange);
    byId("show-once").addEventListener("click", () => this.showOnce(onChange));
    byId("think-longer").addEventListener("click", () => this.#thinkLonger());
    byId("go-on").addEventListener("click", () => analyst.queue());
    analyst.addEventListener("change", onChange);
  }

  /** Whether the evaluation of the position is shown. */
  get isShown() {
    if (this.session.state.view === "play") return this.hasHints;
    return this.evaluation.checked || this.askedFor === this.#name;
  }

  /** The answer, where it is shown. */
  get answer() {
    return this.isShown ? this.analyst.answer : null;
  }

  get #name() {
    return JSON.stringify(this.session.question);
  }

  /** @param {() => void} onChange */
  showOnce(onChange) {
    this.askedFor = this.#name;
    onChange();
  }

  /** Ask about the position that is shown, if its evaluation is; draw what is known. */
  show() {
    const { position } = this.session;
    if (this.isShown && !position.isOver) this.analyst.ask(this.session.question);
    else this.analyst.rest();
    const { status } = this.analyst;
    const { answer, isShown } = this;
    document.body.dataset.state = this.#stateName();
    showVerdict(verdictText(position, answer));
    showSide(byId("verdict"), leadingSide(position, answer));
    byId("analysis").hidden = this.session.state.view === "play" && !isShown;
    byId("bounds").textContent = scoreText(position, answer);
    byId("source").textContent = status === "ready" ? sourceText(answer) : "";
    byId("hidden-note").hidden = isShown || position.isOver || this.session.state.view === "play";
    showBar(position, answer, isShown || position.isOver);
    showLine(position, answer?.line ?? "", (count) => this.#stepInto(answer.line, count));
    this.#showWaiting();
    this.#showFailure();
    if (status === "ready" || position.isOver) this.#announce(position, answer);
    return undefined;
  }

  #stateName() {
    if (this.session.position.isOver) return "ready";
    return this.isShown ? this.analyst.status : "hidden";
  }

  #showWaiting() {
    const { status, answer, longer } = this.analyst;
    const spinner = byId("spinner");
    clearTimeout(this.timer);
    if (status === "asking") this.timer = setTimeout(() => (spinner.hidden = false), SPINNER_MS);
    else spinner.hidden = true;
    const isOpen = this.isShown && status === "incomplete" && !answer.queued;
    const isFailed = this.isShown && status === "failed";
    const button = byId("think-longer");
    button.hidden = !(isFailed || (isOpen && longer !== null));
    button.textContent = isFailed ? "Try again" : `Think longer (${longer} s)`;
    byId("go-on").hidden = !isOpen;
    if (this.isShown && status === "incomplete" && answer.queued) showJob(answer.queued);
  }

  #thinkLonger() {
    if (this.analyst.status === "failed") this.analyst.retry();
    else this.analyst.askLonger();
  }

  #showFailure() {
    const failure = byId("failure");
    const problem = this.session.problem ?? "";
    const isFailed = this.analyst.status === "failed" && this.isShown;
    const text = isFailed ? sentence(this.analyst.failure) : problem;
    failure.hidden = text === "";
    if (failure.textContent !== text) failure.textContent = text;
  }

  /** @param {string} line @param {number} count */
  #stepInto(line, count) {
    const { session } = this;
    session.follow(session.moves + line, session.state.shown + count);
  }

  /** @param {import("./game/rules.js").Position} position @param {any} answer */
  #announce(position, answer) {
    const name = this.#name + this.isShown;
    if (name === this.announced) return;
    this.announced = name;
    this.announce(announcementText(position, answer));
  }
}

/** Where a job goes on with the position. @param {number} job */
function showJob(job) {
  const link = make("a", { href: `/work?job=${job}` }, `Job ${job}`);
  byId("source").replaceChildren(link, " goes on with it");
}

/** @param {HTMLElement} element @param {string | null} side */
function showSide(element, side) {
  if (side === null) delete element.dataset.side;
  else element.dataset.side = side;
}
