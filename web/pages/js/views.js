/** The views: which one is shown, and the explorer and the work, which come when first asked for. */

import { byId, make } from "./dom.js";
import { addressOf } from "./game/state.js";

/** @typedef {import("./game/state.js").View} View */

const TITLES = Object.freeze({ analysis: "Analysis", play: "Play", explore: "Explorer", work: "Work" });

export class Views {
  /**
   * @param {import("./game/session.js").Session} session
   * @param {import("./api.js").Api} api
   */
  constructor(session, api) {
    this.session = session;
    this.api = api;
    /** @type {Set<string>} */
    this.mounted = new Set();
    /** The board as it was left, for whoever comes back from another view. */
    this.left = session.state;
    byId("tabs").addEventListener("click", (event) => this.#click(event));
  }

  /** @param {string} why */
  show(why) {
    const { view } = this.session.state;
    document.body.dataset.view = view;
    byId("title").textContent = TITLES[view];
    byId("table").hidden = view === "explore" || view === "work";
    byId("explore").hidden = view !== "explore";
    byId("work").hidden = view !== "work";
    for (const link of byId("tabs").querySelectorAll("a")) {
      if (link.dataset.view === view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (view !== "explore" && view !== "work") {
      this.left = this.session.state;
      return;
    }
    document.title = `${TITLES[view]} · C4`;
    if (!this.mounted.has(view)) void this.#mount(view);
    else if (why === "address") byId(view).dispatchEvent(new CustomEvent("c4:show"));
  }

  /**
   * Go to an address of the page without loading it anew.
   * @param {string} address such as `/?pos=4453` or `/explore?match=3`
   */
  navigate(address) {
    window.history.pushState(null, "", address);
    this.session.readAddress();
    window.scrollTo(0, 0);
  }

  /** @param {"explore" | "work"} view */
  async #mount(view) {
    this.mounted.add(view);
    const element = byId(view);
    try {
      const { mount } = await import(`./${view}/view.js`);
      await mount(element, { api: this.api, navigate: (/** @type {string} */ address) => this.navigate(address) });
    } catch (error) {
      // It may only be that the server is away: the next visit tries again.
      this.mounted.delete(view);
      console.error(error);
      element.replaceChildren(make("p", { class: "failure" }, "This view could not be loaded."));
    }
  }

  /**
   * Analysis and play share the board: what stands on it stays.
   * @param {MouseEvent} event
   */
  #click(event) {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const view = /** @type {View} */ (link.dataset.view);
    if (view === this.session.state.view) return;
    const reviewed = view === "play" ? { review: null, stored: null } : {};
    this.navigate(addressOf({ ...this.left, view, ...reviewed }));
  }
}
