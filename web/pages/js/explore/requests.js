/** Asking the server, where js/api.js does not already do it: files are sent, and empty fields left out. */

import { ApiError, AwayError, addressWith } from "../api.js";

/**
 * What is not empty of a query: an empty field of a form is no question.
 * @param {Record<string, any>} query
 */
export function given(query) {
  return Object.fromEntries(
    Object.entries(query).filter(
      ([, value]) => value !== "" && value !== null && value !== undefined,
    ),
  );
}

/**
 * A path with a query.
 * @param {string} path
 * @param {Record<string, any>} [query]
 */
export function address(path, query = {}) {
  return addressWith(path, given(query));
}

/**
 * Send a request whose body or answer is no JSON object.
 * @param {string} url
 * @param {RequestInit} options
 * @returns {Promise<Response>} one that says success.
 * @throws {ApiError} the server refused.
 * @throws {AwayError} it cannot be reached.
 */
export async function send(url, options) {
  let response;
  try {
    response = await fetch(url, { ...options, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new AwayError();
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({}));
  throw new ApiError(
    response.status,
    said.error || `The server answered ${response.status}.`,
    said.field ?? null,
  );
}
