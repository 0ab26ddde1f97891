// Each chosen file is sent on its own, with its own progress and its own result.
// Without this file the same form sends them together and the page shows what became of each.
const form = document.getElementById("upload");
const input = form.querySelector("input[type=file]");
const results = document.getElementById("results");
const AT_ONCE = 2;
const LOST = "It did not arrive, so nothing of it was kept. Check the connection and send it again.";

function part(kind, text) {
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text;
  return span;
}

function line(file) {
  const item = document.createElement("li");
  item.className = "file";
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.setAttribute("aria-label", `Sending ${file.name}`);
  item.append(part("name", file.name), part("state", "waiting to be sent"), bar);
  return item;
}

function refuse(item, why) {
  item.querySelectorAll("progress, .state").forEach((one) => one.remove());
  item.classList.add("block");
  item.append(part("why", why));
}

function settle(request, item) {
  if (request.getResponseHeader("HX-Refresh")) return location.reload();
  if (request.status !== 200 && request.status !== 422) {
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    return refuse(item, page.querySelector("[data-sentence]")?.textContent.trim() || LOST);
  }
  const held = document.createElement("template");
  held.innerHTML = request.responseText;
  const fresh = [...held.content.children];
  item.replaceWith(...fresh);
  fresh.forEach((one) => htmx.process(one));
  htmx.trigger(document.body, "proposals-changed");
}

function post(file, fields, item) {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  body.append("file", file);
  const request = new XMLHttpRequest();
  const [bar, state] = [item.querySelector("progress"), item.querySelector(".state")];
  request.upload.addEventListener("progress", (event) => {
    bar.value = event.loaded / event.total;
    state.textContent = `sending, ${Math.round(100 * bar.value)} %`;
  });
  request.upload.addEventListener("load", () => (state.textContent = "sent, being stored"));
  return new Promise((done) => {
    request.addEventListener("loadend", () => {
      settle(request, item);
      done();
    });
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.send(body);
  });
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const files = [...input.files];
  if (!files.length) return input.focus();
  const fields = [...new FormData(form)].filter(
    ([name]) => name !== "file" && (name !== "title" || files.length === 1));
  const waiting = files.map((file) => [file, line(file)]);
  results.prepend(...waiting.map(([, item]) => item));
  form.querySelector("[name=title]").value = "";
  form.dispatchEvent(new Event("uploading"));
  input.focus();
  const next = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) await post(one[0], fields, one[1]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
});
