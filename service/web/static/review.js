// Keys of the review: j and k from text to text, e edits, d drops or takes back, Enter keeps the passage; Escape leaves a text.
// Without script the forms do the same.
"use strict";

(() => {
  const drafts = [...document.querySelectorAll("[data-draft]")];
  const forms = [...document.querySelectorAll("form[data-review]")];
  let at = -1;

  const textOf = (draft) => draft.querySelector("textarea");

  function go(number) {
    if (!drafts.length) return;
    drafts[at]?.classList.remove("here");
    at = Math.min(Math.max(number, 0), drafts.length - 1);
    drafts[at].classList.add("here");
    drafts[at].querySelector("input").focus();
    drafts[at].scrollIntoView({ block: "center" });
  }

  function keep() {
    const form = at < 0 ? forms[0] : drafts[at].closest("form");
    form?.requestSubmit(form.querySelector("button[value=keep]"));
  }

  const keys = { j: () => go(at + 1), k: () => go(at - 1), e: () => at >= 0 && textOf(drafts[at]).focus(), d: drop, Enter: keep };

  function drop() {
    if (at >= 0) drafts[at].querySelector("input").click();
  }

  document.addEventListener("focusin", (event) => {
    const draft = event.target.closest("[data-draft]");
    if (!draft) return;
    drafts[at]?.classList.remove("here");
    at = drafts.indexOf(draft);
    draft.classList.add("here");
  });

  document.addEventListener("keydown", (event) => {
    if (event.target.matches("textarea") && event.key === "Escape") {
      event.preventDefault();
      event.target.closest("[data-draft]").querySelector("input").focus();
      return;
    }
    if (document.documentElement.dataset.keys === "off" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("textarea, select, button, a, summary, input:not([type=checkbox])")) return;
    const does = keys[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
})();
