/**
 * The token of a server that wants one, for as long as this tab is open.
 */

const NAME = "c4-token";

/** What the person has given; empty without one. */
export function keptToken() {
  return sessionStorage.getItem(NAME) ?? "";
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(NAME, token);
}

/**
 * @param {string} token
 * @returns {Record<string, string>} the header that sends it; none for an empty one.
 */
export function tokenHeader(token) {
  return token === "" ? {} : { Authorization: `Bearer ${token}` };
}
