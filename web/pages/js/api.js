/**
 * Requests to the server. Every request of the page goes through {@link Api}. An error response is thrown as
 * {@link ApiError} with the server's message; an unreachable server as {@link AwayError}.
 */

import { local } from "./dom.js";
import { boardText } from "./game/position.js";
import { readToken } from "./storage.js";
import { nameLevels } from "./words.js";

/** @import {Position} from "./game/position.js" */
/** @import {Player, PositionAnswer, Side} from "./types.js" */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Query null and undefined are left out */
/**
 * A game of POST /api/v1/games and POST /api/v1/game; `start` is a position's key.
 * @typedef {{
 *   board: string, moves: string, start?: string, winner?: Side | null, ending?: string,
 *   first?: string, second?: string,
 * }} GameRecord
 */

const RETRY_MS = 2000;
const MOST_RETRIES = 3;
const UNAUTHORISED = 401;
const TOO_MANY = 429;
const NEEDS_TOKEN =
  'This server needs its token: enter it in the field "Token of this server", here or in the view Work, and try again.';

/** An error response. */
export class ApiError extends Error {
  /** @param {number} status @param {string} message @param {string | null} field the wrong parameter */
  constructor(status, message, field) {
    super(message);
    this.status = status;
    this.field = field;
  }

  /** Whether the server would refuse the same request again. */
  get isFinal() {
    return this.status < 500 && this.status !== TOO_MANY;
  }
}

/** The server cannot be reached. */
export class AwayError extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

/**
 * The connection to the server. It sends the events `away` and `back` when the server stops and resumes
 * answering, and `token` when the server refuses a request that has no valid token.
 */
export class Api extends EventTarget {
  #isAway = false;
  /** @type {Player[]} */
  #players = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    super();
    window.addEventListener("online", () => this.#isAway && this.#probe());
  }

  /**
   * Get JSON. The caller names the type of the answer, which is in ./types.js.
   * @template Answer
   * @param {string} path @param {Query} [query] @param {AbortSignal} [signal]
   * @returns {Promise<Answer>}
   */
  async get(path, query = {}, signal = undefined) {
    return (await this.#request(addressWith(path, query), { signal })).json();
  }

  /**
   * Get the first lines of a file; the rest is not read.
   * @param {string} path @param {number} most
   * @returns {Promise<{lines: string[], hasMore: boolean}>}
   */
  async lines(path, most) {
    const response = await this.#request(path, {});
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    /** @type {string[]} */
    let lines = [];
    let rest = "";
    for (let hasEnded = reader === undefined; !hasEnded && lines.length <= most; ) {
      const { done, value = "" } = (await reader?.read()) ?? { done: true };
      const parts = (rest + value).split("\n");
      rest = parts.pop() ?? "";
      lines = [...lines, ...parts];
      hasEnded = done;
    }
    await reader?.cancel();
    return { lines: lines.slice(0, most), hasMore: lines.length > most };
  }

  /**
   * Post JSON, and get JSON.
   * @template Answer
   * @param {string} path
   * @param {unknown} body a value for JSON; text is sent unchanged
   * @param {{query?: Query, signal?: AbortSignal}} [options]
   * @returns {Promise<Answer>}
   */
  async post(path, body, { query = {}, signal } = {}) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return (await this.send(path, { body: text, type: "application/json", query, signal })).json();
  }

  /**
   * Post any content.
   * @param {string} path
   * @param {{body?: BodyInit, type?: string, query?: Query, signal?: AbortSignal}} [content]
   * @returns {Promise<Response>}
   */
  send(path, { body, type, query = {}, signal } = {}) {
    const headers = type === undefined ? undefined : { "Content-Type": type };
    return this.#request(addressWith(path, query), { method: "POST", headers, body, signal });
  }

  /** @param {string} path @returns {EventSource} */
  stream(path) {
    return new EventSource(local(path));
  }

  /**
   * The players and levels, which are fetched once.
   * @returns {Promise<Player[]>}
   */
  async players() {
    if (this.#players.length === 0) {
      this.#players = await this.get("/api/v1/players");
      nameLevels(this.#players);
    }
    return this.#players;
  }

  /**
   * @param {string} address @param {RequestInit} options
   * @returns {Promise<Response>} a successful response
   */
  async #request(address, options) {
    const headers = new Headers(options.headers);
    const token = readToken();
    if (token !== "") headers.set("Authorization", `Bearer ${token}`);
    for (let retries = 0; ; retries += 1) {
      const response = await this.#fetch(local(address), { ...options, headers });
      if (response.ok) return response;
      if (response.status === UNAUTHORISED) this.dispatchEvent(new Event("token"));
      if (response.status !== TOO_MANY || retries >= MOST_RETRIES) throw await errorOf(response);
      // A held arrow key sends many requests. The server says how long to wait.
      const seconds = Number(response.headers.get("Retry-After") ?? "1");
      await pause(Math.max(200, seconds * 1000), options.signal);
    }
  }

  /** @param {string} address @param {RequestInit} options */
  async #fetch(address, options) {
    try {
      const response = await fetch(local(address), { ...options, credentials: "same-origin" });
      if (this.#isAway) this.#report(false);
      return response;
    } catch (error) {
      if (isAbort(error)) throw error;
      this.#report(true);
      throw new AwayError();
    }
  }

  /** @param {boolean} isAway */
  #report(isAway) {
    clearTimeout(this.#timer);
    if (isAway) this.#timer = setTimeout(() => this.#probe(), RETRY_MS);
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    this.dispatchEvent(new Event(isAway ? "away" : "back"));
  }

  async #probe() {
    try {
      const response = await fetch(local("/healthz"), { cache: "no-store" });
      this.#report(!response.ok);
    } catch {
      this.#report(true);
    }
  }
}

/** @param {string} path @param {Query} query @returns {string} */
export function addressWith(path, query) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) pairs.set(name, String(value));
  }
  const text = pairs.toString();
  return text === "" ? path : `${path}?${text}`;
}

/**
 * The record of the moves from a position. Only the server computes keys.
 * @param {Api} api @param {Position} start @param {string} moves @param {AbortSignal} [signal]
 * @returns {Promise<GameRecord>}
 */
export async function recordOf(api, start, moves, signal) {
  const board = boardText(start.size);
  if (start.ply === 0) return { board, moves };
  const question = { grid: start.gridText(), board, budget: 0 };
  /** @type {PositionAnswer} */
  const { key } = await api.get("/api/v1/position", question, signal);
  return { board, moves, start: key };
}

/** @param {Response} response */
async function errorOf(response) {
  // A proxy may answer with its own page instead of JSON; then the message is the status.
  if (response.status === UNAUTHORISED) return new ApiError(UNAUTHORISED, NEEDS_TOKEN, null);
  const content = await response.json().catch(() => null);
  const words = content?.error ?? `The server answered ${response.status} ${response.statusText}.`;
  return new ApiError(response.status, words, content?.field ?? null);
}

/**
 * @param {number} milliseconds @param {AbortSignal | null} [signal]
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal = null) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("given up", "AbortError"));
    });
  });
}

/**
 * Whether an error means that the request was cancelled.
 * @param {unknown} error @returns {boolean}
 */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
