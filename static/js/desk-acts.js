// Every button of the desk submits the one form "acts"; here its answer is swapped in instead of
// loading a page. Acts wait for each other, so that the last answer shows the last state, and a
// finding that was acted on steps aside at once.
const form = document.getElementById("acts");
// htmx would send a form again to where its last button pointed, so another element asks.
const source = document.getElementById("said");

function send(address, values, from) {
  const card = from?.closest("#list .finding");
  if (card) card.classList.add("leaving");
  return htmx.ajax("POST", address.pathname + address.search, { source, swap: "none", values });
}

function nextOf(card) {
  const cards = [...document.querySelectorAll("#list .finding:not(.leaving)")].filter((one) => !one.closest("details:not([open])"));
  const before = cards.findLast((one) => one.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_FOLLOWING);
  return cards.find((one) => card.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING) ?? before;
}

function goOn(card) {
  const next = card && nextOf(card);
  if (!next) return;
  const detail = { number: next.dataset.finding, from: "keys" };
  document.dispatchEvent(new CustomEvent("desk:select", { detail }));
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const button = event.submitter;
  send(new URL(button.formAction), {}, button);
  goOn(button.closest("#list .finding"));
});

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.reason:not(.learn)")) return;
  event.preventDefault();
  const reason = event.target;
  const card = reason.closest("#list .finding");
  send(new URL(reason.action), Object.fromEntries(new FormData(reason)), reason);
  reason.classList.add("sent");
  if (card) goOn(card);
});

// What was refused is put right where it was: the finding comes back, and so does its reason.
function comeBack(event) {
  if (event.detail.requestConfig?.elt !== source || event.detail.xhr?.status === 200) return;
  document.querySelectorAll(".leaving").forEach((card) => card.classList.remove("leaving"));
  document.querySelectorAll("form.reason.sent").forEach((reason) => reason.classList.remove("sent"));
}

document.addEventListener("htmx:beforeSwap", comeBack);
document.addEventListener("htmx:sendError", comeBack);

// A key that decides nothing here says why, where the answers to acts stand.
const NOT_NOW = "This finding is not decided in that way as it stands, so nothing was changed. Its buttons say what can be done.";
const ONE_BY_ONE = "These are decided one by one. Nothing was changed.";
document.addEventListener("desk:deaf", ({ detail: { name, place } }) => {
  if (name !== "dismiss" && name !== "accept") return;
  const line = document.getElementById("said-template").content.firstElementChild.cloneNode(true);
  line.querySelector("span").textContent = place.matches(".line") ? ONE_BY_ONE : (place.dataset.whyNot ?? NOT_NOW);
  source.replaceChildren(line);
});
