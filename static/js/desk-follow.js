// Sheets and findings follow each other: what is selected is shown, what is pointed at is lit,
// and scrolling one side brings the other along when nothing of it is in sight any more.
// Where the panes do not scroll on their own (a narrow window), nothing is moved.
const table = document.getElementById("sheets");
const scroller = document.getElementById("scroller");
const rail = document.getElementById("rail");
const scrolls = (pane) => getComputedStyle(pane).overflowY === "auto";
let quietUntil = 0;
let waiting = 0;
let heading = null; // the sheet on its way into sight, while it is

const folded = (node) => node.closest("details:not([open])");
const inSight = (node, pane) => {
  const a = node.getBoundingClientRect();
  const b = pane.getBoundingClientRect();
  return a.bottom > b.top + 8 && a.top < b.bottom - 8;
};

function quiet(pane, scroll) {
  // What follows from our own scrolling must not be followed back.
  quietUntil = performance.now() + 900;
  const ended = () => ([quietUntil, heading] = [performance.now() + 150, null]);
  pane.addEventListener("scrollend", ended, { once: true });
  scroll();
}

function show(node, { third = true } = {}) {
  if (!node || !scrolls(table)) return;
  const [a, b] = [node.getBoundingClientRect(), table.getBoundingClientRect()];
  const across = a.left >= b.left && a.right <= b.right;
  if (third && across && a.top > b.top + 24 && a.bottom < b.bottom - 24) return;
  const lead = third ? b.height / 3 : 14;
  const aside = a.left < b.left || a.right > b.right ? a.left - b.left - 40 : 0;
  heading = node.closest(".sheet");
  quiet(table, () => table.scrollBy({ top: a.top - b.top - lead, left: third ? aside : 0 }));
  nameSheet();
}

function sheetInSight() {
  const { top, height } = scrolls(table) ? table.getBoundingClientRect() : { top: 0, height: innerHeight };
  const sheets = [...table.querySelectorAll(".sheet")];
  return sheets.findLast((one) => one.getBoundingClientRect().top <= top + height / 3) ?? sheets[0];
}

function nameSheet() {
  const sheet = (performance.now() < quietUntil ? heading : null) ?? sheetInSight();
  if (!sheet) return null;
  const thumb = rail.querySelector(`[data-sheet="${sheet.dataset.sheet}"]`);
  if (thumb && !thumb.hasAttribute("aria-current")) {
    rail.querySelector("[aria-current]")?.removeAttribute("aria-current");
    thumb.setAttribute("aria-current", "true");
    if (scrolls(rail) && !inSight(thumb, rail)) thumb.scrollIntoView({ block: "nearest" });
  }
  return sheet.dataset.sheet;
}

function bringFindings(sheet) {
  const here = [...scroller.querySelectorAll(`.finding[data-sheet="${sheet}"]`)].filter((c) => !folded(c));
  if (!here.length || here.some((card) => inSight(card, scroller))) return;
  quiet(scroller, () => here[0].scrollIntoView({ block: "start" }));
}

function bringSheet() {
  const cards = [...scroller.querySelectorAll(".finding")].filter((c) => !folded(c) && inSight(c, scroller));
  const now = sheetInSight()?.dataset.sheet;
  if (!cards.length || cards.some((card) => card.dataset.sheet === now)) return;
  show(document.getElementById(`mark-${cards[0].dataset.finding}`) ?? document.getElementById(`sheet-${cards[0].dataset.sheet}`));
}

function onScroll(pane, follow) {
  pane.addEventListener("scroll", () => {
    if (pane === table) nameSheet();
    clearTimeout(waiting);
    if (performance.now() < quietUntil || !scrolls(pane)) return;
    waiting = setTimeout(follow, 160);
  }, { passive: true });
}

onScroll(table, () => bringFindings(nameSheet()));
window.addEventListener("scroll", nameSheet, { passive: true });
onScroll(scroller, bringSheet);

document.addEventListener("desk:show", (event) => show(document.getElementById(event.detail.id), event.detail));
document.addEventListener("desk:selected", ({ detail: { number, sheet, from } }) => {
  if (from === "sheet") return;
  show(document.getElementById(`mark-${number}`)?.querySelector("rect") ?? (sheet ? document.getElementById(`sheet-${sheet}`) : null));
});

function near(number, on) {
  for (const one of document.querySelectorAll(`[data-finding="${number}"]`)) one.classList.toggle("near", on);
}
for (const [type, on] of [["pointerover", true], ["pointerout", false]]) {
  document.addEventListener(type, (event) => {
    const over = event.target.closest?.("[data-finding]");
    if (over && !over.contains(event.relatedTarget)) near(over.dataset.finding, on);
  });
}
nameSheet();
