/** Stores finished games on the server, and says where they are. */

import { ApiError } from "../api.js";
import { button, make } from "../dom.js";
import { recordOf } from "../game/record.js";
import { tokenField } from "../token.js";
import { messageOf, sentence } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Position} from "../game/position.js" */
/** @import {GameRecord} from "../game/record.js" */
/** @import {Game} from "../types.js" */

const UNAUTHORISED = 401;

export class Storing {
  #api;
  /**
   * Links to the stored games, null while one is being stored. If its last move is taken back and played again, a
   * game is not stored twice.
   * @type {Map<string, HTMLElement | null>}
   */
  #stored = new Map();
  #words = make("p", { id: "play-stored", class: "quiet", role: "status" });
  #again = button("Store the game", () => this.#retry(), { id: "play-store", hidden: true });
  #token;
  #retry = () => {};

  /** @param {Api} api */
  constructor(api) {
    this.#api = api;
    this.#token = tokenField(api);
    this.element = make("div", { class: "storing", hidden: true }, this.#words, this.#token, this.#again);
  }

  /** Begin a new game: the same moves may be stored again. */
  begin() {
    this.#stored.clear();
  }

  hide() {
    this.element.hidden = true;
  }

  /**
   * Store a game, unless it is stored already.
   * @param {Position} start @param {string} moves
   * @param {Partial<GameRecord>} facts the players, and the result if the board does not show it
   */
  async store(start, moves, facts) {
    const name = JSON.stringify([start.gridText(), moves, facts]);
    const known = this.#stored.get(name);
    if (known) this.#say("Stored as ", known, ".");
    if (known !== undefined) return;
    this.#stored.set(name, null);
    this.#say("Storing the game…");
    try {
      const record = await recordOf(this.#api, start, moves);
      /** @type {Game} */
      const { match, number } = await this.#api.post("/api/v1/games", { ...record, ...facts });
      const href = `/explore?show=game&match=${match}&number=${number}`;
      const link = make("a", { href }, `game ${match}/${number}`);
      this.#stored.set(name, link);
      this.#say("Stored as ", link, ".");
      this.#token.hidden = true;
    } catch (error) {
      this.#stored.delete(name);
      this.#say(`The game is not stored. ${sentence(messageOf(error))}`);
      this.#retry = () => void this.store(start, moves, facts);
      const isRefused = error instanceof ApiError && error.isFinal && error.status !== UNAUTHORISED;
      this.#again.hidden = isRefused;
    }
  }

  /** @param {...(string | Node)} parts */
  #say(...parts) {
    this.element.hidden = false;
    this.#again.hidden = true;
    this.#words.replaceChildren(...parts);
  }
}
