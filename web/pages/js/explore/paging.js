/** Going on to the next page of a list. The way back is the browser's own: each page has an address. */

import { make } from "../dom.js";

/**
 * @param {import("./view.js").Page} page
 * @param {string|null} next the cursor that the server gave; null at the end.
 * @returns {HTMLElement|null} null where the list fits on one page.
 */
export function paging(page, next) {
  const query = Object.fromEntries(page.query);
  const { cursor, ...first } = query;
  if (!next && !cursor) return null;
  return make(
    "nav",
    { class: "paging", "aria-label": "Pages" },
    cursor ? make("a", { href: page.link(first) }, "First page") : make("span", {}),
    next
      ? make("a", { href: page.link({ ...query, cursor: next }), rel: "next" }, "Next page")
      : make("span", { class: "quiet" }, "The end"),
  );
}

/**
 * A form whose fields are the query of the same page.
 * @param {import("./view.js").Page} page
 * @param {string} show the page.
 * @param {...HTMLElement} fields
 * @returns {HTMLElement}
 */
export function filter(page, show, ...fields) {
  const apply = (event) => {
    event.preventDefault();
    page.go({ show, ...Object.fromEntries(new FormData(event.target)) });
  };
  return make(
    "form",
    { class: "filter", onsubmit: apply },
    ...fields,
    make("button", { type: "submit", class: "plain" }, "Show"),
  );
}

/**
 * What of the address is a question to the server.
 * @param {import("./view.js").Page} page
 * @param {...string} names
 * @returns {Object<string, string>}
 */
export function asked(page, ...names) {
  return Object.fromEntries(names.map((name) => [name, page.query.get(name) || ""]));
}
