// "Dismiss…" and "Accept…" are links to a page that asks why. With scripts the same question
// opens at once inside the finding, so that keys typed next go into the reason.
const template = document.getElementById("reason-template");
const ASK = {
  dismiss: ["Why is this no fault?", "Dismiss"],
  accept: ["Why may this stay as it is?", "Accept"],
  "dismiss-kind": ["Why are these no faults?", "Dismiss all"],
};

function close(form) {
  const card = form.closest(".finding") ?? form.closest(".line").querySelector("summary");
  form.remove();
  card.focus({ preventScroll: true });
}

function hidden(name, value) {
  return Object.assign(document.createElement("input"), { type: "hidden", name, value });
}

function ask(link) {
  document.querySelectorAll("form.reason:not(.sent)").forEach((form) => form.remove());
  const form = template.content.firstElementChild.cloneNode(true);
  const [question, act] = ASK[link.dataset.act];
  form.querySelector("label").textContent = question;
  form.querySelector(".primary").textContent = act;
  form.action = link.href;
  if (link.dataset.act === "dismiss-kind") {
    const named = new URL(link.href).searchParams;
    form.append(...["rule", "severity"].map((name) => hidden(name, named.get(name))));
  }
  const line = link.closest(".together");
  if (line) line.after(form);
  else link.closest(".finding").append(form);
  form.elements.reason.focus();
  form.scrollIntoView({ block: "nearest" });
}

if (template) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-act]");
    if (link && link.dataset.act in ASK && !(event.metaKey || event.ctrlKey || event.shiftKey)) {
      event.preventDefault();
      ask(link);
    }
    if (event.target.closest?.("form.reason [data-close]")) close(event.target.closest("form.reason"));
  });
  document.addEventListener("keydown", (event) => {
    const form = event.target.closest?.("form.reason");
    if (form && event.key === "Escape") close(form);
  });
}
