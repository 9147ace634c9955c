// Colours: as the system has them, light, or dark. Loaded in the head without defer, so that no page flashes in the wrong colours.
(() => {
  const KEY = "plumbline-theme";
  const ORDER = ["auto", "light", "dark"];
  const root = document.documentElement;

  const read = () => {
    try {
      const kept = localStorage.getItem(KEY);
      return ORDER.includes(kept) ? kept : "auto";
    } catch {
      return "auto"; // storage may be closed to us; the system's choice then stands
    }
  };

  const keep = (theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      return; // the choice then lasts as long as the page
    }
  };

  const show = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of document.querySelectorAll("[data-theme-switch]")) {
      const next = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
      button.hidden = false;
      button.dataset.themeSwitch = theme;
      button.setAttribute("aria-label", `Colours: ${theme}. Change to ${next}`);
      button.title = `Colours: ${theme}`;
    }
  };

  let theme = read();
  show(theme);
  document.addEventListener("DOMContentLoaded", () => show(theme));
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-theme-switch]")) return;
    theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
    keep(theme);
    show(theme);
  });
})();
