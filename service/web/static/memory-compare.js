// Whether what is kept on the device is still what the rulebooks say. The fingerprints of a whole game are loaded, so that the server is not
// told which of them were kept; only what its owner has renewed by hand is read anew, from its own page.

// Compares the ``records`` that are not of the index that serves now; calls ``save`` with those that it has altered.
export async function compare(records, { index, games, address, save }) {
  const outdated = records.filter((each) => each.index !== index && games.includes(each.game));
  for (const game of new Set(outdated.map((each) => each.game))) {
    const response = await fetch(address + encodeURIComponent(game));
    if (!response.ok) continue;
    const table = await response.json();
    const places = new Map();
    for (const [id, [fingerprint]] of Object.entries(table.passages)) {
      if (!places.has(fingerprint)) places.set(fingerprint, []);
      places.get(fingerprint).push(id);
    }
    await save(outdated.filter((each) => each.game === game).map((each) => judged(each, table, places)));
  }
}

function judged(record, { index, passages }, places) {
  const known = Object.hasOwn(passages, record.passage) ? passages[record.passage] : null;
  if (known?.[0] === record.fingerprint) return { ...record, index, state: "same", label: relabelled(record.label, known[1]) };
  const sort = (id) => [id.includes("#"), id.split("/")[0] === "cards"].join();
  const found = (places.get(record.fingerprint) || []).filter((id) => sort(id) === sort(record.passage));
  const [entry] = record.passage.split("#");
  const near = found.find((id) => id.split("#")[0] === entry);
  if (near) return { ...record, index, state: "same", passage: near, url: addressOf(near), label: relabelled(record.label, passages[near][1]) };
  if (found.length) return { ...record, index, state: "moved", passage: found[0], url: addressOf(found[0]) };
  return { ...record, index, state: known ? "changed" : "gone" };
}

// The same citation with the lines or the page of today, which stand behind its last comma.
const relabelled = (label, position) => (position ? label.replace(/, [^,]*$/, () => `, ${position}`) : label);

function addressOf(id) {
  const [entry, ordinal] = id.split("#");
  if (/^(rulings|cards)\//.test(entry)) return `/${encodeURI(entry.replace(/@[^@]*$/, ""))}`;
  return `/e/${entry}${ordinal ? `#p-${entry.slice(entry.indexOf("/") + 1)}-${ordinal}` : ""}`;
}

// Reads the passage of ``record`` anew from its page. Returns what is to be kept in its place, null where it is not there.
export async function renewed(record, { passageAt, keyOf }) {
  const response = await fetch(record.url.split("#")[0], { headers: { Accept: "text/html" } });
  if (!response.ok) return null;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const at = [...page.querySelectorAll("[data-passage]")].find((each) => each.dataset.passage === record.passage);
  if (!at) return null;
  const fresh = passageAt(at, keyOf, page.querySelector("#memory").dataset.index, new URL(response.url).pathname);
  return { ...fresh, favourite: record.favourite, groups: record.groups, note: record.note };
}
