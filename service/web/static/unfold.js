// Entries unfold where they are listed: their words are loaded when they are opened. Without script they are links, and chapters lists of links.
// The address has what is open (#open=…), so that it is open again after going back. Tests may hold on to: [data-entry] > details, .unfolded.
"use strict";

(() => {
  const { get } = Regula;
  const OPEN = "#open=";
  const MOST = 40; // entries that the address names
  const make = (tag, values) => Object.assign(document.createElement(tag), values);
  const named = (details) => encodeURIComponent(details.parentElement.dataset.entry);
  const every = () => [...document.querySelectorAll("#contents [data-entry] > details")];

  // The link of an item becomes the summary of what it unfolds; what else is in its line stays in it.
  function upgrade(root) {
    for (const link of root.querySelectorAll("a[data-unfold]")) {
      const [item, title, summary, details] = [link.parentElement, make("span"), make("summary"), make("details")];
      details.dataset.href = link.getAttribute("href");
      title.append(...link.childNodes);
      link.replaceWith(title);
      summary.append(...item.childNodes);
      details.append(summary);
      item.append(details);
    }
  }

  async function load(details) {
    const [summary, { href }] = [details.firstElementChild, details.dataset];
    const piece = new URL(href, location.href);
    piece.searchParams.set("part", "inside");
    details.dataset.loaded = "";
    details.setAttribute("aria-busy", "true");
    try {
      const found = await fetch(piece, { headers: { Accept: "text/html" } });
      const inside = get(".unfolded", new DOMParser().parseFromString(await found.text(), "text/html"));
      upgrade(inside);
      details.replaceChildren(summary, inside);
      dispatchEvent(new Event("unfolded"));
    } catch {
      delete details.dataset.loaded; // tried again when it is opened again
      const lost = make("p", { className: "lost quiet", textContent: `${get("#contents").dataset.lost} ` });
      lost.append(make("a", { href, textContent: summary.firstElementChild.textContent }));
      details.replaceChildren(summary, lost);
    }
    details.removeAttribute("aria-busy");
  }

  // What is open and seen: what is inside something closed is left out.
  function remember() {
    const open = every().filter((each) => each.open && !each.parentElement.closest("details:not([open])"));
    const hash = open.length ? OPEN + open.slice(-MOST).map(named).join(",") : location.hash.startsWith(OPEN) ? "" : location.hash;
    history.replaceState(history.state, "", location.pathname + location.search + hash);
  }

  async function restore() {
    if (!location.hash.startsWith(OPEN)) return;
    let last;
    for (const slug of location.hash.slice(OPEN.length).split(",").slice(0, MOST)) {
      const details = every().find((each) => named(each) === slug);
      if (!details) continue;
      await load(details);
      details.open = true;
      last = details;
    }
    last?.scrollIntoView();
  }

  document.addEventListener("toggle", ({ target }) => {
    if (!target.matches("#contents [data-entry] > details")) return;
    if (target.open && !("loaded" in target.dataset)) {
      load(target);
      dispatchEvent(new CustomEvent("read", { detail: { entry: target.parentElement.dataset.entry, title: target.firstElementChild.firstChild.textContent.trim() } }));
    }
    remember();
  }, true); // it does not bubble

  addEventListener("found", () => upgrade(get("#contents")));
  addEventListener("hashchange", restore);
  upgrade(get("#contents"));
  restore();
})();
