// "Make a learning…" is a link to a page. With scripts its form opens inside the finding, and
// a finding that stays selected for a moment asks which of other proposals are the same fault.
const MOMENT = 300;
let waiting = 0;
let asked = null;

function load(card, address, ready = () => {}) {
  return htmx.ajax("GET", address, { source: card, target: card, swap: "beforeend" }).then(() => ready());
}

function open(link) {
  document.querySelectorAll("form.reason:not(.sent)").forEach((form) => form.remove());
  const card = link.closest(".finding");
  load(card, link.getAttribute("href"), () => {
    const words = card.querySelector("form.learn textarea");
    words?.focus();
    words?.form.scrollIntoView({ block: "nearest" });
  });
}

function ask(card) {
  if (!card?.hasAttribute("aria-current") || !card.dataset.alike || card.querySelector(".alike")) return;
  document.querySelectorAll("#list .alike").forEach((one) => one.remove());
  load(card, card.dataset.alike);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#list a[data-act='learn']");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  open(link);
});

// Enter proposes what is worded: a rule is one line.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches?.("form.learn textarea")) return;
  event.preventDefault();
  event.target.form.requestSubmit(event.target.form.querySelector(".primary"));
});

document.addEventListener("desk:selected", ({ detail: { number } }) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => ask(document.getElementById(`finding-${number}`)), MOMENT);
});

// A list that is swapped in has the question still where it was.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target?.id !== "list") return;
  asked = event.detail.target.querySelector(".alike");
  asked?.remove();
});
document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target?.id !== "list" || !asked) return;
  document.getElementById(`finding-${asked.dataset.of}`)?.append(asked);
  asked = null;
});
