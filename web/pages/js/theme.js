/* The theme: dark or light as in the system's settings, until the user chooses. The script is in the head and not a
   module, so that the page is never drawn in the wrong colours. */

(() => {
  const NAME = "c4.theme";
  const root = document.documentElement;
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  const chosen = () => {
    try {
      return localStorage.getItem(NAME);
    } catch {
      return root.dataset.chosen ?? null;
    }
  };

  const apply = () => {
    const choice = chosen();
    const isDark = choice === null ? system.matches : choice === "dark";
    root.dataset.theme = isDark ? "dark" : "light";
    document.querySelector('meta[name="theme-color"]')?.setAttribute("content", isDark ? "#12151c" : "#f6f4ef");
    document.getElementById("theme")?.setAttribute("aria-pressed", String(isDark));
  };

  const toggle = () => {
    const next = root.dataset.theme === "dark" ? "light" : "dark";
    root.dataset.chosen = next;
    try {
      localStorage.setItem(NAME, next);
    } catch {
      // Without storage the choice lasts until the page is closed.
    }
    apply();
  };

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme")?.addEventListener("click", toggle);
  });
})();
