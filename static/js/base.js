// What every page shares: messages can be closed, and a request that failed says so.
// Works on what is there; a page without JavaScript loses nothing but the close button.
const sentences = {
  0: "The server could not be reached. What you did was not saved; try again in a moment.",
  403: "You may not do this here, or your session has ended. Nothing was changed. Reload the page.",
  404: "This is no longer here. Reload the page to see what is.",
  413: "That is larger than the server takes. Nothing was kept.",
};

function say(text) {
  const box = document.getElementById("messages");
  if (!box || [...box.children].some((one) => one.firstChild?.textContent === text)) return;
  const line = document.createElement("p");
  line.className = "message error";
  const words = document.createElement("span");
  words.textContent = text;
  const close = document.createElement("button");
  close.type = "button";
  close.dataset.dismiss = "";
  close.setAttribute("aria-label", "Close this message");
  close.textContent = "×";
  line.append(words, close);
  box.append(line);
}

document.addEventListener("click", (event) => {
  event.target.closest?.("[data-dismiss]")?.parentElement.remove();
});

document.addEventListener("htmx:sendError", () => say(sentences[0]));
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  say(sentences[status] ?? "The server had a fault. It was written to its log; reload the page and try again.");
});
