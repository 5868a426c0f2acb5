/** The form that chooses the players: a side and a level, or any player with its parameters. */

import { button, make } from "../dom.js";
import { keepSetting, keepSwitch, readSetting } from "../storage.js";
import { PlayerForm, levelsOf, playerName } from "./players.js";

/** @import {Api} from "../api.js" */
/** @import {Player, Side} from "../types.js" */
/** @typedef {{id: string, name: string, about: string}} Option */

const SEATS = Object.freeze([
  { id: "x", name: "Red", about: "You move first." },
  { id: "o", name: "Yellow", about: "You move second." },
  { id: "both", name: "Both", about: "Two people at one board." },
  { id: "none", name: "Neither", about: "The computer plays itself." },
]);
const LEVEL = "medium";

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
  #start;
  #continue;
  #details = make(
    "details",
    { id: "play-any" },
    make("summary", {}, "Any player"),
    make("p", { class: "quiet", id: "play-any-note" }, "Loading the players…"),
  );
  #strengths = make("fieldset", { class: "choice" }, make("legend", {}, "Opponent"), quiet("Loading the levels…"));

  /**
   * @param {Api} api
   * @param {{onStart: () => void, onContinue: () => void, onPlayers: () => void, onHints: () => void}} events
   *   onPlayers: the players changed
   */
  constructor(api, { onStart, onContinue, onPlayers, onHints }) {
    this.#api = api;
    this.#onPlayers = onPlayers;
    keepSwitch(this.#hints, "hints", false, onHints);
    this.#start = button("New game", onStart, { id: "play-start", class: "main" });
    this.#continue = button("Continue from here", onContinue, { id: "play-continue" });
    const seats = radios("seat", "You play", SEATS, this.#seat, (id) => {
      this.#seat = id;
      this.#keep("seat", id);
    });
    this.element = make(
      "form",
      { id: "play-form", onsubmit: (event) => event.preventDefault() },
      seats,
      this.#strengths,
      this.#about,
      make("div", { class: "buttons" }, this.#start, this.#continue),
      make("label", { class: "switch" }, this.#hints, make("span", {}, "Hints: show the score of every column")),
      this.#details,
    );
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

  /** @param {{isOn: boolean, canContinue: boolean}} state */
  show({ isOn, canContinue }) {
    this.#start.textContent = isOn ? "New game" : "Start";
    this.#continue.hidden = !canContinue;
  }

  /** Fetch the list of players, once. */
  async load() {
    if (this.#any !== null || this.#isLoading) return;
    this.#isLoading = true;
    try {
      /** @type {Player[]} */
      const found = await this.#api.get("/api/v1/players");
      const players = found.filter((player) => player.stands_for === null);
      this.#showLevels(levelsOf(found));
      this.#any = {
        x: new PlayerForm("player-x", "Red", players, this.#onPlayers),
        o: new PlayerForm("player-o", "Yellow", players, this.#onPlayers),
      };
      this.#details.lastChild?.replaceWith(this.#any.x.element, this.#any.o.element);
    } catch {
      // The strengths work without the list. The next move fetches it again.
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
  }
}

/** @param {string} text */
function quiet(text) {
  return make("p", { class: "quiet" }, text);
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
