/** Parts that the explorer and the work view are made of. */

import { make } from "../dom.js";

/**
 * A table with a caption and headings, in a frame that scrolls by itself where it is too wide.
 * @param {string} caption
 * @param {Array<string|{text: string, right?: boolean, title?: string}>} headings
 * @param {Array<Array<Node|string|number|null>>} rows cells; the first of each row is its heading.
 * @param {{hidden?: boolean, empty?: string}} [options] `hidden`: the caption is for screen readers
 *     only; `empty`: what to say without rows.
 * @returns {HTMLElement}
 */
export function table(
  caption,
  headings,
  rows,
  { hidden = false, empty = "Nothing is here yet." } = {},
) {
  if (!rows.length) return make("p", { class: "quiet" }, empty);
  const columns = headings.map((heading) =>
    typeof heading === "string" ? { text: heading } : heading,
  );
  const kind = (index) => (columns[index].right ? "figure" : null);
  const head = columns.map(({ text, title }, index) =>
    make("th", { scope: "col", class: kind(index), title }, text),
  );
  const body = rows.map((cells) =>
    make(
      "tr",
      {},
      cells.map((cell, index) =>
        make(index ? "td" : "th", { scope: index ? null : "row", class: kind(index) }, cell),
      ),
    ),
  );
  // A frame that scrolls has to be reachable by the keyboard, and so needs a name.
  return make(
    "div",
    { class: "table-frame", tabindex: 0, role: "region", "aria-label": caption },
    make(
      "table",
      {},
      make("caption", { class: hidden ? "unseen" : null }, caption),
      make("thead", {}, make("tr", {}, head)),
      make("tbody", {}, body),
    ),
  );
}

/**
 * A field with its label.
 * @param {string} text
 * @param {HTMLElement} input gets an id if it has none.
 * @returns {HTMLElement}
 */
export function field(text, input) {
  input.id ||= `field-${input.getAttribute("name")}-${Math.random().toString(36).slice(2, 8)}`;
  return make("div", { class: "entry" }, make("label", { for: input.id }, text), input);
}

/**
 * A choice.
 * @param {string} name
 * @param {Array<[string, string]>} options values and what people read.
 * @param {string} chosen
 * @returns {HTMLSelectElement}
 */
export function choice(name, options, chosen) {
  return make(
    "select",
    { name },
    options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)),
  );
}

/**
 * Facts as a list of terms and what they are; those that are null are left out.
 * @param {Array<[string, Node|string|number|null]>} pairs
 * @returns {HTMLElement}
 */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined);
  return make(
    "dl",
    { class: "fact-list" },
    known.map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value))),
  );
}
