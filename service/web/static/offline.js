// Lists what the service worker has kept: questions by their words, entries by the titles of their pages, the latest first.
"use strict";

(async () => {
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
  if (!window.caches) return;
  await show("asked", 30, (url) => url.searchParams.get("q"));
  await show("read", 100, async (url, page) => {
    if (url.pathname === "/") return null;
    return new DOMParser().parseFromString(await (await page()).text(), "text/html").title.replace(/ – Regula$/, "");
  });
})();
