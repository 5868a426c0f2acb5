/** The page: the session, the board, the moves, the views, the controls, the keys and the help. */

import { Analysis } from "./analysis/analysis.js";
import { Analyst } from "./analysis/analyst.js";
import { Lesson } from "./analysis/lesson.js";
import { Review } from "./analysis/review.js";
import { Variations } from "./analysis/variations.js";
import { Api } from "./api.js";
import { Board } from "./board/board.js";
import { Columns } from "./board/columns.js";
import { button, byId, isTaken, isTyped, keepFocus, make } from "./dom.js";
import { NAMES, boardText, columnNumber } from "./game/position.js";
import { Session } from "./game/session.js";
import { Play } from "./play/view.js";
import { Views, hasBoard } from "./views.js";

/** @import {SetupDialog} from "./analysis/setup.js" */
/** @import {Reason} from "./game/session.js" */

/** Maximum number of columns that fit side by side on a phone. */
const WIDEST = 12;

/** Announcements within this time are joined. */
const SPEECH_MS = 700;

const KEYS = [
  ["1 … 9, then a …", "play a column (from the tenth column: Shift and its letter)"],
  ["← →", "previous and next move"],
  ["Home End", "first and last position"],
  ["u", "undo, in a game"],
  ["e", "evaluation on and off"],
  ["Space", "show a hidden evaluation"],
  ["t", "threats on and off"],
  ["h", "hints on and off, in a game"],
  ["f", "flip left and right"],
  ["c", "clear the board"],
  ["s", "set up a position; Ctrl+V: the copied moves or grid"],
  ["l", "think longer"],
  ["n p", "next and previous mistake, in a review; next puzzle, after an answer"],
  ["?", "this help"],
];

const SIGNS = [
  ["+3", "The side to move wins; larger numbers are earlier wins."],
  ["0", "A draw."],
  ["\u22122", "The side to move loses; numbers nearer to 0 are later losses."],
  ["▲", "A best column; a dashed ring on the board."],
  ["✕ ✓", "On the board, in a review: the move that was played, and a better one."],
  ["○ ●", "Threats on the board: where Red (ring) and Yellow (dot) would complete four."],
  ["c3", "A square: the third column from the left, the third row from below. A threat is odd or even by its row."],
  ["?? ? !", "In a review: a move that gave the result away, a move that was not the best, the only good move."],
  ["● ○ ◇", "The marks of moves in the graph of a review."],
];

const SCORES = "Every score is exact: the result of the column if both sides then play perfectly.";

class App {
  #api = new Api();
  #session = new Session();
  #analyst = new Analyst(this.#api);
  #board = new Board({ onPlay: (column) => this.#play(column) });
  #columns = new Columns(byId("columns"), byId("outcome"), (column) => this.#play(column));
  #analysis = new Analysis(this.#session, this.#analyst, () => this.#draw(), announce);
  /** @type {Review} */
  #review = new Review(this.#session, this.#api, () => this.#draw(), (index) => this.#lesson.open(index));
  #lesson = new Lesson(this.#session, this.#review, () => this.#draw());
  #game = new Play(this.#session, this.#api, {
    onReview: () => this.#review.open(),
    onChange: () => this.#draw(),
    announce,
  });
  #variations = new Variations(this.#session, this.#api);
  /** The dialog that sets up a position, loaded when it is first opened. @type {SetupDialog | null} */
  #setup = null;
  #views = new Views(this.#session, this.#api, (view) => import(`./${view}/view.js`));

  start() {
    byId("board").append(this.#board.element);
    fillHelp();
    nameButtons();
    keepFocus();
    this.#listen();
    this.#session.readAddress("load");
    if (this.#session.unread !== null) void this.#openSetup(this.#session.unread);
  }

  /** @param {number} column */
  #play(column) {
    const { position, state } = this.#session;
    if (this.#lesson.judge(column)) return;
    if (state.view === "play") this.#game.play(column);
    else if (this.#session.play(column)) announce(`${NAMES[position.side]} played column ${column}.`);
  }

  /** @param {Reason} [why] */
  #draw(why = "change") {
    const session = this.#session;
    const { state, position } = session;
    this.#views.show(why);
    if (!hasBoard(state.view)) {
      this.#analyst.rest();
      return;
    }
    const isPlay = state.view === "play";
    byId("embedded").hidden = !document.body.classList.contains("embed");
    this.#analysis.hasHints = this.#game.hasHints;
    this.#analysis.isHidden = this.#lesson.isTrying;
    const isPlayable = !isPlay || this.#game.isPersons;
    const answer = position.isOver ? null : this.#analysis.answer;
    const hasThreats = byId("toggle-threats").matches(":checked") && (!isPlay || this.#game.hasHints);
    this.#board.show(position, {
      flipped: state.flipped,
      threats: hasThreats ? position.threats() : null,
      best: isPlayable ? (answer?.best ?? []) : [],
      ...this.#lesson.marks,
      isPlayable,
    });
    byId("table").style.setProperty("--wide", String(position.size.width));
    byId("table").style.setProperty("--high", String(position.size.height));
    byId("table").classList.toggle("is-wide", position.size.width > WIDEST);
    this.#columns.show(position, { flipped: state.flipped, answer, isPlayable, isBare: !this.#analysis.isShown });
    byId("embedded").querySelector("a")?.setAttribute("href", `./${window.location.search}`);
    this.#review.show();
    this.#lesson.show();
    byId("reason").hidden = this.#lesson.marks !== null;
    byId("open-review").hidden = isPlay || state.review !== null || state.line === "";
    this.#variations.show(why, this.#review.marks);
    this.#showControls();
    this.#analysis.show();
    this.#game.show(why);
  }

  #showControls() {
    const { state, isAtEnd, moves } = this.#session;
    // Not `disabled`, because a disabled button loses the focus.
    for (const id of ["first", "previous", "undo"]) byId(id).setAttribute("aria-disabled", String(state.shown === 0));
    for (const id of ["last", "next"]) byId(id).setAttribute("aria-disabled", String(isAtEnd));
    byId("undo").hidden = state.view !== "play";
    byId("flip").setAttribute("aria-pressed", String(state.flipped));
    document.title = `${moves === "" ? "" : `${moves} · `}${boardText(state.board)} · C4 ${state.view}`;
  }

  #undo() {
    if (this.#session.state.view === "play" && this.#session.state.shown > 0) this.#game.undo();
  }

  #clear() {
    this.#game.stop();
    this.#session.setUp({});
  }

  /** @param {string | null} pasted a text to set up */
  #openSetup(pasted = null) {
    return later("open-setup", async () => {
      const { SetupDialog } = await import("./analysis/setup.js");
      this.#setup ??= new SetupDialog(this.#session, this.#api);
      if (pasted === null) this.#setup.open();
      else this.#setup.paste(pasted);
    });
  }

  #share() {
    return later("open-share", async () => (await import("./analysis/share.js")).openShare(this.#session));
  }

  #flip() {
    this.#session.change({ flipped: !this.#session.state.flipped }, { isStep: true });
  }

  #listen() {
    const session = this.#session;
    session.addEventListener("change", (event) => this.#draw(/** @type {CustomEvent} */ (event).detail.why));
    const clicks = {
      first: () => session.go(0),
      previous: () => session.step(-1),
      next: () => session.step(1),
      last: () => session.go(session.state.line.length),
      undo: () => this.#undo(),
      flip: () => this.#flip(),
      clear: () => this.#clear(),
      "open-setup": () => void this.#openSetup(),
      "open-share": () => void this.#share(),
    };
    for (const [id, act] of Object.entries(clicks)) {
      byId(id).addEventListener("click", () => {
        if (byId(id).getAttribute("aria-disabled") !== "true") act();
      });
    }
    this.#api.addEventListener("away", () => (byId("banner").hidden = false));
    this.#api.addEventListener("back", () => (byId("banner").hidden = true));
    /** @type {Record<string, () => void>} */
    const commands = {
      ArrowLeft: clicks.previous,
      ArrowRight: clicks.next,
      Home: clicks.first,
      End: clicks.last,
      n: () => this.#lesson.step(1),
      p: () => this.#lesson.step(-1),
      u: clicks.undo,
      f: clicks.flip,
      c: clicks.clear,
      e: () => byId("toggle-evaluation").click(),
      t: () => byId("toggle-threats").click(),
      h: () => byId("hints").click(),
      s: () => void this.#openSetup(),
      l: () => byId("think-longer").hidden || byId("think-longer").click(),
      "?": () => byId("help", HTMLDialogElement).showModal(),
      " ": () => byId("hidden-note").hidden || byId("show-once").click(),
    };
    document.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain").trim() ?? "";
      if (!hasBoard(session.state.view) || isTyped(event.target) || text === "") return;
      event.preventDefault();
      void this.#openSetup(text);
    });
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      if (!hasBoard(session.state.view) || isTaken(event)) return;
      const command = commands[event.key];
      if (command !== undefined) command();
      else if (/^[1-9A-Z]$/.test(event.key)) this.#play(columnNumber(event.key, session.position.size.width));
      else return;
      event.preventDefault();
    });
  }
}

/** The time of the last announcement. */
let announcedAt = -SPEECH_MS;

/**
 * Announce a text to screen readers. A text that follows soon, such as the score after a move, is appended.
 * @param {string} text
 */
function announce(text) {
  const element = byId("announcement");
  const isSoon = performance.now() - announcedAt < SPEECH_MS;
  element.textContent = isSoon ? `${element.textContent} ${text}` : text;
  announcedAt = performance.now();
}

/**
 * Open what another script contains.
 * @param {string} id of the button, which reports a script that cannot be loaded @param {() => Promise<void>} open
 */
async function later(id, open) {
  try {
    await open();
  } catch (error) {
    console.error(error);
    byId(id).textContent = "Load the page again";
  }
}

/** Give the buttons that show a picture a tooltip with their name and key. */
function nameButtons() {
  for (const each of document.querySelectorAll("button[aria-label], [aria-keyshortcuts]")) {
    const key = each.getAttribute("aria-keyshortcuts");
    const name = each.getAttribute("aria-label") ?? (each.closest("label") ?? each).textContent?.trim();
    /** @type {HTMLElement} */ (each.closest("label") ?? each).title = key === null ? `${name}` : `${name} (${key})`;
  }
}

function fillHelp() {
  const dialog = byId("help", HTMLDialogElement);
  /** @param {string[][]} rows @param {"kbd" | "b"} tag */
  const list = (rows, tag) =>
    make(
      "dl",
      { class: "keys" },
      rows.map(([name, meaning]) => make("div", {}, make("dt", {}, make(tag, {}, name)), make("dd", {}, meaning))),
    );
  dialog.append(
    // If the button at the end had the focus, a scrolling dialog would open at its end.
    make("h2", { id: "help-title", tabindex: -1, autofocus: true }, "Keys and signs"),
    list(KEYS, "kbd"),
    list(SIGNS, "b"),
    make("p", { class: "quiet" }, SCORES),
    make(
      "div",
      { class: "buttons stays" },
      button("Close", () => dialog.close(), { id: "help-close", class: "main" }),
    ),
  );
  byId("open-help").addEventListener("click", () => dialog.showModal());
}

new App().start();
