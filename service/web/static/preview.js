// What a reference leads to, in a small window beside it: by mouse, keyboard and touch. Without script it is a link.
"use strict";

(() => {
  const kept = new Map(); // address → promise of the piece of page
  let open = null; // the link whose window is open
  let timer = 0;

  const window_ = document.createElement("div");
  window_.className = "preview";
  window_.id = "preview";
  window_.hidden = true;
  (document.querySelector("main") || document.body).append(window_); // inside a landmark

  const piece = (link) => {
    const address = link.pathname + "?part=preview";
    if (!kept.has(address)) {
      kept.set(address, fetch(address, { headers: { Accept: "text/html" } }).then((found) => {
        if (!found.ok) throw new Error(String(found.status));
        return found.text();
      }).catch(() => {
        kept.delete(address);
        return "";
      }));
    }
    return kept.get(address);
  };

  const close = () => {
    clearTimeout(timer);
    if (!open) return;
    open.removeAttribute("aria-describedby");
    open = null;
    window_.hidden = true;
  };

  const show = async (link) => {
    clearTimeout(timer);
    if (open === link) return;
    const html = await piece(link);
    if (!html || (link !== document.activeElement && !link.matches(":hover") && link !== tapped)) return;
    close();
    window_.innerHTML = html; // our own page, escaped there
    window_.hidden = false;
    open = link;
    link.setAttribute("aria-describedby", "preview");
    const at = link.getBoundingClientRect(); // of all its lines
    const room = document.documentElement;
    const wide = window_.offsetWidth;
    const high = window_.offsetHeight;
    const left = Math.max(8, Math.min(at.left, room.clientWidth - wide - 8));
    const below = at.bottom + 6 + high <= room.clientHeight || at.top - 6 - high < 0;
    window_.style.left = `${left + scrollX}px`;
    window_.style.top = `${(below ? at.bottom + 6 : at.top - 6 - high) + scrollY}px`;
  };

  let tapped = null;
  const later = (what, pause) => {
    clearTimeout(timer);
    timer = setTimeout(what, pause);
  };
  const reference = (event) => (event.target instanceof Element ? event.target.closest("a.ref") : null);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = reference(event);
    if (link) later(() => show(link), 250);
    else if (open && window_.contains(event.target)) clearTimeout(timer);
    else if (open && open !== document.activeElement) later(close, 300);
    else if (!open) clearTimeout(timer);
  });
  document.addEventListener("focusin", (event) => {
    const link = reference(event);
    if (link && link.matches(":focus-visible")) later(() => show(link), 150);
    else if (open && !window_.contains(event.target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      if (window_.contains(document.activeElement)) open.focus();
      tapped = null;
      close();
    }
  });
  // A first tap shows what the reference is, a second one goes there.
  document.addEventListener("click", (event) => {
    const link = reference(event);
    if (link && event.pointerType === "touch" && open !== link) {
      event.preventDefault();
      tapped = link;
      show(link).then(() => {
        if (open !== link) location.assign(link.href); // nothing to show
      });
    } else if (!link && open && !window_.contains(event.target)) {
      tapped = null;
      close();
    }
  });
  addEventListener("resize", close);
})();
