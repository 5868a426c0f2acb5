/** Elements, made in one call. Text is always set as text, so nothing that is shown is ever markup. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child what is not there is left out */
/** @typedef {Child | readonly Child[]} Children */

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [attributes] `on*` are listeners; null, undefined and false leave an
 *   attribute out, true sets it empty.
 * @param {...Children} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An SVG element; as `make`.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Children} children
 * @returns {SVGElement}
 */
export function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} element @param {Record<string, unknown>} attributes @param {Children[]} children
 * @returns {Made}
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/**
 * The element with an id, which index.html has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** Whether the person asked for less motion. */
export function isStill() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
