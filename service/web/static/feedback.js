// What a reader says of a passage, without leaving the page: the form is sent as it would be, and the one that comes back takes its place.
// What it holds on to, and tests may: [data-feedback] (the form under a passage; data-said: what it is that it says), in it buttons.
// Of page.js: Regula. Of ask.js: [data-answer].
"use strict";

document.addEventListener("submit", async (event) => {
  const { get, said, say } = Regula;
  const form = event.target.closest("[data-feedback]");
  if (!form) return;
  event.preventDefault();
  if (form.hasAttribute("aria-busy")) return;
  const answer = form.closest("[data-answer]").dataset.answer;
  const body = new URLSearchParams(new FormData(form));
  body.set(event.submitter.name, event.submitter.value);
  form.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(form.action, { method: "POST", body });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = get(`[data-answer="${CSS.escape(answer)}"] [data-feedback]`, page);
    if (!fresh) return say(get("h1", page)?.textContent || said.dataset.lost, true);
    form.replaceWith(fresh);
    get("button", fresh).focus({ preventScroll: true });
    say(fresh.dataset.said || "");
  } catch {
    say(said.dataset.lost, true);
  } finally {
    form.removeAttribute("aria-busy");
  }
});
