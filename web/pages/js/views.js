/**
 * The registry of views, which determines the tabs and sections. Two views share the board; each of the others has its
 * own section, which its module fills when the view is first shown.
 */

import { byId, local, make, setAttribute } from "./dom.js";

/** @import {Api} from "./api.js" */
/** @import {Reason, Session} from "./game/session.js" */
/** @typedef {"analysis" | "play" | "puzzles" | "explore" | "work"} View */
/** @typedef {{mount: (section: HTMLElement, api: Api) => void}} Module the module of a view */

/**
 * The views in the order of the tabs. web/app.py lists the paths for which the server sends the page.
 * @type {Readonly<Record<View, {title: string, address: string}>>}
 */
export const VIEWS = Object.freeze({
  analysis: { title: "Analysis", address: local("/") },
  play: { title: "Play", address: local("/?view=play") },
  puzzles: { title: "Puzzles", address: local("/puzzles") },
  explore: { title: "Explorer", address: local("/explore") },
  work: { title: "Work", address: local("/work") },
});

const NAMES = /** @type {View[]} */ (Object.keys(VIEWS));

/**
 * Whether a view shows the shared board.
 * @param {View} view @returns {boolean}
 */
export function hasBoard(view) {
  return view === "analysis" || view === "play";
}

/**
 * The view of an address; the first view by default.
 * @param {URL} url @returns {View}
 */
export function viewAt(url) {
  const view = url.searchParams.get("view");
  const isBoard = url.pathname === VIEWS.analysis.address;
  const address = isBoard && view !== null ? local(`/?view=${view}`) : url.pathname;
  return NAMES.find((name) => VIEWS[name].address === address) ?? NAMES[0];
}

/** The tabs and the sections. */
export class Views {
  #session;
  #api;
  #load;
  /** @type {Map<View, HTMLElement>} */
  #sections = new Map();
  /** @type {Set<View>} */
  #mounted = new Set();

  /** @param {Session} session @param {Api} api @param {(view: View) => Promise<Module>} load */
  constructor(session, api, load) {
    this.#session = session;
    this.#api = api;
    this.#load = load;
    for (const view of NAMES) {
      const { title, address } = VIEWS[view];
      byId("tabs").append(make("a", { href: address, "data-view": view }, title));
      if (!hasBoard(view)) this.#sections.set(view, make("section", { id: view, hidden: true }));
    }
    byId("main").append(...this.#sections.values());
    byId("tabs").addEventListener("click", (event) => this.#click(event));
  }

  /** @param {Reason} why */
  show(why) {
    const { view } = this.#session.state;
    const { title } = VIEWS[view];
    document.body.dataset.view = view;
    byId("title").textContent = title;
    byId("table").hidden = !hasBoard(view);
    for (const link of byId("tabs").querySelectorAll("a")) {
      setAttribute(link, "aria-current", link.dataset.view === view ? "page" : null);
    }
    for (const [name, section] of this.#sections) section.hidden = name !== view;
    const section = this.#sections.get(view);
    if (section === undefined) return;
    document.title = `${title} · C4`;
    if (!this.#mounted.has(view)) void this.#mount(view, section);
    else if (why === "address") section.dispatchEvent(new CustomEvent("c4:show"));
  }

  /** @param {View} view @param {HTMLElement} section */
  async #mount(view, section) {
    this.#mounted.add(view);
    try {
      (await this.#load(view)).mount(section, this.#api);
    } catch (error) {
      // The server may be away; the next visit tries again.
      this.#mounted.delete(view);
      console.error(error);
      section.replaceChildren(make("p", { class: "failure" }, "This view could not be loaded. Load the page again."));
    }
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const view = /** @type {View} */ (link.dataset.view);
    if (view !== this.#session.state.view) this.#session.show(view);
  }
}
