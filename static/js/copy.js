// A button that names what it copies by `data-copy`. It is hidden until this runs, since the text
// can be selected without it. Where the browser keeps the clipboard shut, the text is selected.
const SAID_MS = 2500;

function show(root) {
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

function select(node) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
  node.focus({ preventScroll: true });
}

function say(button, words) {
  const before = (button.dataset.words ??= button.textContent);
  button.textContent = words;
  button.setAttribute("aria-live", "polite");
  clearTimeout(button.timer);
  button.timer = setTimeout(() => (button.textContent = before), SAID_MS);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("[data-copy]");
  const node = button && document.getElementById(button.dataset.copy);
  if (!node) return;
  try {
    await navigator.clipboard.writeText(node.textContent);
    say(button, "Copied");
  } catch {
    select(node);
    say(button, "Selected: copy it with your keys");
  }
});

document.addEventListener("htmx:afterSwap", (event) => show(event.target));
show(document);
