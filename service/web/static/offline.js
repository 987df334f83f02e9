// The page shown without a network: an answer from what is loaded on the device, where the address asks something; else what can be read, which is
// what the service worker has kept: questions by their words, entries by the titles of their pages, the latest first.
"use strict";

(async () => {
  const packs = document.getElementById("packs");
  const main = document.getElementById("main");
  const at = new URLSearchParams(location.search);

  const show = async (sort, most, label) => {
    const section = document.getElementById(sort);
    for (const name of (await caches.keys()).filter((n) => n.startsWith(`${sort}-`))) {
      const cache = await caches.open(name);
      for (const request of (await cache.keys()).reverse().slice(0, most)) {
        const told = await label(new URL(request.url), () => cache.match(request, { ignoreVary: true }));
        if (!told) continue;
        const link = document.createElement("a");
        link.href = request.url;
        link.textContent = told;
        section.lastElementChild.appendChild(document.createElement("li")).append(link);
        section.hidden = false;
        document.getElementById("nothing").hidden = true;
      }
    }
  };

  if (location.pathname === "/offline") document.querySelector("[data-again]").href = "/";
  if (location.pathname === "/") main.dataset.page = "ask"; // the next question is asked without a page load
  if (location.pathname === "/" && at.get("q")?.trim() && packs) {
    try {
      const { answerHere } = await import(packs.dataset.answer);
      const answered = await answerHere(location.href);
      main.replaceWith(answered);
      document.title = answered.dataset.title;
      Regula.say(answered.dataset.said);
      return;
    } catch {
      // This browser stores nothing: the lists say what is there.
    }
  }
  if (packs) import(packs.dataset.script);
  if (!window.caches) return;
  await show("asked", 30, (url) => url.searchParams.get("q"));
  await show("read", 100, async (url, page) => {
    if (url.pathname === "/") return null;
    return new DOMParser().parseFromString(await (await page()).text(), "text/html").title.replace(/ – Regula$/, "");
  });
})();
