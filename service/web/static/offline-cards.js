// Cards named in questions: those that a rulebook has rulings or errata for (glossary/card_names.py).

import { Speller } from "./offline-spelling.js";
import { tokenize } from "./offline-text.js";

const SENTENCE = /[.?!:\n]\s*["„“«]?\s*$/;
const QUOTES = "\"„“”«»‚‘’'";

export class CardNames {
  constructor(table, folder) {
    this.folder = folder;
    this.cards = table.cards;
    this.names = new Map(Object.entries(table.names));
    this.everyday = new Set(table.everyday);
    this.types = new Set(table.types);
    this.longest = new Map();
    this.words = new Set();
    for (const name of this.names.keys()) {
      const words = name.split(" ");
      this.longest.set(words[0], Math.max(this.longest.get(words[0]) ?? 0, words.length));
      for (const word of words) this.words.add(word);
    }
    this.speller = new Speller(this.words, folder);
  }

  /** The cards that a question names, in order of place. */
  mentions(question) {
    if (!this.cards.length) return [];
    const tokens = tokenize(question);
    const meant = tokens.map((token) => this.#spelling(token.text));
    const longest = meant.map(([word]) => this.longest.get(word) ?? 0);
    const found = [], covered = new Set();
    for (let length = Math.max(0, ...longest); length > 0; length--) {
      for (let first = 0; first + length <= tokens.length; first++) {
        if (longest[first] < length) continue;
        const places = Array.from({ length }, (_, n) => first + n);
        if (places.some((place) => covered.has(place))) continue;
        const names = this.names.get(places.map((place) => meant[place][0]).join(" "));
        const here = names ? this.#judge(names, question, tokens.slice(first, first + length), meant.slice(first, first + length)) : [];
        if (here.length) {
          found.push(...here);
          places.forEach((place) => covered.add(place));
        }
      }
    }
    return found.sort((a, b) => a.start - b.start || b.certainty - a.certainty);
  }

  #judge(names, question, tokens, meant) {
    const { start } = tokens[0], { end } = tokens[tokens.length - 1];
    const whole = names.filter(([, isWhole]) => isWhole);
    const misspelt = meant.some(([, slip]) => slip);
    let certainty = whole.length ? 1 : 0.8;
    if (tokens.length === 1 && !this.#quoted(question, start, end) && !this.#followsType(question, start)) {
      const ordinary = this.everyday.has(meant[0][0]);
      const letter = tokens[0].text[0];
      const raised = letter !== letter.toLowerCase() && question !== question.toUpperCase();
      const within = start > 0 && !SENTENCE.test(question.slice(Math.max(start - 4, 0), start));
      if (ordinary && (misspelt || !whole.length || !raised || !within)) return [];
      if (!whole.length && !raised) return [];
      certainty = ordinary ? 0.5 : whole.length ? 1 : 0.6;
    }
    return (whole.length ? whole : names).map(([card]) => ({
      start, end, card: this.cards[card][0], entries: this.cards[card][1], certainty: certainty - (misspelt ? 0.15 : 0),
    }));
  }

  #quoted(question, start, end) {
    return start > 0 && end < question.length && QUOTES.includes(question[start - 1]) && QUOTES.includes(question[end]);
  }

  #followsType(question, start) {
    const before = tokenize(question.slice(Math.max(start - 30, 0), start));
    return before.length > 0 && this.types.has(this.folder.fold(before[before.length - 1].text));
  }

  #spelling(word) {
    const plain = this.folder.foldUmlauts(word);
    if (this.words.has(plain)) return [plain, false];
    const bare = plain.endsWith("s") ? plain.slice(0, -1) : plain;
    if (this.words.has(bare)) return [bare, false];
    const meant = this.everyday.has(plain) ? null : this.speller.nearest(plain);
    return meant === null ? [plain, false] : [meant, true];
  }
}
