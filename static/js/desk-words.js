// The words of a sheet lie over its marks, so that they can be selected. What is clicked or
// pointed at among them is handed on to the mark beneath; what is selected can be raised.
const sheets = document.getElementById("sheets");
let lit = null;

function markUnder(event) {
  if (!event.target.closest?.(".words")) return null;
  const under = document.elementsFromPoint(event.clientX, event.clientY);
  return under.map((one) => one.closest(".marks a")).find(Boolean) ?? null;
}

function light(number) {
  if (number === lit) return;
  for (const one of document.querySelectorAll(`[data-finding="${lit}"]`)) one.classList.remove("near");
  for (const one of document.querySelectorAll(`[data-finding="${number}"]`)) one.classList.add("near");
  lit = number;
}

sheets.addEventListener("pointerover", (event) => light(markUnder(event)?.dataset.finding ?? null));
sheets.addEventListener("pointerleave", () => light(null));

sheets.addEventListener("click", (event) => {
  const mark = markUnder(event);
  if (!mark || !getSelection().isCollapsed) return;
  const detail = { number: mark.dataset.finding, from: "sheet" };
  document.dispatchEvent(new CustomEvent("desk:select", { detail }));
});

// The words that a selection touches, as places in the reading order of the sheet where it begins.
function selected() {
  const chosen = getSelection();
  if (chosen.isCollapsed || !chosen.rangeCount) return null;
  const range = chosen.getRangeAt(0);
  const layer = [...sheets.querySelectorAll("svg.words")].find((one) => range.intersectsNode(one));
  const words = layer ? [...layer.querySelectorAll("tspan")] : [];
  const touched = words.flatMap((word, at) => (touches(range, word) ? [at] : []));
  return touched.length ? { sheet: layer.id.slice(6), first: touched[0], last: touched.at(-1) } : null;
}

function touches(range, word) {
  const whole = document.createRange();
  whole.selectNodeContents(word);
  return range.compareBoundaryPoints(Range.END_TO_START, whole) < 0 && range.compareBoundaryPoints(Range.START_TO_END, whole) > 0;
}

const own = document.getElementById("own");

own?.addEventListener("click", () => {
  const at = new URL(own.href);
  const now = selected() ?? { sheet: document.querySelector("#rail [aria-current]")?.dataset.sheet ?? 1 };
  for (const [name, value] of Object.entries(now)) at.searchParams.set(name, value);
  own.href = at;
});
