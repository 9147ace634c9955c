// Single keys: the element with data-key="x" is pressed when x is. None while typing, with a modifier, on repeat, or over an open dialog;
// and all of them can be turned off (screen readers and speech input use single keys themselves).
(() => {
  const STORE = "plumbline-keys";
  let on = true;
  try {
    on = localStorage.getItem(STORE) !== "off";
  } catch {
    on = true; // storage may be closed to us; keys are then on
  }

  const typing = (target) =>
    target.isContentEditable ||
    target.matches("textarea, select, input:not([type=radio], [type=checkbox], [type=button], [type=submit])");

  // Digits by their place on the keyboard too: on French keyboards the digit row gives other signs.
  const name = (event) => {
    const digit = !event.shiftKey && /^(?:Digit|Numpad)(\d)$/.exec(event.code);
    return digit ? digit[1] : event.key.toLowerCase();
  };

  const press = (element) => {
    element.classList.add("is-pressed");
    setTimeout(() => element.classList.remove("is-pressed"), 150);
    element.click();
    // The toggle event comes later; what is typed next must already land in the field.
    if (element.matches("summary") && element.parentElement.open) element.parentElement.querySelector("[data-focus]")?.focus();
  };

  const show = () => {
    for (const button of document.querySelectorAll("[data-keys-switch]")) {
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Single keys are on" : "Single keys are off";
    }
    for (const element of document.querySelectorAll("[data-needs-script]")) element.hidden = false;
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.repeat || event.isComposing) return;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const key = name(event);
    const dialog = document.querySelector("dialog[open]");
    if (dialog && !(key === "?" && dialog.id === "keys")) return;
    if (dialog) {
      event.preventDefault();
      dialog.close();
      return;
    }
    if (!on && key !== "?") return;
    const element = key.length === 1 && document.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`);
    if (!element) return;
    event.preventDefault();
    press(element);
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-keys-switch]")) return;
    on = !on;
    try {
      localStorage.setItem(STORE, on ? "on" : "off");
    } catch {
      return show(); // the choice then lasts as long as the page
    }
    show();
  });

  show();
  document.addEventListener("htmx:afterSettle", show);
})();
