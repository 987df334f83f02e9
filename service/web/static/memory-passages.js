// What a page of this site says of a passage, as it is kept on the device: its names, and its words as the server has quoted them.

// What memory.js has put into the page is no part of a passage.
const OURS = "[data-tool]";
const BLOCKS = "p, li";
const ROLES = ["void", "question", "example"];

// Says what is kept of the element ``at``, which is a quotation, an entry or a block on the page of an entry, whose address is ``path``.
export function passageAt(at, key, index, path = location.pathname) {
  const { passage, fingerprint, label } = at.dataset;
  const [layer, second] = passage.split("/");
  const beside = layer === "rulings" || layer === "cards";
  const game = beside ? second : at.closest("[data-game]").dataset.game;
  const blocks = blocksOf(at);
  return {
    key: key(game, fingerprint),
    passage,
    fingerprint,
    label,
    game,
    heading: headingOf(at),
    url: addressOf(at, path),
    language: (blocks[0] || at).closest("[lang]").lang,
    layer: beside ? layer : "rulebook",
    words: wordsOf(blocks),
    index,
    state: "same",
    kept: new Date().toISOString(),
    favourite: false,
    groups: [],
    note: null,
  };
}

function headingOf(at) {
  const title = at.querySelector("h1, h2:not(.label), h3, .item-title");
  const around = at.closest(".part")?.querySelector("h2, h3, h4, h5, h6");
  const heading = (at.matches(".quote, .entry") ? title : around) || at.ownerDocument.querySelector("h1");
  const copied = heading.cloneNode(true);
  for (const each of copied.querySelectorAll(`${OURS}, .card, .quiet`)) each.remove();
  return plain(copied.textContent);
}

function addressOf(at, path) {
  const link = at.dataset.answer !== undefined && at.querySelector("[data-open]");
  if (link) return link.pathname + link.hash;
  if (at.dataset.passage.startsWith("rulings/")) return `/${encodeURI(at.dataset.passage.split("#")[0])}`;
  return path + (at.matches(".wording *") ? `#${at.id}` : "");
}

// The paragraphs and bullets that a passage consists of, as they are printed.
export function blocksOf(at) {
  const within = (root) => [...root.querySelectorAll(BLOCKS)].filter((each) => !each.closest(`${OURS}, .lead-in, .warning`));
  if (at.matches(".quote")) {
    const quoted = [...at.querySelectorAll("blockquote")].filter((each) => !each.closest("details") && !each.matches(".flavour"));
    return quoted.flatMap(within);
  }
  if (at.matches(".entry")) return within(at.querySelector(".wording"));
  const all = within(at.closest(".wording"));
  const rest = all.slice(all.indexOf(at) + 1);
  const end = rest.findIndex((each) => each.dataset.passage || each.closest(".part") !== at.closest(".part"));
  return [at, ...(end < 0 ? rest : rest.slice(0, end))];
}

export const MOST_WORDS = 20_000; // characters of a passage, of a chapter only its beginning

function wordsOf(blocks) {
  const words = [];
  let room = MOST_WORDS;
  for (const block of blocks) {
    const copied = block.cloneNode(true);
    for (const inside of copied.querySelectorAll(`ul, p, ${OURS}, .warning`)) inside.remove();
    const text = plain(copied.textContent);
    room -= text.length;
    if (room < 0) break;
    if (text) words.push({ text, depth: depthOf(block), role: ROLES.find((role) => block.classList.contains(role)) || "" });
  }
  return words;
}

const depthOf = (block) => {
  let depth = 0;
  for (let each = block; each && !each.matches("blockquote, .wording"); each = each.parentElement) depth += each.matches("ul");
  return depth;
};

const plain = (text) => text.replace(/\s+/g, " ").trim();
