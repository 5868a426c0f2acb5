/** Switches that stay as set: in the browser's storage, or in memory where it keeps none. */

const PREFIX = "c4.";

/** @type {Map<string, string>} */
const memory = new Map();

/**
 * @template Value
 * @param {string} name
 * @param {Value} standard what holds until something is set.
 * @returns {Value}
 */
export function readSetting(name, standard) {
  let text = memory.get(name) ?? null;
  try {
    text = localStorage.getItem(PREFIX + name) ?? text;
  } catch {
    // Storage is forbidden in some private windows; the memory serves until the page is closed.
  }
  if (text === null) return standard;
  try {
    return JSON.parse(text);
  } catch {
    return standard;
  }
}

/** @param {string} name @param {unknown} value */
export function keepSetting(name, value) {
  const text = JSON.stringify(value);
  memory.set(name, text);
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // As above.
  }
}

/**
 * Tie a checkbox to a setting.
 * @param {HTMLInputElement} box
 * @param {string} name
 * @param {boolean} standard
 * @param {(isOn: boolean) => void} onChange
 */
export function keepSwitch(box, name, standard, onChange) {
  box.checked = readSetting(name, standard);
  box.addEventListener("change", () => {
    keepSetting(name, box.checked);
    onChange(box.checked);
  });
}
