// Where one was reading, kept on the device alone, by edition; and the keys that turn to the next entry. On the page of an entry #reading says which
// it is, in a rulebook #resume offers to go on there. Tests may hold on to: #resume, localStorage "reading:EDITION", [rel=prev], [rel=next].
"use strict";

(() => {
  const PREFIX = "reading:";
  const entry = document.querySelector("#reading");
  const resume = document.querySelector("#resume");
  const about = (entry || resume).dataset;

  function keep(slug, title, place) {
    try {
      localStorage.setItem(PREFIX + about.edition, JSON.stringify({ entry: slug, title, place, document: about.document, at: Date.now() }));
    } catch {
      // full or forbidden: the next visit begins at the beginning
    }
  }

  function kept(edition) {
    try {
      const found = JSON.parse(localStorage.getItem(PREFIX + edition));
      return typeof found?.entry === "string" && typeof found.title === "string" ? { ...found, edition } : null;
    } catch {
      return null; // forbidden, or written by something else
    }
  }

  // Of this edition, else the last of another version of the rulebook.
  function last() {
    const own = kept(about.edition);
    if (own) return own;
    let editions = [];
    try {
      editions = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + about.stem)).map((key) => key.slice(PREFIX.length));
    } catch {
      return null;
    }
    return editions.map(kept).filter(Boolean).sort((one, other) => (other.at || 0) - (one.at || 0))[0] || null;
  }

  async function offer() {
    const found = last();
    if (!found) return;
    const path = `/e/${about.edition}/${found.entry.split("/").map(encodeURIComponent).join("/")}`;
    const same = found.edition === about.edition && found.document === about.document;
    if (!same) {
      // Another version: the entry may be gone, and its passages may be others.
      const answer = await fetch(`${path}?part=preview`, { headers: { Accept: "text/html" } }).catch(() => null);
      if (!answer?.ok) return;
    }
    const link = resume.querySelector("a");
    link.href = path + (same && typeof found.place === "string" && found.place ? `#${encodeURIComponent(found.place)}` : "");
    link.textContent = found.title;
    resume.hidden = false;
    resume.querySelector("button").addEventListener("click", () => {
      try {
        for (const edition of new Set([about.edition, found.edition])) localStorage.removeItem(PREFIX + edition);
      } catch {
        // nothing is kept where nothing can be removed
      }
      resume.hidden = true;
      (document.querySelector("#find") || document.querySelector("#main")).focus();
    });
  }

  // The passage that stands at the top of the window; nothing at the beginning.
  function place() {
    if (scrollY < 100) return "";
    const passages = [...entry.querySelectorAll("[id^='p-'], [id^='e-']")];
    return (passages.findLast((each) => each.getBoundingClientRect().top < 120) || passages[0])?.id || "";
  }

  if (entry) {
    const slug = about.entry;
    keep(slug, about.title, "");
    let waiting;
    const later = () => keep(slug, about.title, place());
    addEventListener("scroll", () => {
      clearTimeout(waiting);
      waiting = setTimeout(later, 400);
    }, { passive: true });
    addEventListener("pagehide", later);
  } else {
    addEventListener("read", (event) => keep(event.detail.entry, event.detail.title, ""));
    offer();
  }

  document.addEventListener("keydown", (event) => {
    const turn = { j: "next", k: "prev" }[event.key];
    if (!turn || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.documentElement.dataset.keys === "off") return;
    if (event.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
    const link = document.querySelector(`a[rel="${turn}"]`);
    if (!link || !entry) return;
    event.preventDefault();
    location.assign(link.href);
  });
})();
