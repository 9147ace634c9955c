// The desk: one answer at a time, a failed one said and kept, the place of the hands kept, wider context without a jump, the time measured.
(() => {
  const TROUBLE = {
    offline: "The server could not be reached. The candidate is still here: give the grade again in a moment.",
    refused: "The server did not take it. Reload the page; if you were signed out, sign in again.",
  };
  const SAID_BY_THE_CARD = [409, 422]; // the answer is a card too, with what was wrong on it
  let busy = false;
  let refused = false;
  let toldOf = null;

  // Time counts while the page is in view.
  let seconds = 0;
  let since = performance.now();
  const count = () => {
    const now = performance.now();
    if (!document.hidden) seconds += (now - since) / 1000;
    since = now;
  };
  const countAnew = () => {
    seconds = 0;
    since = performance.now();
  };
  document.addEventListener("visibilitychange", () => {
    const now = performance.now();
    if (document.hidden) seconds += (now - since) / 1000;
    since = now;
  });

  const trouble = (text) => {
    const box = document.getElementById("trouble");
    box.hidden = !text;
    box.querySelector("span").textContent = text || "";
  };

  // A second press while the first is under way does nothing; the server's request id catches what gets past this.
  document.addEventListener(
    "submit",
    (event) => {
      if (event.target.id !== "grade-form") return;
      if (busy) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      busy = true;
      const time = event.target.elements.seconds;
      if (!time) return;
      count();
      time.value = seconds.toFixed(1);
    },
    true,
  );
  addEventListener("pageshow", () => (busy = false));

  document.addEventListener("htmx:beforeRequest", () => (busy = true));
  document.addEventListener("htmx:afterRequest", (event) => {
    busy = false;
    if (refused) trouble(TROUBLE.refused);
    else if (event.detail.successful) trouble("");
    refused = false;
  });
  document.addEventListener("htmx:sendError", () => trouble(TROUBLE.offline));
  document.addEventListener("htmx:timeout", () => trouble(TROUBLE.offline));
  document.addEventListener("htmx:responseError", () => trouble(TROUBLE.refused));
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    if (SAID_BY_THE_CARD.includes(xhr.status)) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    } else if (event.detail.shouldSwap && !xhr.responseText.includes('id="card"')) {
      event.detail.shouldSwap = false; // the sign-in page came instead: what was typed stays
      refused = true;
    }
  });

  document.addEventListener("htmx:afterSettle", () => {
    const card = document.getElementById("card");
    if (!card || card === toldOf) return;
    toldOf = card;
    countAnew();
    scrollTo(0, 0);
    document.getElementById("announce").textContent = card.dataset.announce || "";
  });

  // Wider context: the line that one was reading stays where it is on the screen.
  document.addEventListener("click", (event) => {
    const wider = event.target.closest("#wider");
    if (!wider) return;
    event.preventDefault();
    const card = document.getElementById("card");
    const part = card.querySelector(".retrieved");
    const before = part.getBoundingClientRect().top;
    const wide = card.dataset.context !== "wide";
    if (wide) card.dataset.context = "wide";
    else delete card.dataset.context;
    wider.setAttribute("aria-expanded", String(wide));
    if (wide) card.querySelector("[name=context_opened]").value = "1";
    scrollBy(0, part.getBoundingClientRect().top - before);
  });

  // A panel that opens takes the focus to its first field.
  document.addEventListener(
    "toggle",
    (event) => {
      if (event.target.open && event.target.matches(".dock-panel")) event.target.querySelector("[data-focus]").focus();
    },
    true, // toggle does not bubble
  );

  // The rubric stays open from one candidate to the next; Escape closes it.
  document.addEventListener("keydown", (event) => {
    const rubric = document.getElementById("rubric");
    if (event.key === "Escape" && rubric?.open && !document.querySelector("dialog[open], .float[open]")) rubric.open = false;
  });
})();
