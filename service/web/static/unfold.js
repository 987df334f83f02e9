// Entries unfold where they are listed: their words are loaded when they are opened. Without script they are links, and chapters lists of links.
// The address has what is open (#open=…), so that it is open again after going back. Tests may hold on to: [data-entry] > details, .unfolded.
"use strict";

(() => {
  const OPEN = "#open=";
  const MOST = 40; // entries that the address names

  // The link of an item becomes the summary of what it unfolds; what else stands in its line stays in it.
  function upgrade(root) {
    for (const link of root.querySelectorAll("a[data-unfold]")) {
      const details = document.createElement("details");
      const summary = details.appendChild(document.createElement("summary"));
      const title = document.createElement("span");
      details.dataset.href = link.getAttribute("href");
      title.append(...link.childNodes);
      const item = link.parentElement;
      link.replaceWith(title);
      summary.append(...item.childNodes);
      item.append(details);
    }
  }

  const named = (details) => details.closest("[data-entry]").dataset.entry;

  async function load(details) {
    const summary = details.firstElementChild;
    const piece = new URL(details.dataset.href, location.href);
    piece.searchParams.set("part", "inside");
    details.setAttribute("aria-busy", "true");
    try {
      const found = await fetch(piece, { headers: { Accept: "text/html" } });
      if (!found.ok) throw new Error(String(found.status));
      const inside = new DOMParser().parseFromString(await found.text(), "text/html").querySelector(".unfolded");
      if (!inside) throw new Error("not a piece of this site");
      upgrade(inside);
      details.replaceChildren(summary, inside);
      details.dataset.loaded = "";
      dispatchEvent(new CustomEvent("unfolded"));
    } catch {
      delete details.dataset.loaded; // tried again when it is opened again
      if (!details.querySelector(".lost")) {
        const lost = Object.assign(document.createElement("p"), { className: "lost quiet" });
        const link = Object.assign(document.createElement("a"), { href: details.dataset.href, textContent: summary.firstElementChild?.textContent || summary.textContent });
        lost.append(document.querySelector("#contents").dataset.lost, " ", link);
        summary.after(lost);
      }
    } finally {
      details.removeAttribute("aria-busy");
    }
  }

  // What is open and seen: what is inside something closed is left out, and is open again with it.
  function remember() {
    const open = [...document.querySelectorAll("#contents [data-entry] > details[open]")].filter((each) => !each.parentElement.closest("details:not([open])"));
    const slugs = open.slice(-MOST).map((each) => encodeURIComponent(named(each)));
    const hash = slugs.length ? OPEN + slugs.join(",") : location.hash.startsWith(OPEN) ? "" : location.hash;
    history.replaceState({ ...history.state, open: slugs }, "", location.pathname + location.search + hash);
  }

  async function restore() {
    const named = location.hash.startsWith(OPEN) ? location.hash.slice(OPEN.length).split(",") : history.state?.open || [];
    const top = history.state?.top;
    let last;
    for (const slug of named.slice(0, MOST)) {
      let name = slug;
      try {
        name = decodeURIComponent(slug);
      } catch {
        continue; // cut off when it was copied
      }
      const details = document.querySelector(`#contents [data-entry="${CSS.escape(name)}"] > details`);
      if (!details) continue;
      const loading = load(details); // before it is open, so that it is loaded once
      details.dataset.loaded = "";
      await loading;
      details.open = true;
      last = details;
    }
    if (!last) return;
    if (top) scrollTo(0, top);
    else last.scrollIntoView({ block: "start" });
  }

  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (!target.matches?.("#contents [data-entry] > details")) return;
      if (target.open && !("loaded" in target.dataset)) {
        load(target);
        dispatchEvent(new CustomEvent("read", { detail: { entry: named(target), title: target.querySelector("summary > :first-child")?.textContent || target.querySelector("summary").textContent.trim() } }));
      }
      remember();
    },
    true,
  ); // it does not bubble

  addEventListener("pagehide", () => history.state?.open && history.replaceState({ ...history.state, top: scrollY }, ""));
  addEventListener("found", () => upgrade(document.querySelector("#contents")));
  addEventListener("hashchange", () => location.hash.startsWith(OPEN) && restore());
  upgrade(document.querySelector("#contents"));
  restore();
})();
