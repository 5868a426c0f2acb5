/** A game between people and players. When it is over, it is stored, and one click opens its review. */

import { ApiError, AwayError, isAbort, recordOf } from "../api.js";
import { button, byId, isStill, make } from "../dom.js";
import { NAMES, otherSide } from "../game/position.js";
import { tokenField } from "../storage.js";
import { count, messageOf, sentence } from "../words.js";
import { PlayForm, playerName } from "./form.js";

/** @import {Api, GameRecord} from "../api.js" */
/** @import {Position} from "../game/position.js" */
/** @import {Reason, Session} from "../game/session.js" */
/** @import {Game, MoveAnswer, Question, Side} from "../types.js" */

/** Seconds for a player's move. */
const SECONDS = 5;

/** Minimum time before a player's move is shown, so that the user's own stone falls first. */
const ANSWER_MS = 450;

const UNAUTHORISED = 401;

export class Play {
  #session;
  #api;
  #announce;
  #onChange;
  #form;
  /** Whether a game is running, so that the players move. */
  #isOn = false;
  #seed = randomSeed();
  #failure = "";
  /** The side that has resigned, and the position. @type {{side: Side, name: string} | null} */
  #resignation = null;
  /** The players with every parameter, as the server has described them. @type {Partial<Record<Side, string>>} */
  #described = {};
  /** The position that was on the board when another view was opened. */
  #left = "";
  /** The position that a player is thinking about. */
  #thinking = "";
  #control = new AbortController();
  #status = make("p", { id: "play-status" });
  #next = make(
    "p",
    { id: "play-next", class: "quiet" },
    "The review shows which move decided it. Undo takes a move back.",
  );
  #storing;
  #again = button("Play again", () => this.#start(), { id: "play-again" });
  #review;
  #retry = button("Try again", () => this.#tryAgain(), { id: "play-retry" });

  /**
   * @param {Session} session @param {Api} api
   * @param {{onReview: () => void, onChange: () => void, announce: (text: string) => void}} events
   *   onChange: the page must be drawn again
   */
  constructor(session, api, { onReview, onChange, announce }) {
    this.#session = session;
    this.#api = api;
    this.#announce = announce;
    this.#onChange = onChange;
    this.#review = button("Review the game", onReview, { id: "play-review", class: "main" });
    this.#form = new PlayForm(api, {
      onStart: () => this.#start(),
      onResign: () => this.#resign(),
      onBoard: (size) => session.state.line === "" && session.setUp({ size }),
      onContinue: () => this.#continue(),
      onPlayers: () => this.#changePlayers(),
      onHints: onChange,
    });
    this.#storing = new Storing(api);
    byId("play").append(
      make("h2", { id: "play-title" }, "Play"),
      this.#status,
      this.#next,
      make("div", { class: "buttons" }, this.#review, this.#again, this.#retry),
      this.#storing.element,
      this.#form.element,
    );
    api.addEventListener("back", () => {
      this.#failure = "";
      this.show("change");
    });
  }

  get hasHints() {
    return this.#form.hasHints;
  }

  /** Whether it is a person's turn. */
  get isPersons() {
    return !this.#hasEnded && this.#form.players[this.#session.position.side] === "person";
  }

  get #name() {
    return JSON.stringify(this.#session.question);
  }

  /** The side that has resigned in this position. */
  get #resigned() {
    return this.#resignation?.name === this.#name ? this.#resignation.side : null;
  }

  get #hasEnded() {
    return this.#session.position.isOver || this.#resigned !== null;
  }

  /** @param {number} column */
  play(column) {
    if (this.#resigned !== null) return;
    this.#isOn = true;
    if (this.#form.players[this.#session.position.side] === "person") this.#session.play(column);
  }

  stop() {
    this.#isOn = false;
  }

  /** Take back a resignation, or a person's last move and the replies to it. */
  undo() {
    if (this.#resigned !== null) {
      this.#resignation = null;
      this.#onChange();
      return;
    }
    const { players } = this.#form;
    const { positions, state } = this.#session;
    let shown = state.shown - 1;
    if (Object.values(players).includes("person")) {
      while (shown > 0 && players[positions[shown].side] !== "person") shown -= 1;
    }
    this.#session.go(shown);
  }

  /**
   * Show the game, and let the player whose turn it is move.
   * @param {Reason} why
   */
  show(why) {
    const { state, position } = this.#session;
    byId("play").hidden = state.view !== "play";
    if (state.view !== "play") {
      this.#cancel();
      return;
    }
    void this.#form.load();
    const name = this.#name;
    // A page that is loaded with moves continues the game. If an analysis has changed the position, the user
    // is asked first.
    if (why === "load") this.#isOn = state.line !== "";
    else if (why === "address" && this.#left !== "" && this.#left !== name) this.#isOn = false;
    if (this.#left !== name) this.#storing.hide();
    this.#left = name;
    const hasEnded = this.#hasEnded;
    if (why === "move" && position.isOver && this.#isOn) this.#store({});
    this.#status.textContent = this.#statusText();
    this.#status.dataset.side = position.winner ?? position.side;
    for (const element of [this.#next, this.#review, this.#again]) element.hidden = !hasEnded;
    this.#retry.hidden = this.#failure === "";
    const isRunning = this.#isOn && !hasEnded;
    this.#form.show({
      isOn: this.#isOn,
      isRunning,
      canResign: isRunning && state.line !== "" && this.#loser !== null,
      canContinue: !this.#isOn && state.line !== "",
      size: state.board,
    });
    this.#move();
  }

  /** Begin a game on an empty board. */
  #start() {
    this.#seed = randomSeed();
    this.#failure = "";
    this.#resignation = null;
    this.#described = {};
    this.#storing.begin();
    this.#isOn = true;
    this.#session.setUp({ size: this.#form.size });
    this.#announce(this.#statusText());
  }

  /** The person who would resign: whose turn it is, or the only one; null if no person plays. */
  get #loser() {
    const { side } = this.#session.position;
    const { players } = this.#form;
    return [side, otherSide(side)].find((each) => players[each] === "person") ?? null;
  }

  #resign() {
    const loser = this.#loser;
    if (loser === null) return;
    this.#cancel();
    this.#resignation = { side: loser, name: this.#name };
    this.#store({ winner: otherSide(loser), ending: "resigned" });
    this.#onChange();
    this.#announce(this.#statusText());
  }

  /** @param {Partial<GameRecord>} result empty if the board shows it */
  #store(result) {
    if (!this.#form.stores) return;
    const { players } = this.#form;
    /** @param {Side} side */
    const named = (side) => (players[side] === "person" ? "human" : (this.#described[side] ?? players[side]));
    const { positions, moves } = this.#session;
    void this.#storing.store(positions[0], moves, { first: named("x"), second: named("o"), ...result });
  }

  #continue() {
    this.#isOn = true;
    this.show("change");
  }

  #changePlayers() {
    this.#failure = "";
    this.#cancel();
    this.show("change");
  }

  #tryAgain() {
    if (this.#failure === "") return;
    this.#failure = "";
    this.show("change");
  }

  #statusText() {
    const { position, positions, state, isAtEnd } = this.#session;
    const { side, winner } = position;
    const { players } = this.#form;
    const length = `after ${count(position.ply, "move")}`;
    /** @param {Side} each */
    const named = (each) => NAMES[each] + (players[each] === "person" ? "" : ` (${playerName(players[each])})`);
    if (winner !== null) return `${named(winner)} has won ${length}: four in a row.`;
    if (position.isFull) return `A draw ${length}: the board is full.`;
    if (this.#resigned !== null) {
      return `${named(otherSide(this.#resigned))} has won ${length}: ${NAMES[this.#resigned]} resigned.`;
    }
    if (this.#failure !== "") return this.#failure;
    if (!this.#isOn) return this.isPersons ? "Press Start, or play a column." : "Press Start.";
    if (players[side] === "person") {
      const isAlone = players[otherSide(side)] !== "person";
      return isAlone ? `Your move: you are ${NAMES[side].toLowerCase()}.` : `${NAMES[side]} to move.`;
    }
    if (!isAtEnd) return `Move ${position.ply} of ${positions[state.line.length].ply}.`;
    return `${playerName(players[side])} (${NAMES[side].toLowerCase()}) is thinking…`;
  }

  #cancel() {
    this.#control.abort();
    this.#control = new AbortController();
    this.#thinking = "";
  }

  /** Ask the player whose turn it is. */
  #move() {
    const { position, isAtEnd, question } = this.#session;
    const name = JSON.stringify([question, position.side]);
    if (this.#thinking !== "" && this.#thinking !== name) this.#cancel();
    const isWaiting = !this.#isOn || this.#hasEnded || this.isPersons || !isAtEnd;
    if (isWaiting || this.#failure !== "" || this.#thinking === name) return;
    this.#thinking = name;
    void this.#ask(question, this.#form.players[position.side], this.#control.signal);
  }

  /** @param {Question} question @param {string} player @param {AbortSignal} signal */
  async #ask(question, player, signal) {
    const rest = new Promise((resolve) => setTimeout(resolve, isStill() ? 0 : ANSWER_MS));
    try {
      const body = { ...question, player, seed: this.#seed, seconds: SECONDS };
      /** @type {Promise<MoveAnswer>} */
      const asked = this.#api.post("/api/v1/move", body, { signal });
      const [{ column, player: described }] = await Promise.all([asked, rest]);
      if (signal.aborted) return;
      this.#thinking = "";
      const { side } = this.#session.position;
      this.#described[side] = described;
      this.#session.play(column);
      this.#announce(`${NAMES[side]} played column ${column}. ${this.#statusText()}`);
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      this.#thinking = "";
      this.#failure = error instanceof AwayError ? "The game is waiting for the server." : sentence(messageOf(error));
      this.show("change");
    }
  }
}

/** Stores finished games on the server, and says where they are. */
class Storing {
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
      const link = make("a", { href }, `game ${match}:${number}`);
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

function randomSeed() {
  return Math.floor(Math.random() * 2 ** 31);
}
