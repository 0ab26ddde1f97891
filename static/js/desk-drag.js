// Words of a sheet are chosen with the mouse word by word: from the one nearest to where the
// button went down to the one nearest to where it is now. The browser's own selection takes
// whatever text comes before or after a gap in the layer, which may be half a sheet.
const sheets = document.getElementById("sheets");
const MOVED = 4; // pixels after which a press is no click any more
const EDGE = 24; // pixels from the window's edge within which the sheets move along
const BAND = 0.25; // of a line's height above and below it that still belong to the line
let drag = null;

sheets.addEventListener("mousedown", (event) => {
  const layer = event.target.closest?.(".leaf")?.querySelector("svg.words");
  if (!layer || event.button || event.shiftKey || event.detail > 1) return;
  event.preventDefault();
  document.activeElement?.blur();
  getSelection().removeAllRanges();
  drag = { layer, lines: linesOf(layer), x: event.clientX, y: event.clientY, from: null };
  drag.word = nearest(event);
});

addEventListener("mousemove", (event) => {
  if (!drag?.word) return;
  if (!(event.buttons & 1)) return end();
  const far = Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > MOVED;
  if (!drag.from && !far) return;
  drag.from = drag.word;
  if (event.clientY > innerHeight - EDGE) scrollBy(0, EDGE);
  if (event.clientY < EDGE) scrollBy(0, -EDGE);
  choose(drag.from, nearest(event));
});

addEventListener("mouseup", end);

function end() {
  drag = null;
}

function choose(from, to) {
  const forward = from.at <= to.at;
  const [first, last] = [from.node, to.node];
  const length = (node) => node.textContent.length;
  getSelection().setBaseAndExtent(
    first, forward ? 0 : length(first), last, forward ? length(last) : 0,
  );
}

// Lines with their words, in pixels from the corner of the layer, so that scrolling moves nothing.
function linesOf(layer) {
  const corner = layer.getBoundingClientRect();
  const box = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return { left: left - corner.left, right: right - corner.left, top: top - corner.top, bottom: bottom - corner.top };
  };
  let at = 0;
  return [...layer.querySelectorAll("text")].map((line) => ({
    ...box(line),
    words: [...line.querySelectorAll("tspan")].map((word) => ({ ...box(word), node: word.firstChild, at: at++ })),
  }));
}

function nearest(event) {
  const corner = drag.layer.getBoundingClientRect();
  const [x, y] = [event.clientX - corner.left, event.clientY - corner.top];
  const beside = (one) => Math.max(one.left - x, x - one.right, 0);
  const above = (one) => Math.max(one.top - y, y - one.bottom, 0);
  const near = (one) => above(one) <= BAND * (one.bottom - one.top);
  // A line in whose column the mouse is comes before one beside it, and that before all others.
  const grade = (one) => (near(one) ? (beside(one) ? 1 : 0) : 2);
  const better = (a, b) =>
    grade(a) - grade(b) || (grade(a) === 1 ? beside(a) - beside(b) : above(a) - above(b) || beside(a) - beside(b));
  const line = drag.lines.filter((one) => one.words.length).sort(better)[0];
  return line?.words.toSorted((a, b) => beside(a) - beside(b))[0];
}
