/** Functions that create elements, tables, fields and lists. Text never becomes markup. */

const SVG = "http://www.w3.org/2000/svg";

/** The path of the server: "/", or what a proxy puts before its paths, such as "/c4/". Each view is one level below. */
const BASE = window.location.pathname.replace(/[^/]*$/, "");

/** @typedef {Node | string | number | null | undefined | false} Child null, undefined and false are skipped */
/** @typedef {Child | readonly Child[]} Children */
/**
 * Attributes and listeners. null, undefined and false skip an attribute; true sets it to "".
 * @typedef {Record<string, unknown> & {
 *   [Name in keyof GlobalEventHandlersEventMap as `on${Name}`]?: (event: GlobalEventHandlersEventMap[Name]) => void
 * }} Attributes
 */
/** @typedef {string | {text: string, right?: boolean, title?: string}} Heading of a column of a table */

/**
 * Make an HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} [attributes] @param {...Children} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag @param {Attributes} [attributes] @param {...Children} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} element @param {Attributes} attributes @param {Children[]} children
 * @returns {Made}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "href") element.setAttribute(name, local(String(value)));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * The address of a path of the server, such as "/explore", which may have been given {@link BASE} already.
 * @param {string} path @returns {string}
 */
export function local(path) {
  return path.startsWith("/") && !path.startsWith(BASE) ? BASE + path.slice(1) : path;
}

/**
 * Make a button that submits nothing.
 * @param {string} text @param {() => void} onClick @param {Attributes} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(text, onClick, attributes = {}) {
  return make("button", { type: "button", class: "plain", ...attributes, onclick: () => onClick() }, text);
}

/** @param {string} text */
export function quiet(text) {
  return make("p", { class: "quiet" }, text);
}

/**
 * Find an element of index.html.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function byId(id, kind = /** @type {new () => Kind} */ (HTMLElement)) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${kind.name} #${id}`);
  return element;
}

/**
 * Set an attribute, or remove it if the value is null.
 * @param {Element} element @param {string} name @param {string | null} value
 */
export function setAttribute(element, name, value) {
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** Keep the keyboard's place: if the focused element goes, the nearest one around it that is left gets the focus. */
export function keepFocus() {
  /** The focused element and those around it. @type {HTMLElement[]} */
  let around = [];
  document.addEventListener("focusin", (event) => {
    around = event.composedPath().filter((one) => one instanceof HTMLElement);
  });
  const observer = new MutationObserver(() => {
    const [focused] = around;
    const isElsewhere = document.activeElement !== document.body && document.activeElement !== focused;
    if (isElsewhere || focused === undefined || focused.checkVisibility()) return;
    const left = around.find((one) => one.checkVisibility());
    if (left === undefined || left === document.body) return;
    if (left.tabIndex < 0) left.tabIndex = -1;
    left.focus({ preventScroll: true });
  });
  observer.observe(document.body, { attributeFilter: ["hidden"], childList: true, subtree: true });
}

/** Whether the user asked for less motion. */
export function isStill() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Whether a dialog is open, or the user types into a field.
 * @param {EventTarget | null} target
 */
export function isTyped(target) {
  if (document.querySelector("dialog[open]") !== null) return true;
  return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

/**
 * Whether the focused element needs the key for itself.
 * @param {KeyboardEvent} event
 */
export function isTaken({ target, key }) {
  if (!(target instanceof Element)) return false;
  if (isTyped(target) || target.closest("[role=slider]")) return true;
  return key === " " && target.closest("button, a, summary, input") !== null;
}

/**
 * Make a table in a frame that scrolls if the table is too wide.
 * @param {string} caption
 * @param {Heading[]} headings
 * @param {Child[][]} rows the first cell of each row is its heading
 * @param {{hidden?: boolean, empty?: string}} [options] `hidden`: only screen readers get the caption; `empty`:
 *   the text if there are no rows
 * @returns {HTMLElement}
 */
export function table(caption, headings, rows, { hidden = false, empty = "Nothing here yet." } = {}) {
  if (rows.length === 0) return make("p", { class: "quiet" }, empty);
  const columns = headings.map((heading) => (typeof heading === "string" ? { text: heading } : heading));
  const classes = columns.map(({ right = false }) => (right ? "figure" : null));
  const head = columns.map(({ text, title }, index) =>
    make("th", { scope: "col", class: classes[index], title }, text),
  );
  const body = rows.map((cells) =>
    make(
      "tr",
      {},
      cells.map((cell, index) =>
        make(index === 0 ? "th" : "td", { scope: index === 0 ? "row" : null, class: classes[index] }, cell),
      ),
    ),
  );
  // The keyboard has to reach a frame that scrolls, so the frame needs a name.
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
 * Put a label before a field.
 * @param {string} text @param {HTMLElement} input gets an id if it has none
 * @returns {HTMLElement}
 */
export function field(text, input) {
  input.id ||= `field-${input.getAttribute("name")}-${Math.random().toString(36).slice(2, 8)}`;
  return make("div", { class: "entry" }, make("label", { for: input.id }, text), input);
}

/**
 * Make a field for a short text without spell checking.
 * @param {string} name @param {string} value @param {Attributes} [attributes]
 * @returns {HTMLInputElement}
 */
export function textInput(name, value, attributes = {}) {
  const input = make("input", { name, autocomplete: "off", spellcheck: "false", ...attributes });
  input.value = value;
  return input;
}

/**
 * @param {string} name @param {readonly (readonly [string, string])[]} options values and their texts
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
 * Make a list of terms and their values; values that are null are left out.
 * @param {[string, Child][]} pairs
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
