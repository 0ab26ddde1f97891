// Files are dropped or chosen, listed, and can be left out again; too big ones are named at once.
// What is chosen is put back into the file field, so that the form itself holds it.
const form = document.getElementById("upload");
const input = form.querySelector("input[type=file]");
const list = form.querySelector("[data-chosen]");
const send = form.querySelector("[data-send]");
const titleField = form.querySelector("[name=title]").closest(".field");
const maxBytes = Number(form.dataset.maxMb) * 1048576;
let chosen = [];

const size = (bytes) =>
  bytes < 1048576 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1048576).toFixed(1)} MB`;

function part(kind, text) {
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text;
  return span;
}

function line(file) {
  const item = document.createElement("li");
  item.className = "file";
  item.append(part("name", file.name), part("size", size(file.size)));
  const out = document.createElement("button");
  out.type = "button";
  out.textContent = "Leave out";
  out.setAttribute("aria-label", `Leave out ${file.name}`);
  out.addEventListener("click", () => choose(chosen.filter((one) => one !== file)));
  item.append(out);
  const why = unfit(file);
  if (why) item.append(part("why", why));
  return item;
}

function unfit(file) {
  if (file.size === 0) return "This file is empty and will not be sent. Save it again and choose it once more.";
  if (file.size <= maxBytes) return "";
  return `This is larger than ${form.dataset.maxMb} MB and will not be sent. Make its pictures smaller or split it.`;
}

function choose(files) {
  chosen = files;
  const fit = files.filter((file) => !unfit(file));
  const held = new DataTransfer();
  fit.forEach((file) => held.items.add(file));
  input.files = held.files;
  list.replaceChildren(...files.map(line));
  list.hidden = files.length === 0;
  form.classList.toggle("has-files", files.length > 0);
  titleField.hidden = fit.length > 1;
  send.disabled = files.length > 0 && fit.length === 0;
  send.textContent = fit.length > 1 ? `Upload ${fit.length} files` : "Upload";
}

function add(files) {
  choose([...chosen, ...files]);
  if (input.files.length) send.focus();
}

input.addEventListener("change", () => add([...input.files]));
form.addEventListener("uploading", () => choose([]));
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("over", kind === "dragover");
    if (kind === "drop") add([...event.dataTransfer.files]);
  });
}
