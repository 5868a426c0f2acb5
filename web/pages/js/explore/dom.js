/**
 * Building the page's elements. Text is set as text only, never parsed as markup: names of players,
 * labels and errors come from databases that somebody else may have written.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @param {string} tag
 * @param {Object<string, any>} [attributes] `on` is an object of listeners; null and false leave an
 *     attribute out, true sets it empty.
 * @param {...(Node|string|number|null)} children null is left out.
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An SVG element; as `el`.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Node|string|number|null)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value))
        element.addEventListener(event, listener);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  const shown = children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (typeof child === "number" ? String(child) : child)));
  return element;
}

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
  if (!rows.length) return el("p", { class: "quiet" }, empty);
  const columns = headings.map((heading) =>
    typeof heading === "string" ? { text: heading } : heading,
  );
  const kind = (index) => (columns[index].right ? "figure" : null);
  const head = columns.map(({ text, title }, index) =>
    el("th", { scope: "col", class: kind(index), title }, text),
  );
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      cells.map((cell, index) =>
        el(index ? "td" : "th", { scope: index ? null : "row", class: kind(index) }, cell),
      ),
    ),
  );
  // A frame that scrolls has to be reachable by the keyboard, and so needs a name.
  return el(
    "div",
    { class: "table-frame", tabindex: 0, role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", { class: hidden ? "unseen" : null }, caption),
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, body),
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
  return el("div", { class: "entry" }, el("label", { for: input.id }, text), input);
}

/**
 * A choice.
 * @param {string} name
 * @param {Array<[string, string]>} options values and what people read.
 * @param {string} chosen
 * @returns {HTMLSelectElement}
 */
export function choice(name, options, chosen) {
  return el(
    "select",
    { name },
    options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)),
  );
}

/**
 * Facts as a list of terms and what they are; those that are null are left out.
 * @param {Array<[string, Node|string|number|null]>} pairs
 * @returns {HTMLElement}
 */
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined);
  return el(
    "dl",
    { class: "fact-list" },
    known.map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))),
  );
}
