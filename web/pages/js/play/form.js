/** The form that chooses the players: a side and a level, or any player with its parameters. */

import { button, choice, field, make, quiet } from "../dom.js";
import { COMMON_BOARDS, DEFAULT_BOARD, boardText, parseBoard } from "../game/position.js";
import { capital } from "../words.js";
import { keepSetting, keepSwitch, readSetting } from "../storage.js";

/** @import {Api} from "../api.js" */
/** @import {Size} from "../game/position.js" */
/** @import {Parameter, Player, Side} from "../types.js" */
/** @typedef {{id: string, name: string, about: string}} Option */

const SEATS = Object.freeze([
  { id: "x", name: "Red", about: "You move first." },
  { id: "o", name: "Yellow", about: "You move second." },
  { id: "both", name: "Both", about: "Two people at one board." },
  { id: "none", name: "Neither", about: "The computer plays itself." },
]);
const LEVEL = "medium";

/** The player above all levels. */
const STRONGEST = "perfect";

export class PlayForm {
  #api;
  #onPlayers;
  #seat = readSetting("seat", "x");
  /** The level: a player's description for the server. */
  #strength = readSetting("strength", LEVEL);
  /** @type {Player[]} */
  #levels = [];
  /** @type {Record<Side, PlayerForm> | null} */
  #any = null;
  #isLoading = false;
  #about = make("p", { class: "quiet", id: "play-about", "aria-live": "polite" });
  #hints = make("input", { type: "checkbox", id: "hints", "aria-keyshortcuts": "h" });
  #store = make("input", { type: "checkbox", id: "play-stores" });
  #board = choice("board", COMMON_BOARDS.map(boardOption), boardText(DEFAULT_BOARD));
  /** The board that the page shows. */
  #shown = "";
  #isRunning = false;
  #start;
  #continue;
  #resign;
  #summary = make("summary", {});
  #settings = make("details", { id: "play-settings", open: true }, this.#summary);
  #details = make(
    "details",
    { id: "play-any" },
    make("summary", {}, "Any player"),
    make("p", { class: "quiet", id: "play-any-note" }, "Loading the players…"),
  );
  #strengths = make("fieldset", { class: "choice" }, make("legend", {}, "Opponent"), quiet("Loading the levels…"));

  /**
   * @param {Api} api
   * @param {{
   *   onStart: () => void, onContinue: () => void, onResign: () => void, onPlayers: () => void,
   *   onBoard: (size: Size) => void, onHints: () => void,
   * }} events onPlayers, onBoard: the players or the board changed
   */
  constructor(api, { onStart, onContinue, onResign, onPlayers, onBoard, onHints }) {
    this.#api = api;
    this.#onPlayers = onPlayers;
    keepSwitch(this.#hints, "hints", false, onHints);
    keepSwitch(this.#store, "store-games", true, () => {});
    this.#board.addEventListener("change", () => {
      this.#describe();
      onBoard(this.size);
    });
    this.#start = button("New game", onStart, { id: "play-start", class: "main" });
    this.#continue = button("Continue from here", onContinue, { id: "play-continue" });
    this.#resign = button("Resign", onResign, { id: "play-resign" });
    const seats = radios("seat", "You play", SEATS, this.#seat, (id) => {
      this.#seat = id;
      this.#keep("seat", id);
    });
    this.element = make(
      "form",
      { id: "play-form", onsubmit: (event) => event.preventDefault() },
      this.#settings,
      make("div", { class: "buttons" }, this.#start, this.#continue, this.#resign),
      make("label", { class: "switch" }, this.#hints, make("span", {}, "Hints: show the score of every column")),
      make("label", { class: "switch" }, this.#store, make("span", {}, "Store finished games on the server")),
    );
    const body = make("div", { class: "play-settings" }, seats, this.#strengths, this.#about);
    body.append(field("Board", this.#board), this.#details);
    this.#settings.append(body);
    this.#describe();
  }

  get hasHints() {
    return this.#hints.checked;
  }

  /**
   * The player of each side: "person" or a description.
   * @returns {Record<Side, string>}
   */
  get players() {
    /** @param {Side} side */
    const seated = (side) => (this.#seat === "both" || this.#seat === side ? "person" : this.#strength);
    return { x: this.#any?.x.text || seated("x"), o: this.#any?.o.text || seated("o") };
  }

  /** Whether finished games are stored. */
  get stores() {
    return this.#store.checked;
  }

  /** The board of the next game. */
  get size() {
    return parseBoard(this.#board.value) ?? DEFAULT_BOARD;
  }

  /**
   * @param {{isOn: boolean, isRunning: boolean, canContinue: boolean, canResign: boolean, size: Size}} state
   *   isOn: the players move; isRunning: and the game has not ended
   */
  show({ isOn, isRunning, canContinue, canResign, size }) {
    this.#start.textContent = isOn ? "New game" : "Start";
    this.#continue.hidden = !canContinue;
    this.#resign.hidden = !canResign;
    const shown = boardText(size);
    if (shown !== this.#shown) {
      this.#shown = shown;
      if (!COMMON_BOARDS.includes(shown)) this.#board.append(make("option", { value: shown }, boardOption(shown)[1]));
      this.#board.value = shown;
    }
    // The settings are folded only when this changes, because the user may open them.
    if (isRunning !== this.#isRunning) this.#settings.open = !isRunning;
    this.#isRunning = isRunning;
    this.#describe();
  }

  /** Fetch the list of players, once. */
  async load() {
    if (this.#any !== null || this.#isLoading) return;
    this.#isLoading = true;
    try {
      /** @type {Player[]} */
      const found = await this.#api.players();
      const players = found.filter((player) => player.stands_for === null);
      this.#showLevels(levelsOf(found));
      this.#any = {
        x: new PlayerForm("player-x", "Red", players, this.#onPlayers),
        o: new PlayerForm("player-o", "Yellow", players, this.#onPlayers),
      };
      this.#details.lastChild?.replaceWith(this.#any.x.element, this.#any.o.element);
    } catch {
      // The chosen level works without the list. The next call fetches it again.
    }
    this.#isLoading = false;
  }

  /** @param {Player[]} levels */
  #showLevels(levels) {
    this.#levels = levels;
    if (!levels.some(({ name }) => name === this.#strength)) this.#strength = LEVEL;
    const options = levels.map(({ name, summary }) => ({ id: name, name: playerName(name), about: summary }));
    const strengths = radios("strength", "Opponent", options, this.#strength, (id) => {
      this.#strength = id;
      this.#keep("strength", id);
    });
    this.#strengths.replaceWith(strengths);
    this.#strengths = strengths;
    this.#describe();
  }

  /** @param {"seat" | "strength"} name @param {string} id */
  #keep(name, id) {
    keepSetting(name, id);
    this.#describe();
    this.#onPlayers();
  }

  #describe() {
    const { about } = SEATS.find(({ id }) => id === this.#seat) ?? SEATS[0];
    const isAlone = this.#seat !== "both";
    const level = this.#levels.find(({ name }) => name === this.#strength);
    this.#strengths.disabled = !isAlone;
    this.#about.textContent =
      isAlone && level !== undefined ? `${about} ${playerName(level.name)}: ${level.summary}` : about;
    const { x, o } = this.players;
    this.#summary.textContent = `${playerName(x)} – ${playerName(o)}, ${boardOption(this.#board.value)[1]}`;
  }
}

/** @param {string} board @returns {readonly [string, string]} the value and the text of an option */
function boardOption(board) {
  return [board, board.replace("x", " × ")];
}

/**
 * @param {string} name @param {string} legend @param {readonly Option[]} options @param {string} chosen
 * @param {(id: string) => void} onChoose
 */
function radios(name, legend, options, chosen, onChoose) {
  const rows = options.map(({ id, name: text, about }) => {
    const onchange = () => onChoose(id);
    const input = make("input", { type: "radio", name, value: id, checked: id === chosen, onchange });
    return make("label", { title: about }, input, make("span", {}, text));
  });
  return make("fieldset", { class: "choice" }, make("legend", {}, legend), make("div", { class: "choice-row" }, rows));
}

/**
 * The levels of the server in ascending order, then the perfect player.
 * @param {Player[]} players @returns {Player[]}
 */
function levelsOf(players) {
  return players.filter(({ name, stands_for: player }) => player !== null || name === STRONGEST);
}

/** @param {string} player "person" or a description @returns {string} */
export function playerName(player) {
  if (player === "person") return "You";
  return /^[a-z]+$/.test(player) ? capital(player) : player;
}

/** A choice of a player, with a field for each of its parameters. */
class PlayerForm {
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
