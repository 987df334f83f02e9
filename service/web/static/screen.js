// The whole screen without a page load, so that it stays filled: arrows turn, Escape goes back, f fills. Without it all goes by links.
// Tests may hold on to: #main, #fill, .turn [data-key] (the link that the key of this name follows).
"use strict";

(() => {
  const get = (selector, within = document) => within.querySelector(selector);
  let turning;

  async function turn(to) {
    turning?.abort();
    const mine = (turning = new AbortController());
    try {
      const response = await fetch(to, { headers: { Accept: "text/html" }, signal: mine.signal });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!get("body.screen", page)) throw new Error("no passage");
      document.title = page.title;
      document.body.className = page.body.className;
      get("#main").replaceWith(get("#main", page));
      get(".turn").replaceWith(get(".turn", page));
      history.replaceState(null, "", to); // the way back leads to where the screen was opened
      offer();
      scrollTo(0, 0);
      get("#main").focus({ preventScroll: true });
    } catch (fault) {
      if (fault.name !== "AbortError") location.assign(to);
    }
  }

  const fill = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.().catch(() => undefined));

  function offer() {
    get("#fill").hidden = !document.fullscreenEnabled;
  }

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest(".turn [rel]");
    if (event.target.closest("#fill")) fill();
    else if (link) turn(link.href);
    else return;
    event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const link = get(`.turn [data-key="${event.key}"]`);
    if (event.key === "f") fill();
    else if (!link) return;
    else if (link.rel) turn(link.href);
    else location.assign(link.href); // Escape leaves the filled screen first; browsers keep that press for themselves
    event.preventDefault();
  });

  // A screen that everybody reads is not to go dark; where the device refuses, it does as always.
  const wake = () => document.visibilityState === "visible" && navigator.wakeLock?.request("screen").catch(() => undefined);
  document.addEventListener("visibilitychange", wake);
  wake();
  offer();
})();
