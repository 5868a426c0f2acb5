/** Browser storage: settings for all visits, and the server's token for this tab only. */

import { field, make, textInput } from "./dom.js";

/** @import {Api} from "./api.js" */

const PREFIX = "c4.";
const TOKEN = "c4-token";

/**
 * Values that were set since the page was opened, because some private windows forbid storage.
 * @type {Map<string, string>}
 */
const memory = new Map();

/** @param {"localStorage" | "sessionStorage"} area @param {string} name */
function read(area, name) {
  try {
    return window[area].getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/** @param {"localStorage" | "sessionStorage"} area @param {string} name @param {string} text */
function keep(area, name, text) {
  memory.set(name, text);
  try {
    window[area].setItem(name, text);
  } catch {
    // The value is in memory.
  }
}

/** @template Value @param {string} name @param {Value} standard the value until one is set @returns {Value} */
export function readSetting(name, standard) {
  const text = read("localStorage", PREFIX + name);
  if (text === null) return standard;
  try {
    return JSON.parse(text);
  } catch {
    return standard;
  }
}

/** @param {string} name @param {unknown} value */
export function keepSetting(name, value) {
  keep("localStorage", PREFIX + name, JSON.stringify(value));
}

/**
 * Connect a checkbox to a setting.
 * @param {HTMLInputElement} box @param {string} name @param {boolean} standard
 * @param {() => void} onChange
 */
export function keepSwitch(box, name, standard, onChange) {
  box.checked = readSetting(name, standard);
  box.addEventListener("change", () => {
    keepSetting(name, box.checked);
    onChange();
  });
}

/** The token that the user entered, or "". */
export function readToken() {
  return read("sessionStorage", TOKEN) ?? "";
}

/**
 * Make the field for the token, which is hidden until the server asks for its token.
 * @param {Api} api @returns {HTMLElement}
 */
export function tokenField(api) {
  const input = textInput("token", readToken(), { type: "password" });
  const place = make("div", { class: "token", hidden: true }, field("Token of this server", input));
  input.addEventListener("input", () => keep("sessionStorage", TOKEN, input.value));
  api.addEventListener("token", () => {
    place.hidden = false;
    if (place.checkVisibility()) input.focus();
  });
  return place;
}
