/**
 * Asks the server about the position that is shown, and only about that: a question is given up when
 * the next one comes. Sends `change` whenever what is known has changed.
 */

import { ApiError, AwayError, isAbort } from "./api.js";
import { keptToken } from "./kept_token.js";

/** Seconds of search: at first, and for each time that the person asks for more. */
export const BUDGETS = [2, 10, 30];

/** Answers that are kept: a game and its neighbourhood. */
const MOST_KEPT = 400;

/** Between two looks at a job that goes on with the position. */
const LOOK_MS = 1500;

/** Until a hand that holds an arrow key comes to rest. */
const REST_MS = 70;

/** @typedef {"idle" | "asking" | "ready" | "incomplete" | "away" | "failed"} Status */
/** @typedef {Record<string, string>} Question moves or grid, and board */

export class Analyst extends EventTarget {
  /** @param {import("./api.js").Api} api */
  constructor(api) {
    super();
    this.api = api;
    /** @type {Status} */
    this.status = "idle";
    /** @type {any} the API's answer about the position, also while a longer search runs */
    this.answer = null;
    /** What went wrong, in the server's words. */
    this.failure = "";
    /** @type {Map<string, {answer: any, budget: number}>} */
    this.kept = new Map();
    /** @type {Question | null} */
    this.question = null;
    this.control = new AbortController();
    api.addEventListener("back", () => this.status === "away" && this.#ask(this.#budget));
  }

  /** The step of {@link BUDGETS} that the answer was found with. */
  get #budget() {
    return this.kept.get(nameOf(this.question))?.budget ?? 0;
  }

  /** Seconds that a longer search would take; null where there is none longer. */
  get longer() {
    return BUDGETS[this.#budget + 1] ?? null;
  }

  /** @param {Question} question */
  ask(question) {
    // What has failed is asked again when the person says so, or the server is back; not by itself.
    if (nameOf(question) === nameOf(this.question) && this.status !== "idle") return;
    this.question = question;
    const known = this.kept.get(nameOf(question));
    this.#giveUp();
    if (known === undefined) {
      this.#ask(0, REST_MS);
      return;
    }
    this.#tell(known.answer.complete ? "ready" : "incomplete", known.answer);
    this.#follow(known.answer);
  }

  /** Ask nothing any more, until the next question. */
  rest() {
    if (this.status === "idle") return;
    this.#giveUp();
    this.question = null;
    this.#tell("idle", null);
  }

  askLonger() {
    if (this.question !== null && this.longer !== null) this.#ask(this.#budget + 1);
  }

  /** Ask once more what has failed. */
  retry() {
    if (this.question !== null) this.#ask(this.#budget);
  }

  /** Let a job go on with the position; `answer.queued` has its number. */
  queue() {
    if (this.question !== null) this.#ask(this.#budget, 0, { queue: true });
  }

  /**
   * Ask again when the job that goes on with the position has ended.
   * @param {any} answer
   */
  async #follow({ queued: job, complete }) {
    if (job === null || complete) return;
    const { signal } = this.control;
    let state = "";
    while (!["done", "failed", "cancelled"].includes(state)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (signal.aborted) return;
      // A server that is away is looked for again; a job that it does not have has ended.
      state = await this.api.get(`/api/v1/jobs/${job}`, {}, signal).then(
        (found) => found.state,
        (error) => (error instanceof ApiError ? "failed" : ""),
      );
    }
    if (!signal.aborted) this.#ask(this.#budget);
  }

  #giveUp() {
    this.control.abort();
    this.control = new AbortController();
  }

  /** @param {number} budget @param {number} rest @param {Record<string, boolean>} more */
  async #ask(budget, rest = 0, more = {}) {
    const question = /** @type {Question} */ (this.question);
    this.#giveUp();
    const { signal } = this.control;
    this.#tell("asking", this.kept.get(nameOf(question))?.answer ?? null);
    try {
      await new Promise((resolve) => setTimeout(resolve, rest));
      if (signal.aborted) return;
      const query = { ...question, budget: BUDGETS[budget], line: true, ...more };
      const token = more.queue ? keptToken() : "";
      const answer = await this.api.get("/api/v1/position", query, signal, token);
      this.#keep(nameOf(question), answer, budget);
      this.#tell(answer.complete ? "ready" : "incomplete", answer);
      this.#follow(answer);
    } catch (error) {
      if (isAbort(error)) return;
      this.failure = error instanceof Error ? error.message : String(error);
      const answer = this.kept.get(nameOf(question))?.answer ?? null;
      this.#tell(error instanceof AwayError ? "away" : "failed", answer);
    }
  }

  /** @param {string} name @param {any} answer @param {number} budget */
  #keep(name, answer, budget) {
    this.kept.delete(name);
    this.kept.set(name, { answer, budget });
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT) break;
      this.kept.delete(oldest);
    }
  }

  /** @param {Status} status @param {any} answer */
  #tell(status, answer) {
    this.status = status;
    this.answer = answer;
    this.dispatchEvent(new Event("change"));
  }
}

/** @param {Question | null} question */
function nameOf(question) {
  return JSON.stringify(question);
}
