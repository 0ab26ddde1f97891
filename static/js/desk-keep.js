// A list that is swapped in keeps what the person was doing: lines stay open, a reason that is
// being written stays with its finding, the scroll position and the focus stay where they were.
let kept = null;

function placeOf(form) {
  return form.closest(".finding, .line").id;
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
    top: document.getElementById("scroller").scrollTop,
  };
  form?.remove();
});

document.addEventListener("htmx:oobAfterSwap", (event) => {
  if (event.detail.target?.id !== "list" || !kept) return;
  const { open, form, place, focus, field, chosen, top } = kept;
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
  document.getElementById("scroller").scrollTop = top;
  if (focus && !field) document.getElementById(focus)?.focus({ preventScroll: true });
});

// Where the version stands is asked for anew after each act; what was opened there stays open.
const standing = document.getElementById("standing");
let opened = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target === standing) opened = [...standing.querySelectorAll("details[open]")].map((one) => one.id);
});
document.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.target !== standing) return;
  for (const one of standing.querySelectorAll("details")) one.open ||= opened.includes(one.id);
});
