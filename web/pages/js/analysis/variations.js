/**
 * The variations of the analysis: lines from the same start, which together are a tree. A line that is left for another
 * one is kept, until it is deleted or another start is set up.
 */

import { recordOf } from "../api.js";
import { button, byId, make, textInput } from "../dom.js";
import { boardText, playLine } from "../game/position.js";
import { keepSetting, readSetting } from "../storage.js";
import { count, messageOf } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Reason, Session} from "../game/session.js" */
/** @typedef {{moves: string, comment: string}} Line */

const SETTING = "variations";
const MOST = 100;

export class Variations {
  #session;
  #api;
  #element = byId("variations", HTMLDetailsElement);
  #summary = make("summary", {});
  #list = make("ol", {});
  #note = make("p", { class: "quiet", role: "status" });
  #file = make("input", { type: "file", accept: ".jsonl", hidden: true });
  /** The board and the position that all lines begin from. */
  #start = "";
  /** All lines; none is the beginning of another one. @type {Line[]} */
  #lines = [];
  #drawn = "";

  /** @param {Session} session @param {Api} api */
  constructor(session, api) {
    this.#session = session;
    this.#api = api;
    const save = button("Save", () => void this.#save(), { id: "variations-save" });
    const open = button("Open a file", () => this.#file.click(), { id: "variations-open" });
    this.#file.addEventListener("change", () => void this.#open());
    const buttons = make("div", { class: "buttons" }, save, open, this.#file);
    this.#element.append(this.#summary, this.#list, buttons, this.#note);
  }

  /** @param {Reason | "load"} why */
  show(why) {
    const { view, board, grid, line } = this.#session.state;
    this.#element.hidden = view !== "analysis";
    if (view !== "analysis") return;
    const start = JSON.stringify([boardText(board), grid]);
    if (start !== this.#start || why === "setup") {
      const stored = readSetting(SETTING, { start: "", lines: /** @type {Line[]} */ ([]) });
      this.#lines = why !== "setup" && stored.start === start ? stored.lines : [];
      this.#start = start;
      this.#element.open = this.#lines.length > 1;
      this.#keep();
    }
    if (line !== "") this.#add({ moves: line, comment: "" });
    this.#draw();
  }

  /** @param {Line} line */
  #add(line) {
    if (this.#lines.some(({ moves }) => moves.startsWith(line.moves))) return;
    const place = this.#lines.findIndex(({ moves }) => line.moves.startsWith(moves));
    if (place >= 0) this.#lines[place] = { ...line, comment: line.comment || this.#lines[place].comment };
    else if (this.#lines.length < MOST) this.#lines.push(line);
    if (place < 0 && this.#lines.length === 2) this.#element.open = true;
    this.#keep();
  }

  #keep() {
    keepSetting(SETTING, { start: this.#start, lines: this.#lines });
  }

  /** @param {Line[]} lines */
  #change(lines) {
    this.#lines = lines;
    this.#keep();
    this.#draw();
  }

  #draw() {
    const { line } = this.#session.state;
    this.#summary.textContent = `Variations: ${this.#lines.length}`;
    const wanted = JSON.stringify([this.#start, this.#lines.map(({ moves }) => moves), line]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;
    this.#list.replaceChildren(...this.#lines.map((one, index) => this.#row(one, index)));
  }

  /** @param {Line} one @param {number} index */
  #row(one, index) {
    const { line } = this.#session.state;
    const isShown = line !== "" && one.moves.startsWith(line);
    const shared = [...one.moves].findIndex((move, place) => move !== line[place]);
    const show = button(one.moves, () => this.#session.follow(one.moves, Math.max(0, shared) + 1), {
      class: "plain variation",
      "aria-current": isShown ? "true" : null,
    });
    const comment = textInput("comment", one.comment, { "aria-label": `Comment on ${one.moves}`, placeholder: "Comment" });
    comment.addEventListener("change", () => {
      one.comment = comment.value;
      this.#keep();
    });
    const others = () => this.#lines.filter((other) => other !== one);
    const promote = button("↑", () => this.#change([one, ...others()]), { "aria-label": `Move ${one.moves} to the top` });
    const remove = button("✕", () => this.#change(others()), { "aria-label": `Delete ${one.moves}` });
    return make("li", {}, show, index > 0 && promote, !isShown && remove, comment);
  }

  /** Save all lines as a file of games, with the comments as details. */
  async #save() {
    const start = this.#session.positions[0];
    try {
      const lines = await Promise.all(
        this.#lines.map(async ({ moves, comment }) => {
          const record = await recordOf(this.#api, start, moves);
          const isOver = playLine(start, moves).positions.at(-1)?.isOver;
          const ending = isOver ? undefined : "unfinished";
          return `${JSON.stringify({ ...record, ending, detail: comment || undefined })}\n`;
        }),
      );
      const href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
      make("a", { href, download: "variations.jsonl" }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60_000);
    } catch (error) {
      this.#note.textContent = messageOf(error);
    }
  }

  /** Add the lines of a file that begin from the same position. */
  async #open() {
    const text = (await this.#file.files?.[0]?.text()) ?? "";
    this.#file.value = "";
    const [first] = this.#session.positions;
    const { start = "", board } = await recordOf(this.#api, first, "");
    let added = 0;
    for (const row of text.split("\n")) {
      try {
        const game = JSON.parse(row);
        const isHere = (game.board ?? board) === board && String(game.start ?? "") === start;
        if (!isHere || playLine(first, game.moves).error !== null) continue;
        this.#add({ moves: game.moves, comment: String(game.detail ?? "") });
        added += 1;
      } catch {
        // Not a line of a game file.
      }
    }
    this.#note.textContent = `${count(added, "line")} from this position found in the file.`;
    this.#draw();
  }
}
