// One finding is selected: by a click, a key, a mark, a link or the address. Others are told by
// the event "desk:selected", and ask for it by "desk:select"; after a swap the selection stays,
// or goes on to what followed in the list.
const byNumber = (number) => document.getElementById(`finding-${number}`);
const selected = () => document.querySelector("#list .finding[aria-current]");

let last = null;
let order = [];

function unfold(card) {
  for (let line = card.closest("details"); line; line = line.parentElement.closest("details")) {
    line.open = true;
  }
}

function light(number) {
  document.querySelectorAll(".marks a.on").forEach((mark) => mark.classList.remove("on"));
  document.querySelectorAll(`.marks a[data-finding="${number}"]`).forEach((mark) => {
    mark.classList.add("on");
    mark.parentNode.append(mark); // what is drawn last lies on top
  });
}

function mark(card) {
  selected()?.removeAttribute("aria-current");
  card.setAttribute("aria-current", "true");
  last = card.dataset.finding;
  light(last);
}

function select(number, from) {
  const card = byNumber(number);
  if (!card) return false;
  unfold(card);
  mark(card);
  history.replaceState(history.state, "", `#finding-${number}`);
  // At once: what comes of an act may be here before a movement would end, and would stop it.
  if (from !== "list") card.scrollIntoView({ block: "nearest", behavior: "instant" });
  if (from !== "list") card.focus({ preventScroll: true });
  const detail = { number, sheet: Number(card.dataset.sheet), from };
  document.dispatchEvent(new CustomEvent("desk:selected", { detail }));
  return true;
}

function fromAddress() {
  const [, number] = /^#finding-(\d+)$/.exec(location.hash) ?? [];
  if (!number || select(number, "address")) return;
  // It stands in another tab, which the server knows; asked for once, or a wrong number would loop.
  const to = new URL(location.href);
  if (to.searchParams.get("finding") === number) return;
  to.searchParams.set("finding", number);
  location.replace(to);
}

document.addEventListener("desk:select", (event) => select(event.detail.number, event.detail.from));

document.addEventListener("click", (event) => {
  const on = event.target.closest?.(".marks a");
  if (on) {
    event.preventDefault();
    select(on.dataset.finding, "sheet");
    return;
  }
  const card = event.target.closest?.("#list .finding");
  if (card && !event.target.closest("a, button, input, form")) select(card.dataset.finding, "list");
  const link = event.target.closest?.("#list .finding a[href^='#mark-']");
  if (link) {
    event.preventDefault();
    select(card.dataset.finding, "list");
    document.dispatchEvent(new CustomEvent("desk:show", { detail: { id: link.hash.slice(1) } }));
  }
});

document.addEventListener("focusin", (event) => {
  const card = event.target.closest?.("#list .finding");
  if (card && card !== selected()) select(card.dataset.finding, "list");
  if (event.target.matches?.("#list .line > summary")) {
    selected()?.removeAttribute("aria-current");
    light(null);
  }
});

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target?.id !== "list") return;
  last = selected()?.dataset.finding ?? null;
  order = [...document.querySelectorAll("#list .finding")].map((card) => card.dataset.finding);
});

document.addEventListener("htmx:afterSettle", () => {
  if (last === null || selected()) return light(last);
  if (byNumber(last)) return mark(byNumber(last));
  const at = order.indexOf(last);
  const next = [...order.slice(at + 1), ...order.slice(0, at).reverse()].find(byNumber);
  if (next) select(next, "swap");
});

window.addEventListener("hashchange", fromAddress);
fromAddress();
