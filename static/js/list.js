// The list: one key finds the search field, and Escape leaves it. Whoever has switched single
// keys off on the desk has switched this one off too.
const field = document.querySelector("[data-focus-key]");

document.addEventListener("keydown", (event) => {
  if (!field || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (event.key === "Escape" && at === field) field.blur();
  if (localStorage.getItem("reviewer.keys") === "off") return;
  if (event.key !== field.dataset.focusKey || at.matches("input, textarea, select")) return;
  event.preventDefault();
  field.focus();
  field.select();
});
