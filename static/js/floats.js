// Menus and definitions are <details class="float">: only one is open, Escape or a click outside closes it, and it stays on the screen.
(() => {
  const open = () => document.querySelectorAll("details.float[open]");

  document.addEventListener(
    "toggle",
    (event) => {
      const details = event.target;
      if (!(details instanceof HTMLDetailsElement) || !details.matches(".float") || !details.open) return;
      for (const other of open()) if (other !== details && !other.contains(details)) other.open = false;
      const panel = details.querySelector(".float__panel");
      if (panel && panel.getBoundingClientRect().right > document.documentElement.clientWidth) details.classList.add("float--end");
    },
    true, // toggle does not bubble
  );

  document.addEventListener("click", (event) => {
    for (const details of open()) if (!details.contains(event.target)) details.open = false;
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const details of open()) {
      details.open = false;
      details.querySelector("summary").focus();
    }
  });
})();
