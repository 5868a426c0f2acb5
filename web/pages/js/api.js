/**
 * The server: every request goes through here. An answer that is an error is thrown as
 * {@link ApiError} with the server's own words; a server that cannot be reached is waited for.
 */

import { tokenHeader } from "./kept_token.js";

const RETRY_MS = 2000;
const MOST_WAITS = 3;

/** What the server says about a request that it does not answer. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {string | null} field the parameter that was wrong
   */
  constructor(status, message, field = null) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** The server cannot be reached. */
export class AwayError extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

/** @type {Record<string, string | number | boolean | null | undefined>} */
const NOTHING = {};

/**
 * `away` is sent when the server stops answering, `back` when it answers again.
 */
export class Api extends EventTarget {
  constructor() {
    super();
    this.isAway = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    window.addEventListener("online", () => this.isAway && this.#look());
  }

  /**
   * @param {string} path
   * @param {typeof NOTHING} [query] null and undefined are left out.
   * @param {AbortSignal} [signal]
   * @param {string} [token] for what makes a job.
   */
  get(path, query = NOTHING, signal = undefined, token = "") {
    return this.#ask(addressWith(path, query), { signal, headers: tokenHeader(token) });
  }

  /**
   * @param {string} path
   * @param {unknown} body what JSON can write; text is sent as it is, as JSON already.
   * @param {{query?: typeof NOTHING, signal?: AbortSignal}} [options]
   */
  post(path, body, { query = NOTHING, signal } = {}) {
    const headers = { "Content-Type": "application/json" };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return this.#ask(addressWith(path, query), { method: "POST", headers, body: text, signal });
  }

  /**
   * @param {string} address
   * @param {RequestInit} options
   * @returns {Promise<any>}
   */
  async #ask(address, options) {
    for (let waits = 0; ; waits += 1) {
      const response = await this.#fetch(address, options);
      if (response.status !== 429 || waits >= MOST_WAITS) return contentOf(response);
      // Too many requests: a fast hand on the arrow keys. The server says how long to wait.
      const seconds = Number(response.headers.get("Retry-After") ?? "1");
      await pause(Math.max(200, seconds * 1000), options.signal);
    }
  }

  /** @param {string} address @param {RequestInit} options */
  async #fetch(address, options) {
    try {
      const response = await fetch(address, { ...options, credentials: "same-origin" });
      if (this.isAway) this.#report(false);
      return response;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      this.#report(true);
      throw new AwayError();
    }
  }

  /** @param {boolean} isAway */
  #report(isAway) {
    clearTimeout(this.timer);
    if (isAway) this.timer = setTimeout(() => this.#look(), RETRY_MS);
    if (isAway === this.isAway) return;
    this.isAway = isAway;
    this.dispatchEvent(new Event(isAway ? "away" : "back"));
  }

  async #look() {
    try {
      const response = await fetch("/healthz", { cache: "no-store" });
      this.#report(!response.ok);
    } catch {
      this.#report(true);
    }
  }
}

/** @param {string} path @param {typeof NOTHING} query */
export function addressWith(path, query) {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) pairs.set(name, String(value));
  }
  const text = pairs.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** @param {Response} response */
async function contentOf(response) {
  /** @type {any} */
  let content = null;
  try {
    content = await response.json();
  } catch {
    // A proxy's page of its own, or nothing: the status says what there is to say.
  }
  if (response.ok) return content;
  const words = content?.error ?? `The server answered ${response.status} ${response.statusText}.`;
  throw new ApiError(response.status, words, content?.field ?? null);
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal | null | undefined} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("given up", "AbortError"));
    });
  });
}

/** Whether an error only says that nobody waits for the answer any more. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
