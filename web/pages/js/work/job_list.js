/** All jobs, the newest first, kept up to date while the page is seen. */

import { make } from "../dom.js";
import { choice, field } from "../explore/parts.js";
import { given } from "../explore/requests.js";
import { JobCard } from "./job_card.js";
import { Live } from "./live.js";

/** How often the list is looked at: what is live comes by events. */
const LOOK_MS = 4000;
const PAGE_JOBS = 30;
const STATES = ["", "running", "waiting", "queued", "interrupted", "done", "failed", "cancelled"].map(
  (state) => [state, state || "all"],
);
const MOVING = new Set(["planning", "running", "waiting", "queued", "interrupted"]);

export class JobList {
  /**
   * @param {import("../api.js").Api} api
   * @param {(text: string) => void} announce
   */
  constructor(api, announce) {
    this.api = api;
    this.announce = announce;
    /** @type {Map<number, JobCard>} */
    this.cards = new Map();
    this.live = new Live((id, progress, hasEnded) => this.progressed(id, progress, hasEnded));
    this.pages = 1;
    this.state = choice("state", STATES, "");
    this.state.addEventListener("change", () => this.refresh());
    this.list = make("ul", { class: "jobs", "data-jobs": "" });
    this.note = make("p", { class: "quiet" }, "Asking for the jobs …");
    this.more = make(
      "button",
      { type: "button", class: "plain", hidden: true, onclick: () => this.showMore() },
      "Show older jobs",
    );
    this.element = make(
      "section",
      { "aria-labelledby": "jobs-title" },
      make(
        "div",
        { class: "head" },
        make("h2", { id: "jobs-title" }, "Jobs"),
        field("State", this.state),
      ),
      this.note,
      this.list,
      this.more,
    );
    api.addEventListener("back", () => this.timer && this.refresh());
  }

  /** Keep up to date, or stop. @param {boolean} isSeen */
  follow(isSeen) {
    clearInterval(this.timer);
    this.timer = isSeen ? setInterval(() => this.refresh(), LOOK_MS) : null;
    if (isSeen) this.refresh();
    else this.live.follow([]);
  }

  showMore() {
    this.pages += 1;
    this.refresh();
  }

  /** Look at the list. @param {number} [wanted] the job to point at. */
  async refresh(wanted = this.chosen()) {
    try {
      const { jobs, next } = await this.api.get(
        "/api/v1/jobs",
        given({ state: this.state.value, limit: PAGE_JOBS * this.pages }),
      );
      this.more.hidden = !next;
      this.show(jobs, wanted);
    } catch (error) {
      // With jobs on the page they stay; the banner at the top says that the server is away.
      if (!this.cards.size) this.say(error.message);
    }
  }

  /** The job that the address names; it is shown even where the list does not reach. */
  chosen() {
    return Number(new URLSearchParams(location.search).get("job")) || null;
  }

  async show(jobs, wanted) {
    if (wanted && !jobs.some((job) => job.id === wanted) && !this.state.value) {
      const found = await this.api.get(`/api/v1/jobs/${wanted}`).catch(() => null);
      if (found) jobs = [found, ...jobs];
    }
    const seen = new Set(jobs.map((job) => job.id));
    for (const id of [...this.cards.keys()].filter((known) => !seen.has(known))) this.remove(id);
    jobs.forEach((job, place) => this.place(job, place, job.id === wanted));
    this.say(
      jobs.length
        ? ""
        : this.state.value
          ? `No job is ${this.state.value}.`
          : "There are no jobs yet.",
    );
    if (this.timer)
      this.live.follow(jobs.filter((job) => MOVING.has(job.state)).map((job) => job.id));
  }

  place(job, place, isChosen) {
    let card = this.cards.get(job.id);
    if (!card) {
      card = new JobCard(job, this.api, () => this.refresh());
      this.cards.set(job.id, card);
    } else {
      card.show(job);
    }
    card.element.classList.toggle("chosen", isChosen);
    // Moving an element that is where it belongs would take the focus from what is in it.
    if (this.list.children[place] !== card.element)
      this.list.insertBefore(card.element, this.list.children[place] ?? null);
  }

  remove(id) {
    this.cards.get(id).element.remove();
    this.cards.delete(id);
  }

  progressed(id, progress, hasEnded) {
    this.cards.get(id)?.progress(progress);
    if (!hasEnded) return;
    this.announce(`Job ${id} is ${progress.state}`);
    this.refresh();
  }

  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
  }
}
