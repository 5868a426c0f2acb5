/**
 * The form that analyses many positions from a file or a text field. They become a job, or are answered at once as
 * a table and a file. The page sends the file without reading it, so its size does not matter here.
 */

import { ApiError } from "../api.js";
import { button, field, make, table, textInput } from "../dom.js";
import { tokenField } from "../storage.js";
import { count, messageOf, outcomeText, signed, whole } from "../words.js";

/** @import {Api} from "../api.js" */
/** @import {Child} from "../dom.js" */
/** @import {BadLine, Job, NewJob, SolvedLine} from "../types.js" */
/** @typedef {{body: BodyInit, type: string}} Content */

/** Maximum number of bad lines that are listed. */
const MOST_NAMED = 5;

/** Maximum number of answers in the table; the file has all. */
const MOST_SHOWN = 50;

/** @type {Record<string, string>} */
const TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  json: "application/x-ndjson",
};

export class Batch {
  #api;
  #announce;
  #onStart;
  /** @type {File | null} */
  #file = null;
  #input = make("input", {
    type: "file",
    name: "file",
    accept: ".txt,.jsonl,.ndjson,.csv,text/plain",
    "data-drop-input": "",
  });
  #text = make("textarea", { name: "positions", rows: 3, spellcheck: "false", placeholder: "4453\n44" });
  #board = textInput("board", "7x6", { size: 5 });
  #label = make("input", { name: "label", autocomplete: "off" });
  #scoreOnly = make("input", { type: "checkbox", name: "score_only" });
  #chosen = make(
    "p",
    { class: "quiet", "data-chosen": "" },
    "One position per line, as moves such as 4453; or JSON Lines, as for c4 solve.",
  );
  #outcome = make("div", { class: "outcome", "data-outcome": "" });
  #buttons = [
    make("button", { type: "submit", class: "main", "data-start": "" }, "Start a job"),
    button("Answer at once", () => this.#answerAtOnce(), { "data-at-once": "" }),
  ];

  /**
   * @param {Api} api @param {(text: string) => void} announce
   * @param {(job: Job) => void} onStart
   */
  constructor(api, announce, onStart) {
    this.#api = api;
    this.#announce = announce;
    this.#onStart = onStart;
    this.#input.addEventListener("change", () => this.#take(this.#input.files?.[0] ?? null));
    this.element = make(
      "form",
      { class: "batch", "aria-labelledby": "batch-title", onsubmit: (event) => this.#submit(event) },
      make("h2", { id: "batch-title" }, "Analyse a file"),
      this.#drop(),
      make("details", {}, make("summary", {}, "Or type positions"), field("Positions, one per line", this.#text)),
      make(
        "div",
        { class: "filter" },
        field("Board", this.#board),
        field("Name of the job", this.#label),
        make("label", { class: "check" }, this.#scoreOnly, " Only the scores of positions, not of columns"),
      ),
      tokenField(api),
      make("div", { class: "buttons" }, this.#buttons),
      this.#outcome,
    );
  }

  #drop() {
    const onOver = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      place.classList.add("over");
    };
    const ondrop = (/** @type {DragEvent} */ event) => {
      event.preventDefault();
      place.classList.remove("over");
      const files = event.dataTransfer?.files;
      if (files === undefined || files.length === 0) return;
      this.#input.files = files; // otherwise the field would say that no file is chosen
      this.#take(files[0]);
    };
    const ondragleave = () => place.classList.remove("over");
    const place = make(
      "div",
      { class: "drop", "data-drop": "", ondragenter: onOver, ondragover: onOver, ondragleave, ondrop },
      field("Drop a file of positions here, or choose one", this.#input),
      this.#chosen,
    );
    return place;
  }

  /** @param {File | null} file */
  #take(file) {
    this.#file = file;
    if (file === null) return;
    this.#chosen.textContent = `${file.name}, ${whole(file.size)} bytes`;
    this.#label.value ||= file.name;
    this.#announce(`${file.name} chosen`);
  }

  /** @returns {Content | null} null if there are no positions */
  #content() {
    if (this.#file !== null) {
      const ending = this.#file.name.split(".").at(-1)?.toLowerCase() ?? "";
      return { body: this.#file, type: TYPES[ending] ?? "text/plain" };
    }
    const typed = this.#text.value.trim();
    return typed === "" ? null : { body: `${typed}\n`, type: "text/plain" };
  }

  /** @param {SubmitEvent} event */
  #submit(event) {
    event.preventDefault();
    const query = {
      board: this.#board.value.trim() || null,
      label: this.#label.value.trim() || null,
      score_only: this.#scoreOnly.checked,
    };
    void this.#send(async (content) => {
      const response = await this.#api.send("/api/v1/jobs", { ...content, query });
      /** @type {NewJob} */
      const job = await response.json();
      this.#say(`Job ${job.id} has started.`);
      if (job.bad_lines !== undefined) this.#warn(job.bad_lines.number, job.bad_lines.first);
      this.#onStart(job);
    });
  }

  #answerAtOnce() {
    const query = { board: this.#board.value.trim() || null, columns: !this.#scoreOnly.checked };
    void this.#send(async (content) => {
      // The page keeps all answers in memory until the last has arrived; a large file should become a job.
      const answers = await (await this.#api.send("/api/v1/batch", { ...content, query })).blob();
      const name = `${this.#label.value.trim() || "positions"}.answers.jsonl`;
      const lines = (await answers.text()).split("\n").filter(Boolean);
      const bad = lines.map((line) => JSON.parse(line)).filter(({ error }) => error !== undefined);
      const attributes = { href: URL.createObjectURL(answers), download: name, "data-answers": "" };
      this.#say(`${count(lines.length, "answer")}: `, make("a", attributes, `Download ${name}`));
      this.#outcome.append(answerTable(lines.slice(0, MOST_SHOWN), lines.length));
      if (bad.length > 0) this.#warn(bad.length, bad.slice(0, MOST_NAMED));
    });
  }

  /** @param {(content: Content) => Promise<void>} send */
  async #send(send) {
    const content = this.#content();
    if (content === null) {
      this.#refuse("There is nothing to analyse: drop a file, or type positions.");
      return;
    }
    for (const each of this.#buttons) each.disabled = true;
    this.#say("Sending …");
    try {
      await send(content);
    } catch (error) {
      const field = error instanceof ApiError && error.field !== null ? `${error.field}: ` : "";
      this.#refuse(field + messageOf(error));
    } finally {
      for (const each of this.#buttons) each.disabled = false;
    }
  }

  /** @param {...Child} parts */
  #say(...parts) {
    this.#outcome.replaceChildren(make("p", {}, ...parts));
    this.#announce(this.#outcome.textContent ?? "");
  }

  /**
   * Name the lines that could not be read.
   * @param {number} number @param {BadLine[]} first
   */
  #warn(number, first) {
    const named = first.map(({ line, error }) => make("li", {}, `Line ${line}: ${error}`));
    if (number > first.length) named.push(make("li", {}, `and ${count(number - first.length, "more line")}`));
    const words = `${count(number, "line is not a position", "lines are not positions")}; the results have an error there:`;
    this.#outcome.append(make("div", { class: "failure", role: "alert", "data-bad": number }, words, make("ul", {}, named)));
  }

  /** @param {string} message */
  #refuse(message) {
    this.#outcome.replaceChildren(make("p", { class: "failure", role: "alert" }, message));
  }
}

/** @param {string[]} lines of JSON @param {number} all the number of all answers */
function answerTable(lines, all) {
  const rows = lines.map((line, index) => {
    /** @type {SolvedLine & {error?: string}} */
    const { moves, score = null, value = null, plies = null, best, error } = JSON.parse(line);
    const result = error ?? outcomeText({ value, plies });
    return [moves ?? `Line ${index + 1}`, error === undefined ? signed(score) : "", result, best?.join(", ")];
  });
  const caption = all > lines.length ? `The first ${lines.length} answers` : "The answers";
  return table(caption, ["Position", { text: "Score", right: true }, "Result", "Best columns"], rows);
}
