/** Who works: this server's own threads, the workers of other machines, and what waits for them. */

import { make } from "../dom.js";
import { facts, table } from "../explore/parts.js";
import { count, duration, whole } from "../explore/wording.js";

const LOOK_MS = 5000;

export class Workers {
  /** @param {import("../api.js").Api} api */
  constructor(api) {
    this.api = api;
    this.content = make(
      "div",
      { "data-workers": "" },
      make("p", { class: "quiet" }, "Asking who works …"),
    );
    this.element = make(
      "section",
      { "aria-labelledby": "workers-title" },
      make("h2", { id: "workers-title" }, "Workers"),
      this.content,
    );
  }

  /** Keep up to date, or stop. @param {boolean} isSeen */
  follow(isSeen) {
    clearInterval(this.timer);
    this.timer = isSeen ? setInterval(() => this.refresh(), LOOK_MS) : null;
    if (isSeen) this.refresh();
  }

  async refresh() {
    try {
      const found = await this.api.get("/api/v1/workers");
      this.content.replaceChildren(totals(found), ...machines(found.workers ?? []));
    } catch (error) {
      this.content.replaceChildren(make("p", { class: "quiet" }, error.message));
    }
  }
}

function totals({ status = {}, server = {} }) {
  const own = server.jobs ?? [];
  const rest = status.eta_seconds;
  return facts([
    ["This server", own.length ? `works on ${own.map((id) => `job ${id}`).join(", ")}` : "idle"],
    ["Its threads", server.threads === undefined ? null : whole(server.threads)],
    [
      "Waiting",
      status.queued_positions === undefined ? null : count(status.queued_positions, "position"),
    ],
    [
      "Being worked on",
      status.running_positions === undefined ? null : count(status.running_positions, "position"),
    ],
    ["Failed", status.failed_units ? count(status.failed_units, "unit") : null],
    [
      "Pace",
      status.positions_per_second
        ? `${whole(status.positions_per_second)} positions a second`
        : null,
    ],
    ["Remaining", rest ? duration(rest) : null],
  ]);
}

function machines(workers) {
  if (!workers.length) return [make("p", { class: "quiet" }, "No c4 worker is running.")];
  const rows = workers.map((worker) => [
    worker.name,
    worker.host,
    worker.threads,
    whole(worker.positions_done),
    worker.nodes_per_second ? whole(worker.nodes_per_second) : "–",
    worker.note ?? "",
  ]);
  return [
    table(
      "Workers alive",
      [
        "Worker",
        "Host",
        { text: "Threads", right: true },
        { text: "Positions", right: true },
        { text: "Nodes a second", right: true },
        "Note",
      ],
      rows,
      { hidden: true },
    ),
  ];
}
