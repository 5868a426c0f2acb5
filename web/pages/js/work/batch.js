/**
 * Starting a batch: a file is dropped or chosen, or positions are typed, and become a job, or are
 * answered at once as a file to keep.
 *
 * The file itself is what is sent. It is not read here, so its size does not matter to the page.
 */

import { make } from "../dom.js";
import { field } from "../explore/parts.js";
import { address } from "../explore/requests.js";
import { count, whole } from "../explore/wording.js";
import { token } from "./token.js";

const TYPES = {
  csv: "text/csv",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
  json: "application/x-ndjson",
};

/** The form and the place to drop a file. */
export class Batch {
  /**
   * @param {(text: string) => void} announce
   * @param {(job: any) => void} begun told of a job that was made.
   */
  constructor(announce, begun) {
    this.announce = announce;
    this.begun = begun;
    this.file = null;
    this.input = make("input", {
      type: "file",
      name: "file",
      accept: ".txt,.jsonl,.ndjson,.csv,text/plain",
      "data-drop-input": "",
    });
    this.input.addEventListener("change", () => this.take(this.input.files[0] ?? null));
    this.text = make("textarea", {
      name: "positions",
      rows: 3,
      spellcheck: "false",
      placeholder: "4453\n44",
    });
    this.board = make("input", {
      name: "board",
      value: "7x6",
      size: 5,
      autocomplete: "off",
      spellcheck: "false",
    });
    this.label = make("input", { name: "label", autocomplete: "off" });
    this.scoreOnly = make("input", { type: "checkbox", name: "score_only" });
    this.chosen = make(
      "p",
      { class: "quiet", "data-chosen": "" },
      "A position a line, as moves such as 4453; or JSON Lines, as c4 solve reads them.",
    );
    this.outcome = make("div", { class: "outcome", "data-outcome": "" });
    this.buttons = [
      make("button", { type: "submit", class: "main", "data-start": "" }, "Start a job"),
      make(
        "button",
        {
          type: "button",
          class: "plain",
          "data-at-once": "",
          onclick: () => this.answerAtOnce(),
        },
        "Answer at once",
      ),
    ];
    this.element = this.form();
  }

  form() {
    const drop = make(
      "div",
      { class: "drop", "data-drop": "" },
      field("Drop a file of positions here, or choose one", this.input),
      this.chosen,
    );
    for (const name of ["dragenter", "dragover"]) {
      drop.addEventListener(name, (event) => {
        event.preventDefault();
        drop.classList.add("over");
      });
    }
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      if (event.dataTransfer.files.length === 0) return;
      this.input.files = event.dataTransfer.files; // or the field would say that there is none
      this.take(this.input.files[0]);
    });
    const start = (event) => {
      event.preventDefault();
      this.start();
    };
    return make(
      "form",
      { class: "batch", "aria-labelledby": "batch-title", onsubmit: start },
      make("h2", { id: "batch-title" }, "Analyse a file"),
      drop,
      make(
        "details",
        {},
        make("summary", {}, "Or type positions"),
        field("Positions, one a line", this.text),
      ),
      make(
        "div",
        { class: "filter" },
        field("Board", this.board),
        field("Name of the job", this.label),
        make(
          "label",
          { class: "check" },
          this.scoreOnly,
          " Scores of positions only, not of columns",
        ),
      ),
      token.element,
      make("div", { class: "buttons" }, this.buttons),
      this.outcome,
    );
  }

  /** @param {File|null} file */
  take(file) {
    this.file = file;
    if (!file) return;
    this.chosen.textContent = `${file.name}, ${whole(file.size)} bytes`;
    this.label.value ||= file.name;
    this.announce(`${file.name} chosen`);
  }

  /** What is to be sent, and as what; null where there is nothing. */
  content() {
    if (this.file) {
      const ending = this.file.name.split(".").pop().toLowerCase();
      return { body: this.file, type: TYPES[ending] ?? "text/plain" };
    }
    const typed = this.text.value.trim();
    return typed ? { body: `${typed}\n`, type: "text/plain" } : null;
  }

  async start() {
    await this.sending(async (content) => {
      const url = address("/api/v1/jobs", {
        board: this.board.value.trim(),
        label: this.label.value.trim(),
        score_only: this.scoreOnly.checked,
      });
      const job = await (await token.post(url, content)).json();
      this.say(`Job ${job.id} has begun.`);
      this.begun(job);
    });
  }

  async answerAtOnce() {
    await this.sending(async (content) => {
      const url = address("/api/v1/batch", {
        board: this.board.value.trim(),
        columns: !this.scoreOnly.checked,
      });
      // A job is what a large file is for: these answers are held until the last has come.
      const answers = await (await token.post(url, content)).blob();
      const name = `${this.label.value.trim() || "positions"}.answers.jsonl`;
      const lines = (await answers.text()).split("\n").filter(Boolean).length;
      const link = make(
        "a",
        { href: URL.createObjectURL(answers), download: name, "data-answers": "" },
        `Download ${name}`,
      );
      this.say(`${count(lines, "answer")}: `, link);
    });
  }

  async sending(send) {
    const content = this.content();
    if (!content) {
      this.refuse("There is nothing to analyse: drop a file, or type positions.");
      return;
    }
    this.buttons.forEach((button) => {
      button.disabled = true;
    });
    this.say("Sending …");
    try {
      await send(content);
    } catch (error) {
      this.refuse(error.field ? `${error.field}: ${error.message}` : error.message);
    } finally {
      this.buttons.forEach((button) => {
        button.disabled = false;
      });
    }
  }

  say(...parts) {
    this.outcome.replaceChildren(make("p", {}, ...parts));
    this.announce(this.outcome.textContent);
  }

  refuse(message) {
    this.outcome.replaceChildren(make("p", { class: "failure", role: "alert" }, message));
  }
}
