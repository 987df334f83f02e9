// Where one was reading, kept on the device alone, by edition; and the keys that turn to the next entry. On the page of an entry #reading says which
// it is, in a rulebook #resume offers to go on there. Tests may hold on to: #resume, localStorage "reading:EDITION", [rel=prev], [rel=next].
"use strict";

(() => {
  const { get } = Regula;
  const PREFIX = "reading:";
  const [entry, resume] = [get("#reading"), get("#resume")];
  const about = (entry || resume).dataset;

  // What `work` returns; nothing where storage is full or forbidden, or something else has written there.
  function attempt(work) {
    try {
      return work();
    } catch {
      return null;
    }
  }

  const keep = (slug, title, place) =>
    attempt(() => localStorage.setItem(PREFIX + about.edition, JSON.stringify({ entry: slug, title, place, document: about.document, at: Date.now() })));

  // Of this edition, else the last of another version of the rulebook.
  function last() {
    const keys = attempt(() => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + about.stem))) || [];
    const found = keys.map((key) => attempt(() => ({ ...JSON.parse(localStorage.getItem(key)), edition: key.slice(PREFIX.length) })));
    const fit = found.filter((each) => typeof each?.entry === "string" && typeof each.title === "string");
    return fit.find((each) => each.edition === about.edition) || fit.sort((one, other) => (other.at || 0) - (one.at || 0))[0];
  }

  async function offer() {
    const found = last();
    if (!found) return;
    const path = `/e/${about.edition}/${found.entry.split("/").map(encodeURIComponent).join("/")}`;
    const same = found.edition === about.edition && found.document === about.document;
    // In another version the entry may be gone, and its passages may be others.
    if (!same && !(await fetch(`${path}?part=preview`).catch(() => null))?.ok) return;
    Object.assign(get("a", resume), { href: path + (same && found.place ? `#${encodeURIComponent(found.place)}` : ""), textContent: found.title });
    resume.hidden = false;
    get("button", resume).onclick = () => {
      for (const edition of [about.edition, found.edition]) attempt(() => localStorage.removeItem(PREFIX + edition));
      resume.hidden = true;
      get("#find").focus();
    };
  }

  // The passage at the top of the window; none at the beginning.
  function place() {
    const passages = scrollY < 100 ? [] : [...entry.querySelectorAll("[id^='p-'], [id^='e-']")];
    return (passages.findLast((each) => each.getBoundingClientRect().top < 120) || passages[0])?.id || "";
  }

  if (entry) {
    let waiting;
    const later = () => keep(about.entry, about.title, place());
    keep(about.entry, about.title, "");
    addEventListener("scroll", () => {
      clearTimeout(waiting);
      waiting = setTimeout(later, 400);
    }, { passive: true });
    addEventListener("pagehide", later);
  } else {
    addEventListener("read", ({ detail }) => keep(detail.entry, detail.title, ""));
    offer();
  }

  document.addEventListener("keydown", (event) => {
    const link = entry && get(`a[rel="${{ j: "next", k: "prev" }[event.key]}"]`);
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.documentElement.dataset.keys === "off") return;
    if (event.target.closest("input, select, textarea, dialog, [contenteditable]")) return;
    event.preventDefault();
    location.assign(link.href);
  });
})();
