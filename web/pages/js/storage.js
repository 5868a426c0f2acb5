/** Values that the browser keeps: settings for all visits, and the server's token for this tab only. */

const PREFIX = "c4.";
const TOKEN = "c4-token";

/**
 * Settings for as long as the page is open: some private windows forbid storage.
 * @type {Map<string, string>}
 */
const memory = new Map();

/**
 * Read a setting.
 * @template Value
 * @param {string} name
 * @param {Value} standard the value until one is set
 * @returns {Value}
 */
export function readSetting(name, standard) {
  let text = memory.get(name) ?? null;
  try {
    text = localStorage.getItem(PREFIX + name) ?? text;
  } catch {
    // Storage is forbidden; the memory serves.
  }
  if (text === null) return standard;
  try {
    return JSON.parse(text);
  } catch {
    return standard;
  }
}

/**
 * Keep a setting.
 * @param {string} name @param {unknown} value
 */
export function keepSetting(name, value) {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // Storage is forbidden; the memory serves.
  }
}

/**
 * Tie a checkbox to a setting.
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

/** The token that the person has given; "" without one. */
export function readToken() {
  return sessionStorage.getItem(TOKEN) ?? "";
}

/**
 * Keep the token.
 * @param {string} token
 */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}
