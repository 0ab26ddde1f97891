// On paper every sheet is there, also those that nobody has scrolled to yet.
window.addEventListener("beforeprint", () => {
  document.querySelectorAll("#sheets img[loading]").forEach((image) => image.removeAttribute("loading"));
});
