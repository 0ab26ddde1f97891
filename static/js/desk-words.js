// The words of a sheet lie over its marks, so that they can be selected. What is clicked or
// pointed at among them is handed on to the mark beneath.
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
