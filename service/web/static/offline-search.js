// Finds passages in a pack (service/browse/offline_packs.py), with MiniSearch: minisearch.js is dist/es/index.js of minisearch 7.2.0 as npm has it,
// SHA-256 0393b3ba253b809d5e55707c7b0875ef9b518a296a006c6739b28876e154edb3; minisearch-LICENSE.txt is its licence.
import MiniSearch from "./minisearch.js";

// Tuned on practice questions: a wide range around these finds as much.
const BOOSTS = { title: 0.5, text: 1, names: 1, mentions: 0.5, variants: 2 };
const RULE_NUMBER = 5; // a word such as 4.2.1
const OWN_LANGUAGE = 1.5; // passages in the reader's language, where another edition says the same
const SLIPS = 0.2; // share of the letters that a word may be off which no passage has
const CERTAINTY = { fuzzy: 0.2, prefix: 0.3 }; // of such a word
const STEM = 5;

// Words without case and accents. The server divides texts likewise.
function words(text) {
  const plain = text.toLowerCase().replaceAll("ß", "ss").normalize("NFKD").replace(/\p{M}/gu, "");
  return plain.match(/[\p{L}\p{N}]+(?:\.[0-9]+)*/gu) ?? [];
}

const terms = (word) => (word.length > STEM ? [word, `${word.slice(0, STEM)}*`] : word); // other forms begin alike

export const DIVISION = { tokenize: words, processTerm: terms };

// The function that finds passages in `pack`: of `edition` where one is given, those in `language` first; at most `k`, the best first.
export function openPack({ passages, editions, search }) {
  const found = MiniSearch.loadJS(search, { fields: Object.keys(search.fieldIds), ...DIVISION });
  const known = new Set(search.index.map(([term]) => term));
  const languages = new Map(editions.map(({ id, language }) => [id, language]));
  return ({ question, edition, language, k }) => {
    const hits = found.search(question, {
      boost: BOOSTS,
      weights: CERTAINTY,
      fuzzy: (term) => (known.has(term) || term.endsWith("*") ? false : SLIPS),
      boostTerm: (term) => (term.includes(".") ? RULE_NUMBER : 1),
      boostDocument: (n) => (languages.get(passages[n].edition) === language ? OWN_LANGUAGE : 1),
      filter: ({ id }) => !edition || passages[id].edition === edition,
    });
    const shown = new Map(); // by their words: what is printed in several editions is shown once
    for (const { id, score } of hits) {
      const passage = passages[id];
      const same = shown.get(passage.words);
      if (same) same.also.push({ link: passage.link, label: passage.label });
      else if (shown.size < k) shown.set(passage.words, { ...passage, score, also: [] });
    }
    return [...shown.values()];
  };
}
