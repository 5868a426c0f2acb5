/**
 * The token of a server that wants one for what writes. It is kept for this tab only and sent in a
 * header, never in an address, where logs and histories would keep it.
 */

import { make } from "../dom.js";
import { field } from "../explore/parts.js";
import { ApiError } from "../api.js";
import { keepToken, keptToken, tokenHeader } from "../kept_token.js";
import { send } from "../explore/requests.js";

const UNAUTHORISED = 401;

/**
 * A field for the token, hidden until the server asks for one.
 */
export class Token {
  constructor() {
    this.input = make("input", { name: "token", type: "password", autocomplete: "off" });
    this.input.value = keptToken();
    this.input.addEventListener("change", () => keepToken(this.input.value));
    this.element = make(
      "div",
      { class: "token", hidden: true },
      field("Token of this server", this.input),
    );
  }

  /**
   * Send something that writes.
   * @param {string} url
   * @param {{body?: BodyInit, type?: string}} [content]
   * @returns {Promise<Response>}
   * @throws {ApiError} the server refused; where it wants a token, the field is shown.
   */
  async post(url, { body, type } = {}) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", ...tokenHeader(this.input.value) };
    if (type) headers["Content-Type"] = type;
    try {
      return await send(url, { method: "POST", headers, body });
    } catch (error) {
      if (error instanceof ApiError && error.status === UNAUTHORISED) this.ask();
      throw error;
    }
  }

  ask() {
    this.element.hidden = false;
    this.input.focus();
  }
}

/** The one token of the page: whoever writes asks with it. */
export const token = new Token();
