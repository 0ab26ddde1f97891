// What every page shares: messages can be closed, and a request that failed says so.
// Works on what is there; a page without JavaScript loses nothing but the close button.
const sentences = {
  0: "The server could not be reached: what this page shows may be old, and what you just did may not be saved.",
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

function unsay(text) {
  for (const line of document.querySelectorAll("#messages .message")) {
    if (line.firstChild?.textContent === text) line.remove();
  }
}

// An act that was not taken is not made good by a page that loads something else meanwhile.
let failed = "get";
document.addEventListener("htmx:sendError", (event) => {
  if (event.detail.requestConfig?.verb === "post") failed = "post";
  say(sentences[0]);
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.successful || (failed === "post" && event.detail.requestConfig?.verb !== "post")) return;
  failed = "get";
  unsay(sentences[0]);
});
document.addEventListener("htmx:responseError", (event) => {
  const { status, responseText } = event.detail.xhr;
  const page = new DOMParser().parseFromString(responseText, "text/html");
  const said = page.querySelector("[data-sentence]")?.textContent.trim();
  say(said || sentences[status] || "The server had a fault. It was written to its log; reload the page and try again.");
});
