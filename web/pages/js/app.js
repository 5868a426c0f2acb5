/** Puts the page together: one session, one board, and the views around it. */

import { Analysis } from "./analysis.js";
import { Analyst } from "./analyst.js";
import { Api } from "./api.js";
import { Board } from "./board/board.js";
import { Columns } from "./board/columns.js";
import { byId } from "./dom.js";
import { HelpDialog } from "./help_dialog.js";
import { listenToKeys } from "./keys.js";
import { showMoves } from "./moves.js";
import { NAMES, boardText } from "./game/notation.js";
import { Play } from "./play/view.js";
import { Review } from "./review/view.js";
import { Session } from "./game/session.js";
import { SetupDialog } from "./setup_dialog.js";
import { Views } from "./views.js";

/** Columns that have room side by side on a phone. */
const WIDEST = 12;

/** Announcements that are told together. */
const SPEECH_MS = 700;

class Page {
  constructor() {
    this.api = new Api();
    this.session = new Session();
    this.analyst = new Analyst(this.api);
    this.board = new Board({ onPlay: (column) => this.play(column) });
    this.columns = new Columns(byId("columns"), byId("outcome"), (column) => this.play(column));
    const draw = () => this.draw();
    this.analysis = new Analysis(this.session, this.analyst, draw, announce);
    this.review = new Review(this.session, this.api, draw);
    this.play_view = new Play(this.session, this.api, {
      onReview: () => this.review.open(),
      onHints: draw,
      announce,
    });
    this.setup = new SetupDialog(this.session);
    this.help = new HelpDialog();
    this.views = new Views(this.session, this.api);
    byId("board").append(this.board.element);
    this.#listen();
  }

  start() {
    this.session.readAddress("load");
  }

  /** @param {number} column */
  play(column) {
    const { position, state } = this.session;
    if (state.view === "play") this.play_view.play(column);
    else if (this.session.play(column)) announce(`${NAMES[position.side]} played column ${column}.`);
  }

  /** Draw everything for the session's state. @param {string} [why] */
  draw(why = "change") {
    const { session, analysis } = this;
    const { state } = session;
    this.views.show(why);
    if (state.view === "explore" || state.view === "work") return this.analyst.rest();
    const { position } = session;
    const isPlay = state.view === "play";
    analysis.hasHints = this.play_view.form.hints.checked;
    const isPlayable = !isPlay || this.play_view.isPersons;
    const answers = position.isOver ? null : (analysis.answer?.columns ?? null);
    const best = answers === null ? [] : (analysis.answer?.best ?? []);
    this.board.show(position, {
      flipped: state.flipped,
      threats: byId("toggle-threats").matches(":checked") ? position.threats() : null,
      best: isPlayable ? best : [],
      isPlayable,
    });
    byId("table").style.setProperty("--wide", String(position.size.width));
    byId("table").style.setProperty("--high", String(position.size.height));
    byId("table").classList.toggle("is-wide", position.size.width > WIDEST);
    this.columns.show(position, { flipped: state.flipped, answers, isPlayable, isBare: !analysis.isShown });
    this.review.show();
    const isReviewed = state.review !== null && !isPlay;
    showMoves(session, this.review.marks, isReviewed ? this.review.shared : Infinity);
    byId("open-review").hidden = isPlay || isReviewed || state.line === "";
    this.#showControls();
    analysis.show();
    this.play_view.show(why);
    return undefined;
  }

  #showControls() {
    const { state, isAtEnd } = this.session;
    const isStart = state.shown === 0;
    for (const id of ["first", "previous", "undo"]) setDisabled(id, isStart);
    for (const id of ["last", "next", "redo"]) setDisabled(id, isAtEnd);
    byId("flip").setAttribute("aria-pressed", String(state.flipped));
    const moves = this.session.moves === "" ? "" : `${this.session.moves} · `;
    document.title = `${moves}${boardText(state.board)} · C4 ${state.view}`;
  }

  undo() {
    if (this.session.state.shown === 0) return;
    if (this.session.state.view === "play") this.play_view.undo();
    else this.session.step(-1);
  }

  clear() {
    this.play_view.isOn = false;
    this.session.setUp({});
  }

  flip() {
    this.session.change({ flipped: !this.session.state.flipped }, { isStep: true });
  }

  #listen() {
    const { session } = this;
    session.addEventListener("change", (event) => {
      this.draw(/** @type {CustomEvent} */ (event).detail.why);
    });
    /** @type {Record<string, () => void>} */
    const clicks = {
      first: () => session.go(0),
      previous: () => session.step(-1),
      next: () => session.step(1),
      last: () => session.go(session.state.line.length),
      undo: () => this.undo(),
      redo: () => session.step(1),
      flip: () => this.flip(),
      clear: () => this.clear(),
      "copy-link": () => void copyLink(),
    };
    for (const [id, act] of Object.entries(clicks)) {
      byId(id).addEventListener("click", () => {
        if (byId(id).getAttribute("aria-disabled") !== "true") act();
      });
    }
    this.api.addEventListener("away", () => (byId("banner").hidden = false));
    this.api.addEventListener("back", () => (byId("banner").hidden = true));
    listenToKeys({
      isActive: () => ["analysis", "play"].includes(session.state.view),
      onColumn: (column) => this.play(column),
      commands: {
        ArrowLeft: clicks.previous,
        ArrowRight: clicks.next,
        Home: clicks.first,
        End: clicks.last,
        u: clicks.undo,
        r: clicks.redo,
        f: clicks.flip,
        c: clicks.clear,
        e: () => byId("toggle-evaluation").click(),
        t: () => byId("toggle-threats").click(),
        h: () => byId("hints").click(),
        s: () => this.setup.open(),
        l: () => byId("think-longer").hidden || byId("think-longer").click(),
        "?": () => this.help.open(),
        " ": () => byId("hidden-note").hidden || byId("show-once").click(),
      },
    });
  }
}

/**
 * A button that cannot be pressed now keeps the focus, so it is not `disabled`.
 * @param {string} id @param {boolean} isDisabled
 */
function setDisabled(id, isDisabled) {
  byId(id).setAttribute("aria-disabled", String(isDisabled));
}

/** When something was announced last. */
let spokenAt = -SPEECH_MS;

/**
 * Tell a screen reader. What follows at once, such as the score after a move, is told with it.
 * @param {string} text
 */
function announce(text) {
  const element = byId("announcement");
  const isSoon = performance.now() - spokenAt < SPEECH_MS;
  element.textContent = isSoon ? `${element.textContent} ${text}` : text;
  spokenAt = performance.now();
}

async function copyLink() {
  const button = byId("copy-link");
  try {
    await navigator.clipboard.writeText(window.location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy it from the address bar";
  }
  setTimeout(() => (button.textContent = "Copy link"), 2000);
}

new Page().start();
