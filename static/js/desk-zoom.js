// How large the sheets are. The links work without this; here the size changes at once, what is
// in the middle stays there, and the choice is kept in this browser as the links keep it.
const table = document.getElementById("sheets");
const control = document.getElementById("zoom");
const links = [...control.querySelectorAll("[data-zoom]")];
const ORDER = links.map((link) => link.dataset.zoom);
const PIXELS_A_POINT = 96 / 72;

function middle() {
  const pane = getComputedStyle(table).overflowY === "auto" ? table : document.scrollingElement;
  const { top, height } = pane === table ? table.getBoundingClientRect() : { top: 0, height: window.innerHeight };
  return { pane, at: top + height / 2 };
}

function keeping(change) {
  const { pane, at } = middle();
  const leaves = [...table.querySelectorAll(".leaf")];
  const leaf = leaves.findLast((one) => one.getBoundingClientRect().top <= at) ?? leaves[0];
  const before = leaf.getBoundingClientRect();
  const share = (at - before.top) / before.height;
  change();
  const after = leaf.getBoundingClientRect();
  pane.scrollBy({ top: after.top + share * after.height - at, behavior: "instant" });
  table.scrollTo({ left: (table.scrollWidth - table.clientWidth) / 2, behavior: "instant" });
}

function size(image, zoom) {
  const points = image.parentElement.querySelector(".marks").viewBox.baseVal;
  const times = PIXELS_A_POINT * (zoom === "fit" ? 1 : zoom / 100);
  image.width = Math.max(1, Math.round(points.width * times));
  image.height = Math.max(1, Math.round(points.height * times));
  if (zoom === "fit") {
    image.removeAttribute("srcset");
    image.removeAttribute("sizes");
  } else {
    const whole = zoom === ORDER.at(-1) ? "" : `${image.getAttribute("src")} ${image.dataset.pixels}w, `;
    image.sizes = `${image.width}px`;
    image.srcset = whole + image.dataset.closer;
  }
}

function set(zoom) {
  keeping(() => {
    table.dataset.zoom = zoom;
    for (const image of table.querySelectorAll(".leaf img")) size(image, zoom);
  });
  for (const link of links) {
    if (link.dataset.zoom === zoom) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const secure = location.protocol === "https:" ? ";secure" : "";
  document.cookie = `zoom=${zoom};path=/;max-age=31536000;samesite=lax${secure}`;
}

control.addEventListener("click", (event) => {
  const link = event.target.closest("[data-zoom]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  set(link.dataset.zoom);
});

document.addEventListener("desk:zoom", ({ detail: { by } }) => {
  const at = by ? ORDER.indexOf(table.dataset.zoom) + by : 0;
  set(ORDER[Math.min(Math.max(at, 0), ORDER.length - 1)]);
});
