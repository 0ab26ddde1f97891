// A list that is swapped in keeps what the person was doing: lines stay open, a reason that is
// being written stays with its finding, what is looked at and the focus stay where they were.
const scroller = document.getElementById("scroller");
let kept = null;

function placeOf(form) {
  return form.closest(".finding, .line").id;
}

// The findings in sight and how far down they are, the selected one first.
function seenIn(list) {
  const { top, bottom } = scroller.getBoundingClientRect();
  return [...list.querySelectorAll(".finding")]
    .map((card) => ({ id: card.id, box: card.getBoundingClientRect(), first: card.hasAttribute("aria-current") }))
    .filter(({ box }) => box.height && box.bottom > top && box.top < bottom)
    .sort((a, b) => b.first - a.first);
}

// The new list comes before the old one goes, and the browser has moved meanwhile. So it goes
// back at once, and as far on as the first that is still there has moved.
function goBack(top, seen) {
  const still = seen.find(({ id }) => document.getElementById(id)?.offsetParent);
  scroller.scrollTo({ top, behavior: "instant" });
  if (!still) return;
  const now = document.getElementById(still.id).getBoundingClientRect().top;
  scroller.scrollBy({ top: now - still.box.top, behavior: "instant" });
}

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target?.id !== "list") return;
  const list = event.detail.target;
  const form = list.querySelector("form.reason:not(.sent)");
  const active = document.activeElement;
  kept = {
    open: [...list.querySelectorAll("details[open]")].map((line) => line.id),
    form,
    place: form && placeOf(form),
    focus: list.contains(active) ? active.id : null,
    field: form?.contains(active) ? active : null,
    chosen: typeof active.selectionStart === "number" ? [active.selectionStart, active.selectionEnd] : null,
    top: scroller.scrollTop,
    seen: seenIn(list),
  };
  form?.remove();
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target?.id !== "list" || !kept) return;
  const { open, form, place, focus, field, chosen, top, seen } = kept;
  kept = null;
  for (const id of open) {
    const line = document.getElementById(id);
    if (line) line.open = true;
  }
  const home = place && document.getElementById(place);
  if (home) {
    home.matches(".line") ? home.querySelector("summary").after(form) : home.append(form);
    field?.focus({ preventScroll: true });
    if (field && chosen) field.setSelectionRange(...chosen);
  }
  goBack(top, seen);
  if (focus && !field) document.getElementById(focus)?.focus({ preventScroll: true });
});

// What comes in while a button of the mouse is down waits: it would make anew or move what is
// under the finger, and the click would be lost. The reading asks again by itself.
const standing = document.getElementById("standing");
let isDown = false;
let isPostponed = false;
addEventListener("pointerdown", () => (isDown = true), true);
addEventListener("pointermove", (event) => event.buttons || release(), true);
for (const over of ["pointerup", "pointercancel"]) addEventListener(over, () => setTimeout(release), true);

function release() {
  isDown = false;
  if (isPostponed) standing.dispatchEvent(new CustomEvent("desk:postponed"));
  isPostponed = false;
}

document.addEventListener("htmx:beforeSwap", (event) => {
  const asked = event.detail.requestConfig?.elt.id;
  if (!isDown || !["reading", "standing"].includes(asked)) return;
  event.detail.shouldSwap = false;
  isPostponed ||= asked === "standing";
});

// Where the version stands is asked for anew after each act; what was opened there stays open.
let opened = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target === standing) opened = [...standing.querySelectorAll("details[open]")].map((one) => one.id);
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== standing) return;
  for (const one of standing.querySelectorAll("details")) one.open ||= opened.includes(one.id);
});
