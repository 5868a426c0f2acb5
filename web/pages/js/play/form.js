/** Who plays: seats and a strength first, any player with its parameters for those who look further. */

import { make } from "../dom.js";
import { PlayerForm, STRENGTHS } from "./players.js";
import { keepSetting, keepSwitch, readSetting } from "../settings.js";

const SEATS = Object.freeze([
  { id: "x", name: "Red", about: "You begin." },
  { id: "o", name: "Yellow", about: "You answer." },
  { id: "both", name: "Both", about: "Two people at one board." },
  { id: "none", name: "Neither", about: "The computer plays itself." },
]);

export class PlayForm {
  /**
   * @param {import("../api.js").Api} api
   * @param {{onStart: () => void, onContinue: () => void, onPlayers: () => void,
   *   onHints: (isOn: boolean) => void}} events
   */
  constructor(api, { onStart, onContinue, onPlayers, onHints }) {
    this.api = api;
    this.onPlayers = onPlayers;
    this.seat = readSetting("seat", "x");
    this.strength = readSetting("strength", "medium");
    /** @type {{x: PlayerForm, o: PlayerForm} | null} */
    this.any = null;
    this.isLoading = false;
    this.about = make("p", { class: "quiet", id: "play-about", "aria-live": "polite" });
    const hints = make("input", { type: "checkbox", id: "hints", "aria-keyshortcuts": "h" });
    keepSwitch(hints, "hints", false, onHints);
    this.hints = hints;
    this.start = make("button", { type: "button", id: "play-start", class: "main", onclick: onStart }, "New game");
    this.go = make("button", { type: "button", id: "play-continue", class: "plain", onclick: onContinue }, "Play on from here");
    this.details = make(
      "details",
      { id: "play-any" },
      make("summary", {}, "Any player"),
      make("p", { class: "quiet", id: "play-any-note" }, "Loading the players…"),
    );
    this.strengths = choice("strength", "Opponent", STRENGTHS, this.strength, (id) => this.#choose("strength", id));
    this.element = make(
      "form",
      { id: "play-form", onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
      choice("seat", "You play", SEATS, this.seat, (id) => this.#choose("seat", id)),
      this.strengths,
      this.about,
      make("div", { class: "buttons" }, this.start, this.go),
      make("label", { class: "switch" }, hints, make("span", {}, "Hints: show the score of every column")),
      this.details,
    );
    this.#describe();
  }

  /** Who plays each side: "person", or a player's description. @returns {{x: string, o: string}} */
  get players() {
    const strength = STRENGTHS.find((each) => each.id === this.strength) ?? STRENGTHS[2];
    const seated = (/** @type {string} */ side) =>
      this.seat === "both" || this.seat === side ? "person" : strength.player;
    return { x: this.any?.x.text || seated("x"), o: this.any?.o.text || seated("o") };
  }

  /** @param {{isOn: boolean, canContinue: boolean}} state */
  show({ isOn, canContinue }) {
    this.start.textContent = isOn ? "New game" : "Start";
    this.go.hidden = !canContinue;
  }

  /** Fetch the players, once. */
  async load() {
    if (this.any !== null || this.isLoading) return;
    this.isLoading = true;
    try {
      const players = (await this.api.get("/api/v1/players")).filter(
        (/** @type {any} */ player) => player.stands_for === null,
      );
      this.any = {
        x: new PlayerForm("player-x", "Red", players, this.onPlayers),
        o: new PlayerForm("player-o", "Yellow", players, this.onPlayers),
      };
      this.details.lastChild?.replaceWith(this.any.x.element, this.any.o.element);
    } catch {
      // The strengths serve without the list; it is asked for again with the next move.
    }
    this.isLoading = false;
  }

  /** @param {"seat" | "strength"} what @param {string} id */
  #choose(what, id) {
    this[what] = id;
    keepSetting(what, id);
    this.#describe();
    this.onPlayers();
  }

  #describe() {
    const seat = SEATS.find((each) => each.id === this.seat) ?? SEATS[0];
    const strength = STRENGTHS.find((each) => each.id === this.strength) ?? STRENGTHS[2];
    const isAlone = this.seat !== "both";
    this.strengths.disabled = !isAlone;
    this.about.textContent = isAlone ? `${seat.about} ${strength.name}: ${strength.about}` : seat.about;
  }
}

/**
 * A row of radio buttons.
 * @param {string} name @param {string} legend
 * @param {readonly {id: string, name: string, about: string}[]} options
 * @param {string} chosen @param {(id: string) => void} onChoose
 */
function choice(name, legend, options, chosen, onChoose) {
  return make(
    "fieldset",
    { class: "choice" },
    make("legend", {}, legend),
    make(
      "div",
      { class: "choice-row" },
      ...options.map((option) =>
        make(
          "label",
          { title: option.about },
          make("input", {
            type: "radio",
            name,
            value: option.id,
            checked: option.id === chosen,
            onchange: () => onChoose(option.id),
          }),
          make("span", {}, option.name),
        ),
      ),
    ),
  );
}
