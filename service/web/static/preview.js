// What a reference leads to, in a small window beside it: by mouse, keyboard and touch. Without script it is a link.
"use strict";

(() => {
  const kept = new Map(); // address → promise of the piece of page, "" where it cannot be had
  let open, tapped, timer; // the link whose window is open, the one that was tapped

  const shown = Object.assign(document.createElement("div"), { className: "preview", id: "preview", hidden: true });
  document.querySelector("main").append(shown); // inside a landmark

  function piece({ pathname }) {
    const asked = () => fetch(`${pathname}?part=preview`, { headers: { Accept: "text/html" } }).then((found) => (found.ok ? found.text() : ""), () => "");
    if (!kept.has(pathname)) kept.set(pathname, asked());
    return kept.get(pathname);
  }

  function close() {
    clearTimeout(timer);
    open?.removeAttribute("aria-describedby");
    open = null;
    shown.hidden = true;
  }

  async function show(link) {
    clearTimeout(timer);
    if (open === link) return;
    const html = await piece(link);
    if (!html) kept.delete(link.pathname);
    if (!html || (link !== document.activeElement && !link.matches(":hover") && link !== tapped)) return;
    close();
    shown.innerHTML = html; // our own page, escaped there
    shown.hidden = false;
    open = link;
    link.setAttribute("aria-describedby", "preview");
    const [at, room] = [link.getBoundingClientRect(), document.documentElement]; // of all its lines
    const left = Math.max(8, Math.min(at.left, room.clientWidth - shown.offsetWidth - 8));
    const above = at.top - 6 - shown.offsetHeight;
    const top = at.bottom + 6 + shown.offsetHeight <= room.clientHeight || above < 0 ? at.bottom + 6 : above;
    Object.assign(shown.style, { left: `${left + scrollX}px`, top: `${top + scrollY}px` });
  }

  function later(what, pause) {
    clearTimeout(timer);
    timer = setTimeout(what, pause);
  }
  const reference = ({ target }) => target.closest?.("a.ref");

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = reference(event);
    if (link) later(() => show(link), 250);
    else if (!open || shown.contains(event.target)) clearTimeout(timer);
    else if (open !== document.activeElement) later(close, 300);
  });
  document.addEventListener("focusin", (event) => {
    const link = reference(event);
    if (link?.matches(":focus-visible")) later(() => show(link), 150);
    else if (open && !shown.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !open) return;
    event.stopPropagation();
    if (shown.contains(document.activeElement)) open.focus();
    tapped = null;
    close();
  });
  // A first tap shows what the reference is, a second one goes there.
  document.addEventListener("click", async (event) => {
    const link = reference(event);
    if (link && event.pointerType === "touch" && open !== link) {
      event.preventDefault();
      tapped = link;
      await show(link);
      if (open !== link) location.assign(link.href); // nothing to show
    } else if (!link && open && !shown.contains(event.target)) {
      tapped = null;
      close();
    }
  });
  addEventListener("resize", close);
})();
