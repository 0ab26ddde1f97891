// Single keys, listed by "?". They rest while somebody types, while a dialog is open, and with
// any modifier; they can be switched off, and that is remembered in this browser.
const STORE = "reviewer.keys";
const dialog = document.getElementById("keys");
const toggle = document.getElementById("keys-on");

const isOn = () => localStorage.getItem(STORE) !== "off";
const current = () => document.activeElement?.closest?.("#list .line > summary") ?? document.querySelector("#list .finding[aria-current]");

function shownItems() {
  return [...document.querySelectorAll("#list .finding, #list .line > summary")].filter((item) => {
    const from = item.matches("summary") ? item.parentElement.parentElement : item;
    return !from.closest("details:not([open])");
  });
}

function step(by) {
  const items = shownItems();
  if (!items.length) return;
  const at = items.indexOf(current());
  const to = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1)];
  if (to.matches("summary")) {
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  } else {
    const detail = { number: to.dataset.finding, from: "keys" };
    document.dispatchEvent(new CustomEvent("desk:select", { detail }));
  }
}

function act(name) {
  const at = current();
  if (!at) return;
  const isLine = at.matches("summary");
  if (isLine && name !== "dismiss") return;
  if (isLine) at.parentElement.open = true;
  const place = isLine ? at.parentElement : at;
  const button = place.querySelector(isLine ? ":scope > .together [data-act='dismiss-kind']" : `[data-act="${name}"]`);
  if (button) button.click();
  else document.dispatchEvent(new CustomEvent("desk:deaf", { detail: { name, place } }));
}

function sheet(by) {
  const thumbs = [...document.querySelectorAll("#rail .thumb")];
  const at = thumbs.findIndex((thumb) => thumb.hasAttribute("aria-current"));
  const to = thumbs[Math.min(Math.max(at + by, 0), thumbs.length - 1)];
  if (!to) return;
  document.dispatchEvent(new CustomEvent("desk:show", { detail: { id: to.hash.slice(1), third: false } }));
}

const zoom = (by) => document.dispatchEvent(new CustomEvent("desk:zoom", { detail: { by } }));

const ACTS = {
  j: () => step(1),
  k: () => step(-1),
  "[": () => sheet(-1),
  "]": () => sheet(1),
  f: () => act("fixed"),
  d: () => act("dismiss"),
  a: () => act("accept"),
  u: () => act("sign"), l: () => act("learn"),
  y: () => act("same"), x: () => act("not-same"),
  n: () => document.getElementById("own")?.click(),
  m: () => act("more"), c: () => act("comment"),
  z: () => document.querySelector("#order [data-act='undo']")?.click(),
  "/": () => document.getElementById("q").select(),
  "+": () => zoom(1),
  "=": () => zoom(1), // the same key without Shift, on most keyboards
  "-": () => zoom(-1),
  0: () => zoom(0),
  "?": () => dialog.showModal(),
};

document.addEventListener("keydown", (event) => {
  // Some keyboards reach "[" only with AltGr, which browsers report as Ctrl and Alt.
  const modified = (event.ctrlKey || event.altKey) && !event.getModifierState("AltGraph");
  if (modified || event.metaKey || event.defaultPrevented || event.isComposing) return;
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (typing) {
    if (event.key === "Escape" && typing.id === "q") (current() ?? document.getElementById("scroller")).focus();
    return;
  }
  if (!isOn() || document.querySelector("dialog[open]") || !(event.key in ACTS)) return;
  event.preventDefault();
  ACTS[event.key]();
});

function tell() {
  document.body.classList.toggle("keys-on", isOn());
  toggle.checked = isOn();
}

toggle.addEventListener("change", () => {
  localStorage.setItem(STORE, toggle.checked ? "on" : "off");
  tell();
});
const opener = document.getElementById("open-keys");
opener.hidden = false;
opener.addEventListener("click", () => dialog.showModal());
tell();
