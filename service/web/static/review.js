// Keys of the review: j and k go from text to text, e edits, d drops or takes back, Enter keeps the passage; Escape leaves a text.
// Without script the forms do the same.
"use strict";

(() => {
  const drafts = [...document.querySelectorAll("[data-draft]")];
  const find = (name) => drafts[at]?.querySelector(name);
  let at = -1;

  function go(number) {
    if (!drafts.length) return;
    drafts[Math.min(Math.max(number, 0), drafts.length - 1)].querySelector("input").focus();
    drafts[at].scrollIntoView({ block: "center" });
  }

  function keep() {
    const form = (drafts[at] || document).closest?.("form") || document.querySelector("form[data-review]");
    form?.requestSubmit(form.querySelector("button[value=keep]"));
  }

  const keys = { j: () => go(at + 1), k: () => go(at - 1), e: () => find("textarea")?.focus(), d: () => find("input")?.click(), Enter: keep };

  document.addEventListener("focusin", ({ target }) => {
    const draft = target.closest("[data-draft]");
    if (!draft) return;
    drafts[at]?.classList.remove("here");
    at = drafts.indexOf(draft);
    draft.classList.add("here");
  });

  document.addEventListener("keydown", (event) => {
    const writing = event.target.matches("textarea, select, button, a, summary, input:not([type=checkbox])");
    const leaves = event.key === "Escape" && event.target.matches("[data-draft] textarea");
    const off = document.documentElement.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey;
    const does = leaves ? () => find("input").focus() : !off && !writing && keys[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
})();
