/** The players: the levels, and a form for any player of the server with its parameters. */

import { make } from "../dom.js";

/** @import {Parameter, Player} from "../types.js" */

/** The player above all levels. */
const STRONGEST = "perfect";

/**
 * The levels of the server in ascending order, then the perfect player.
 * @param {Player[]} players @returns {Player[]}
 */
export function levelsOf(players) {
  return players.filter(({ name, stands_for: player }) => player !== null || name === STRONGEST);
}

/** @param {string} player "person" or a description @returns {string} */
export function playerName(player) {
  if (player === "person") return "You";
  return /^[a-z]+$/.test(player) ? player.charAt(0).toUpperCase() + player.slice(1) : player;
}

/** A choice of a player, with a field for each of its parameters. */
export class PlayerForm {
  #id;
  #players;
  #onChange;
  #select;
  #fields = make("div", { class: "fields" });
  #summary = make("p", { class: "quiet" });

  /**
   * @param {string} id the id of the select element
   * @param {string} label
   * @param {Player[]} players
   * @param {() => void} onChange
   */
  constructor(id, label, players, onChange) {
    this.#id = id;
    this.#players = players;
    this.#onChange = onChange;
    this.#select = make(
      "select",
      { id },
      make("option", { value: "" }, "As chosen above"),
      make("option", { value: "person" }, "A person"),
      ...players.map(optionFor),
    );
    this.#select.addEventListener("change", () => {
      this.#showFields();
      onChange();
    });
    this.element = make(
      "div",
      { class: "player-form" },
      make("label", { for: id }, label),
      this.#select,
      this.#summary,
      this.#fields,
    );
    this.#showFields();
  }

  /** The player's description, such as `minimax-windows:depth=4`; "" if none is chosen. */
  get text() {
    const name = this.#select.value;
    const fields = [...this.#fields.querySelectorAll("input, select")].map(
      (each) => /** @type {HTMLInputElement | HTMLSelectElement} */ (each),
    );
    if (fields[0]?.classList.contains("argument")) return `${name}:${fields[0].value.trim()}`;
    const values = fields
      .filter(({ value, dataset }) => value.trim() !== "" && value !== dataset.standard)
      .map((each) => `${each.name}=${each.value.trim()}`);
    return values.length === 0 ? name : `${name}:${values.join(",")}`;
  }

  #showFields() {
    const player = this.#players.find((each) => each.name === this.#select.value);
    this.#summary.textContent = player?.summary ?? "";
    this.#summary.hidden = player === undefined;
    this.#fields.replaceChildren(...(player?.parameters ?? []).map((each) => this.#field(each)));
    if (player?.argument) this.#fields.append(this.#argument(player.argument));
  }

  /** @param {string} name */
  #argument(name) {
    const id = `${this.#id}-argument`;
    const input = make("input", { id, class: "argument", type: "text", onchange: this.#onChange });
    return make("div", { class: "field" }, make("label", { for: id }, name.toLowerCase()), input);
  }

  /** @param {Parameter} parameter */
  #field(parameter) {
    const { name, type, choices, required, optional, summary } = parameter;
    const id = `${this.#id}-${name}`;
    const standard = required ? "" : textOf(parameter.default);
    const common = { id, name, "data-standard": standard, onchange: this.#onChange };
    const isChoice = type === "flag" || type === "choice";
    const input = isChoice
      ? make(
          "select",
          common,
          [...(choices ?? []), ...(optional ? ["none"] : [])].map((value) =>
            make("option", { value, selected: value === standard }, value),
          ),
        )
      : make("input", { ...common, ...limitsOf(parameter), value: standard });
    return make(
      "div",
      { class: "field" },
      make("label", { for: id }, name.replaceAll("_", " ")),
      input,
      summary !== "" && make("span", { class: "field-about" }, summary),
    );
  }
}

/**
 * The option for a player. Its text says why a player is not available, because phones show no tooltips.
 * @param {Player} player
 */
function optionFor({ name, available, reason }) {
  const text = available ? name : `${name} – ${reason ?? "not available"}`;
  return make("option", { value: name, disabled: !available }, text);
}

/** @param {Parameter["default"]} value */
function textOf(value) {
  if (value === null) return "none";
  return value === true ? "on" : value === false ? "off" : String(value);
}

/** @param {Parameter} parameter */
function limitsOf({ type, low, high, optional }) {
  // `none` is not a number, so a parameter that allows it needs a text field.
  if (optional || (type !== "whole" && type !== "number")) return { type: "text" };
  return { type: "number", min: low ?? "", max: high ?? "", step: type === "whole" ? 1 : "any" };
}
