// The whole screen without a page load, so that it stays filled: arrows turn, Escape goes back, f fills. Without it all goes by links.
// Tests may hold on to: #main, #fill, .turn [data-key] (the link that the key of this name follows).
"use strict";

(() => {
  const get = (selector, within = document) => within.querySelector(selector);
  const offer = () => (get("#fill").hidden = !document.fullscreenEnabled);
  const fill = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen().catch(() => undefined));
  let turning;

  async function turn(to) {
    turning?.abort();
    const { signal } = (turning = new AbortController());
    try {
      const response = await fetch(to, { headers: { Accept: "text/html" }, signal });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!get("body.screen", page)) throw new Error("another page");
      get("#main").replaceWith(get("#main", page));
      get(".turn").replaceWith(get(".turn", page));
      document.title = page.title;
      document.body.className = page.body.className;
      history.replaceState(null, "", to); // the way back leads to where the screen was opened
      offer();
      scrollTo(0, 0);
      get("#main").focus({ preventScroll: true });
    } catch (fault) {
      if (fault.name !== "AbortError") location.assign(to);
    }
  }

  function does(event, link, filling) {
    if ((!link && !filling) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    if (filling) fill();
    else if (link.rel) turn(link.href);
    else location.assign(link.href); // Escape leaves the filled screen first; browsers keep that press for themselves
  }

  document.addEventListener("click", (event) => does(event, event.target.closest(".turn [rel]"), event.target.closest("#fill")));
  document.addEventListener("keydown", (event) => does(event, get(`.turn [data-key="${CSS.escape(event.key)}"]`), event.key === "f"));

  // A screen that everybody reads is not to go dark; where the device refuses, it does as always.
  const wake = () => document.visibilityState === "visible" && navigator.wakeLock?.request("screen").catch(() => undefined);
  document.addEventListener("visibilitychange", wake);
  wake();
  offer();
})();
