/** The field for the server's token. */

import { field, make, textInput } from "./dom.js";
import { keepToken, readToken } from "./storage.js";

/** @import {Api} from "./api.js" */

/**
 * Make the field, which is hidden until the server asks for its token.
 * @param {Api} api @returns {HTMLElement}
 */
export function tokenField(api) {
  const input = textInput("token", readToken(), { type: "password" });
  const place = make("div", { class: "token", hidden: true }, field("Token of this server", input));
  input.addEventListener("input", () => keepToken(input.value));
  api.addEventListener("token", () => {
    place.hidden = false;
    if (place.checkVisibility()) input.focus();
  });
  return place;
}
