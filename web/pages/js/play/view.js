/** A game: people and players take turns; afterwards one click leads to its review. */

import { AwayError, isAbort } from "../api.js";
import { byId, isStill, make } from "../dom.js";
import { NAMES, otherSide, plural, sentence } from "../game/notation.js";
import { PlayForm } from "./form.js";
import { playerName } from "./players.js";

/** Seconds that a player may think. */
const SECONDS = 5;

/** Until an answer is played, so that the eye sees the own stone land first. */
const ANSWER_MS = 450;

export class Play {
  /**
   * @param {import("../game/session.js").Session} session
   * @param {import("../api.js").Api} api
   * @param {{onReview: () => void, onHints: (isOn: boolean) => void, announce: (text: string) => void}} events
   */
  constructor(session, api, { onReview, onHints, announce }) {
    this.session = session;
    this.api = api;
    this.announce = announce;
    /** Whether a game is on, and the players move. */
    this.isOn = false;
    this.seed = randomSeed();
    this.failure = "";
    /** The position as it was left for another view. */
    this.left = "";
    /** The position that a player is thinking about. */
    this.thinking = "";
    this.control = new AbortController();
    this.status = make("p", { id: "play-status" });
    this.again = make("button", { type: "button", id: "play-again", class: "plain", onclick: () => this.start() }, "Play again");
    this.review = make("button", { type: "button", id: "play-review", class: "main", onclick: onReview }, "Review the game");
    this.retry = make("button", { type: "button", id: "play-retry", class: "plain", onclick: () => this.#retry() }, "Let it try again");
    this.form = new PlayForm(api, {
      onStart: () => this.start(),
      onContinue: () => this.#continue(),
      onPlayers: () => this.#changePlayers(),
      onHints,
    });
    byId("play").append(
      make("h2", { id: "play-title" }, "Play"),
      this.status,
      make("div", { class: "buttons" }, this.review, this.again, this.retry),
      this.form.element,
    );
    api.addEventListener("back", () => this.#retry());
  }

  /** A new game on an empty board of the same size. */
  start() {
    this.seed = randomSeed();
    this.failure = "";
    this.isOn = true;
    this.session.setUp({ size: this.session.state.board });
    this.announce(this.#statusText());
  }

  /** A person plays a column. @param {number} column */
  play(column) {
    this.isOn = true;
    const { side } = this.session.position;
    if (this.form.players[side] !== "person") return;
    this.session.play(column);
  }

  /** Whether it is a person's turn. */
  get isPersons() {
    const { position } = this.session;
    return !position.isOver && this.form.players[position.side] === "person";
  }

  /** Back to a person's last move; the answers to it go with it. */
  undo() {
    const { session } = this;
    const hasPerson = Object.values(this.form.players).includes("person");
    let shown = session.state.shown - 1;
    const isPersons = () => this.form.players[session.positions[shown].side] === "person";
    while (hasPerson && shown > 0 && !isPersons()) shown -= 1;
    session.go(shown);
  }

  /** Draw the game, and let a player move if it is its turn. @param {string} why */
  show(why) {
    const { session } = this;
    const isShown = session.state.view === "play";
    byId("play").hidden = !isShown;
    if (!isShown) return this.#giveUp();
    void this.form.load();
    this.#resume(why);
    this.status.textContent = this.#statusText();
    this.status.dataset.side = session.position.winner ?? session.position.side;
    const { isOver } = session.position;
    this.review.hidden = !isOver;
    this.again.hidden = !isOver;
    this.retry.hidden = this.failure === "";
    this.form.show({ isOn: this.isOn, canContinue: !this.isOn && session.state.line !== "" });
    this.#move();
    return undefined;
  }

  /**
   * A page that is loaded with moves shows a game that was left: it goes on. One who comes from an
   * analysis, with another position, is asked first.
   * @param {string} why
   */
  #resume(why) {
    const name = JSON.stringify(this.session.question);
    if (why === "load") this.isOn = this.session.state.line !== "";
    else if (why === "address" && this.left !== "" && this.left !== name) this.isOn = false;
    this.left = name;
  }

  #statusText() {
    const { position, state } = this.session;
    const { side, winner } = position;
    if (winner !== null) {
      const who = this.form.players[winner] === "person" ? "" : ` (${playerName(this.form.players[winner])})`;
      return `${NAMES[winner]}${who} has won after ${plural(position.ply, "move")}.`;
    }
    if (position.isFull) return "A draw: the board is full.";
    if (this.failure !== "") return this.failure;
    if (!this.isOn) return this.isPersons ? "Choose, then start; or simply play a column." : "Choose, then start.";
    const player = this.form.players[side];
    if (player === "person") {
      const isAlone = this.form.players[otherSide(side)] !== "person";
      return isAlone ? `Your move: you are ${NAMES[side].toLowerCase()}.` : `${NAMES[side]} to move.`;
    }
    if (!this.session.isAtEnd) return `Move ${state.shown} of ${state.line.length}.`;
    return `${playerName(player)} (${NAMES[side].toLowerCase()}) is thinking…`;
  }

  #changePlayers() {
    this.failure = "";
    this.#giveUp();
    this.show("players");
  }

  #continue() {
    this.isOn = true;
    this.show("players");
  }

  #retry() {
    if (this.failure === "") return;
    this.failure = "";
    this.show("retry");
  }

  #giveUp() {
    this.control.abort();
    this.control = new AbortController();
    this.thinking = "";
  }

  /** Ask the player whose turn it is. */
  #move() {
    const { position, isAtEnd, question } = this.session;
    const name = JSON.stringify([question, position.side]);
    if (this.thinking !== "" && this.thinking !== name) this.#giveUp();
    const isWaiting = !this.isOn || position.isOver || this.isPersons || !isAtEnd;
    if (isWaiting || this.failure !== "" || this.thinking === name) return;
    this.thinking = name;
    void this.#ask(question, this.form.players[position.side], this.control.signal);
  }

  /** @param {Record<string, string>} question @param {string} player @param {AbortSignal} signal */
  async #ask(question, player, signal) {
    const rest = new Promise((resolve) => setTimeout(resolve, isStill() ? 0 : ANSWER_MS));
    try {
      const body = { ...question, player, seed: this.seed, seconds: SECONDS };
      const [answer] = await Promise.all([this.api.post("/api/v1/move", body, { signal }), rest]);
      if (signal.aborted) return;
      this.thinking = "";
      const { side } = this.session.position;
      this.session.play(answer.column);
      this.announce(`${NAMES[side]} played column ${answer.column}. ${this.#statusText()}`);
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      this.thinking = "";
      const words = error instanceof Error ? error.message : String(error);
      this.failure = error instanceof AwayError ? "The game waits for the server." : sentence(words);
      this.show("failure");
    }
  }
}

function randomSeed() {
  return Math.floor(Math.random() * 2 ** 31);
}
