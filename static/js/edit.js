// The words of a finding are looked for in the text when they are pressed, white space and the
// marks of Markdown aside; what was typed is not lost by leaving the page.
const form = document.getElementById("edit");
const field = document.getElementById("id_text");
const begun = field.value;

function anywhere(quote) {
  const words = quote.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length ? new RegExp(words.join("[^\\p{L}\\p{N}]{1,40}"), "u") : null;
}

function show(quote) {
  const found = anywhere(quote)?.exec(field.value);
  if (!found) return false;
  field.focus();
  // Browsers bring the end of a selection into sight where it is set before the focus alone.
  field.setSelectionRange(found.index, found.index);
  field.blur();
  field.focus();
  field.setSelectionRange(found.index, found.index + found[0].length);
  return true;
}

for (const line of document.querySelectorAll("[data-quote]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = line.textContent;
  button.title = "Show these words in the text";
  button.addEventListener("click", () => {
    if (!show(line.dataset.quote)) button.title = "These words are not in the text any more";
  });
  line.replaceChildren(button);
}

let isSent = false;
form.addEventListener("submit", () => (isSent = true));
addEventListener("beforeunload", (event) => {
  if (field.value !== begun && !isSent) event.preventDefault();
});
