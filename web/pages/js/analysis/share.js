/** The dialog that takes a position or a game away: pictures, moves, a frame for other pages, and the review. */

import { addressWith } from "../api.js";
import { button, byId, local, make } from "../dom.js";
import { boardText } from "../game/position.js";

/** @import {Session} from "../game/session.js" */

const DONE_MS = 2000;

/** @param {Session} session */
export function openShare(session) {
  const { question, state } = session;
  const dialog = byId("share", HTMLDialogElement);
  const line = state.grid === null ? state.line : "";
  const game = { moves: line, board: boardText(state.board) };
  const isGame = line !== "";
  dialog.replaceChildren(
    make("h2", { id: "share-title" }, "Share"),
    part(
      "The position",
      copier("Copy link", "share-link", window.location.href),
      download("PNG", "png", question),
      download("SVG", "svg", question),
    ),
    part(
      "The game",
      isGame && download("GIF", "gif", game),
      isGame && copier("Copy moves", "share-moves", line),
      copier("Copy HTML for a frame", "share-frame", frame()),
    ),
    ...(isGame ? [part("The review", review("CSV", { ...game, format: "csv" }), review("JSON", game))] : []),
    make(
      "div",
      { class: "buttons stays" },
      button("Close", () => dialog.close(), { id: "share-close", class: "main" }),
    ),
  );
  dialog.showModal();
}

/** The HTML that shows the board in another page. */
function frame() {
  const address = new URL(local("/embed"), window.location.href);
  address.search = window.location.search;
  const element = make("iframe", { width: 480, height: 620, title: "Connect Four" });
  element.src = address.href;
  return element.outerHTML;
}

/** @param {string} title @param {...(HTMLElement | false)} actions */
function part(title, ...actions) {
  return make("section", { class: "share-part" }, make("h3", {}, title), make("div", { class: "buttons" }, actions));
}

/** @param {string} text @param {string} kind the suffix of the picture @param {Record<string, string | undefined>} query */
function download(text, kind, query) {
  const href = addressWith(`/api/v1/picture.${kind}`, query);
  return make("a", { class: "plain", id: `share-${kind}`, href, download: `c4.${kind}` }, text);
}

/** @param {string} text @param {Record<string, string>} query */
function review(text, query) {
  const kind = text.toLowerCase();
  const href = addressWith("/api/v1/game", query);
  return make("a", { class: "plain", id: `share-${kind}`, href, download: `c4-review.${kind}` }, text);
}

/** @param {string} name @param {string} id @param {string} text the text to copy */
function copier(name, id, text) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      element.textContent = "Copied";
      setTimeout(() => (element.textContent = name), DONE_MS);
    } catch {
      // The browser does not allow it, so the user copies the text.
      const field = make("input", { id, readonly: true, "aria-label": name });
      field.value = text;
      element.replaceWith(field);
      field.select();
    }
  };
  const element = button(name, () => void copy(), { id });
  return element;
}
