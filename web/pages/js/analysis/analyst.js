/**
 * Questions to the server about the current position. A new question cancels the previous one. The analyst sends
 * `change` whenever its status or its answer changes.
 */

import { ApiError, AwayError, isAbort, pause } from "../api.js";
import { messageOf } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Job, PositionAnswer, Question} from "../types.js" */
/** @typedef {"idle" | "asking" | "ready" | "incomplete" | "away" | "failed"} Status */

/** Seconds of search: at first, then again if that was too short, then whenever the user asks for more. */
const BUDGETS = [0.3, 2, 10, 30];

/** Maximum number of answers in the cache: enough for a game and the positions near it. */
const MOST_KEPT = 400;

/** Time between two requests for the state of a job. */
const POLL_MS = 1500;

/** Delay of a request, so that a held arrow key does not send a request for each position. */
const REST_MS = 70;

const ENDED = ["done", "failed", "cancelled"];

export class Analyst extends EventTarget {
  #api;
  /** @type {Status} */
  #status = "idle";
  /** @type {PositionAnswer | null} */
  #answer = null;
  #failure = "";
  /**
   * Answers by question; `budget` is the step of {@link BUDGETS} that found the answer.
   * @type {Map<string, {answer: PositionAnswer, budget: number}>}
   */
  #kept = new Map();
  /** @type {Question | null} */
  #question = null;
  #control = new AbortController();

  /** @param {Api} api */
  constructor(api) {
    super();
    this.#api = api;
    api.addEventListener("back", () => this.#status === "away" && this.#ask(this.#budget));
  }

  get status() {
    return this.#status;
  }

  /** The latest answer about the position, also while a longer search runs. */
  get answer() {
    return this.#answer;
  }

  /** The message of a failed request. */
  get failure() {
    return this.#failure;
  }

  get #budget() {
    return this.#kept.get(JSON.stringify(this.#question))?.budget ?? 0;
  }

  /** Seconds of the next longer search; null if there is none. */
  get longer() {
    return BUDGETS[this.#budget + 1] ?? null;
  }

  /** @param {Question} question */
  ask(question) {
    const name = JSON.stringify(question);
    // A failed request is repeated only by the user, or when the server is back.
    if (name === JSON.stringify(this.#question) && this.#status !== "idle") return;
    this.#question = question;
    const known = this.#kept.get(name)?.answer;
    this.#cancel();
    if (known === undefined) void this.#ask(0, { rest: REST_MS });
    else this.#take(known);
  }

  rest() {
    if (this.#status === "idle") return;
    this.#cancel();
    this.#question = null;
    this.#set("idle", null);
  }

  askLonger() {
    if (this.longer !== null) void this.#ask(this.#budget + 1);
  }

  retry() {
    void this.#ask(this.#budget);
  }

  /** Let a job continue the search; `answer.queued` is its number. */
  queue() {
    void this.#ask(this.#budget, { queue: true });
  }

  /** @param {number} budget @param {{rest?: number, queue?: boolean}} [options] */
  async #ask(budget, { rest = 0, queue } = {}) {
    const question = this.#question;
    if (question === null) return;
    const name = JSON.stringify(question);
    const signal = this.#cancel();
    this.#set("asking", this.#kept.get(name)?.answer ?? null);
    try {
      await pause(rest);
      if (signal.aborted) return;
      const query = { ...question, budget: BUDGETS[budget], line: true, queue };
      /** @type {PositionAnswer} */
      const answer = await this.#api.get("/api/v1/position", query, signal);
      this.#keep(name, answer, budget);
      this.#take(answer);
    } catch (error) {
      if (isAbort(error)) return;
      this.#failure = messageOf(error);
      this.#set(error instanceof AwayError ? "away" : "failed", this.#kept.get(name)?.answer ?? null);
    }
  }

  /** @param {PositionAnswer} answer */
  #take(answer) {
    this.#set(answer.complete ? "ready" : "incomplete", answer);
    if (isFinished(answer)) return;
    if (answer.queued !== null) void this.#follow(answer.queued);
    else if (this.#budget === 0) this.askLonger();
  }

  /** @param {number} job */
  async #follow(job) {
    const { signal } = this.#control;
    let state = "";
    while (!ENDED.includes(state)) {
      await pause(POLL_MS);
      if (signal.aborted) return;
      // While the server is away, the job may still run. After an error response the job counts as ended.
      state = await this.#api.get(`/api/v1/jobs/${job}`, {}, signal).then(
        (/** @type {Job} */ found) => found.state,
        (error) => (error instanceof ApiError ? "failed" : ""),
      );
    }
    if (!signal.aborted) void this.#ask(this.#budget);
  }

  /** @returns {AbortSignal} the signal of the next question */
  #cancel() {
    this.#control.abort();
    this.#control = new AbortController();
    return this.#control.signal;
  }

  /** @param {string} name @param {PositionAnswer} answer @param {number} budget */
  #keep(name, answer, budget) {
    this.#kept.delete(name);
    this.#kept.set(name, { answer, budget });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) break;
      this.#kept.delete(oldest);
    }
  }

  /** @param {Status} status @param {PositionAnswer | null} answer */
  #set(status, answer) {
    this.#status = status;
    this.#answer = answer;
    this.dispatchEvent(new Event("change"));
  }
}

/**
 * Whether a longer search cannot add to an answer. Scores from the book are complete at once, but the line may need more
 * time, because a search continues it after the book ends.
 * @param {PositionAnswer} answer
 */
export function isFinished(answer) {
  return answer.complete && answer.line !== null;
}
