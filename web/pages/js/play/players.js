/** Who can play: strengths to choose from, and a form for any player of the server with its parameters. */

import { make } from "../dom.js";

/**
 * Each is stronger than the one before: medium won 59 of 60 games against easy, expert 30 of 40 against
 * hard (`c4 match --swap`); docs/players.md has the others. `name` is what a person reads, `player` what
 * the server is told.
 */
export const STRENGTHS = Object.freeze([
  { id: "beginner", name: "Beginner", player: "random", about: "Plays anywhere." },
  { id: "easy", name: "Easy", player: "set", about: "Completes four and blocks four; sees no further." },
  { id: "medium", name: "Medium", player: "minimax-windows:depth=3", about: "Looks three plies ahead." },
  { id: "hard", name: "Hard", player: "mcts-uct:iterations=10000", about: "Plays ten thousand games in its head for each move." },
  { id: "expert", name: "Expert", player: "perfect:blunder=0.03", about: "Errs about once in thirty moves." },
  { id: "perfect", name: "Perfect", player: "perfect", about: "Never errs." },
]);

/** The names of people and of players as they are spoken of. @param {string} player */
export function playerName(player) {
  if (player === "person") return "You";
  return STRENGTHS.find((strength) => strength.player === player)?.name ?? player;
}

/**
 * @typedef {object} Parameter what the API says of a player's parameter
 * @property {string} name
 * @property {string} type
 * @property {string | number | boolean | null} default
 * @property {number | null} low
 * @property {number | null} high
 * @property {string[] | null} choices
 * @property {boolean} required whether it has no default
 * @property {boolean} optional whether `none` is a value too
 * @property {string} summary
 */
/**
 * @typedef {object} Player
 * @property {string} name
 * @property {string} summary
 * @property {boolean} available
 * @property {string | null} reason why it is not
 * @property {string | null} argument what follows the colon, where there is something
 * @property {Parameter[]} parameters
 */

/** A choice of a player, with a field for each of its parameters. */
export class PlayerForm {
  /**
   * @param {string} id of the select
   * @param {string} label
   * @param {Player[]} players
   * @param {() => void} onChange
   */
  constructor(id, label, players, onChange) {
    this.players = players;
    this.onChange = onChange;
    this.id = id;
    this.select = make(
      "select",
      { id },
      make("option", { value: "" }, "As chosen above"),
      make("option", { value: "person" }, "A person"),
      ...players.map(optionFor),
    );
    this.fields = make("div", { class: "fields" });
    this.summary = make("p", { class: "quiet" });
    this.select.addEventListener("change", () => {
      this.#showFields();
      onChange();
    });
    this.element = make(
      "div",
      { class: "player-form" },
      make("label", { for: id }, label),
      this.select,
      this.summary,
      this.fields,
    );
    this.#showFields();
  }

  /** The player's description, such as `minimax-windows:depth=4`; "" for none of its own. */
  get text() {
    const name = this.select.value;
    const argument = /** @type {HTMLInputElement | null} */ (this.fields.querySelector(".argument"));
    if (argument !== null) return `${name}:${argument.value.trim()}`;
    const values = [...this.fields.querySelectorAll("input, select")]
      .map((field) => /** @type {HTMLInputElement} */ (field))
      .filter((field) => field.value.trim() !== "" && field.value !== field.dataset.standard)
      .map((field) => `${field.name}=${field.value.trim()}`);
    return values.length === 0 ? name : `${name}:${values.join(",")}`;
  }

  #showFields() {
    const player = this.players.find((each) => each.name === this.select.value);
    this.summary.textContent = player?.summary ?? "";
    this.summary.hidden = player === undefined;
    this.fields.replaceChildren(...(player?.parameters ?? []).map((each) => this.#field(each)));
    if (player?.argument) this.fields.append(this.#argument(player.argument));
  }

  /** @param {string} name */
  #argument(name) {
    const id = `${this.id}-argument`;
    const field = make("input", { id, class: "argument", type: "text", onchange: this.onChange });
    return make("div", { class: "field" }, make("label", { for: id }, name.toLowerCase()), field);
  }

  /** @param {Parameter} parameter */
  #field(parameter) {
    const id = `${this.id}-${parameter.name}`;
    const standard = parameter.required ? "" : textOf(parameter.default);
    const common = { id, name: parameter.name, "data-standard": standard, onchange: this.onChange };
    const isChoice = parameter.type === "flag" || parameter.type === "choice";
    const choices = isChoice ? [...(parameter.choices ?? []), ...(parameter.optional ? ["none"] : [])] : null;
    const field =
      choices === null
        ? make("input", { ...common, ...limitsOf(parameter), value: standard })
        : make("select", common, ...choices.map((choice) => optionOf(choice, standard)));
    return make(
      "div",
      { class: "field" },
      make("label", { for: id }, parameter.name.replaceAll("_", " ")),
      field,
      parameter.summary ? make("span", { class: "field-about" }, parameter.summary) : null,
    );
  }
}

/** A player to choose; of one that cannot play, why. @param {Player} player */
function optionFor({ name, available, reason }) {
  // A tooltip is not seen on a phone, and a list of choices has no room beside it.
  const text = available ? name : `${name} – ${reason ?? "cannot play here"}`;
  return make("option", { value: name, disabled: !available }, text);
}

/** Switches are written on and off, absence none. @param {unknown} value */
function textOf(value) {
  if (value === true) return "on";
  if (value === false) return "off";
  return value === null || value === undefined ? "none" : String(value);
}

/** @param {Parameter} parameter */
function limitsOf({ type, low, high, optional }) {
  // What may be `none` is written as text, for that is no number.
  if (optional || (type !== "whole" && type !== "number")) return { type: "text" };
  return { type: "number", min: String(low ?? ""), max: String(high ?? ""), step: type === "whole" ? "1" : "any" };
}

/** @param {string} value @param {string} standard */
function optionOf(value, standard) {
  return make("option", { value, selected: value === standard }, value);
}
