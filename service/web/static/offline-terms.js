// Terms of a game in questions: inflected, compounded, abbreviated, misspelt (glossary/recognition.py, alias_index.py).

import { Speller } from "./offline-spelling.js";
import { tokenize } from "./offline-text.js";

const INFLECTED = 0.88, MISSPELT = 0.75, FOREIGN = 0.9, BOTH_PARTS = 0.85, ONE_PART = 0.6, CLOSE = 0.1;
const SHORTEST = 4, LONGEST = 60, REACH = 12;
const END = /[.?!;:]/;
const QUOTED = /["„“”«»‚‘’'](?<inside>[^"„“”«»\n]{1,60}?)["“”«»‘’'](?![\p{L}\p{N}_])/gdu;

export class TermNames {
  constructor(table, stopWords, folder) {
    this.folder = folder;
    this.table = table;
    this.stopWords = stopWords;
    this.languages = Object.keys(table.stems);
    this.aliases = table.aliases.map(([concept, text, language, certainty, words]) => ({ concept, text, language, certainty, words }));
    this.ordinary = new Set(table.ordinary);
    this.stems = Object.fromEntries(Object.entries(table.stems).map(([language, forms]) => [language, new Map(Object.entries(forms))]));
    this.patterns = this.#placed(table.patterns);
    this.single = this.#placed(table.single);
    this.abbreviations = this.#placed(table.abbreviations);
    this.symbols = [...this.#placed(table.symbols)];
    this.verbs = new Map(Object.entries(table.verbs).map(([form, particles]) => [form, [...this.#placed(particles)]]));
    this.means = new Set(table.means);
    this.longest = Object.fromEntries(this.languages.map((language) => [language, new Map()]));
    for (const name of this.patterns.keys()) {
      const [language, first, ...more] = name.split(" ");
      const known = this.longest[language];
      if (known) known.set(first, Math.max(known.get(first) ?? 0, 1 + more.length));
    }
    this.languageOf = new Map();
    for (const alias of this.aliases) {
      if (!this.ordinary.has(alias.concept) && alias.language && !this.#isAbbreviation(alias)) {
        for (const word of alias.words) this.languageOf.set(word, alias.language);
      }
    }
    this.speller = new Speller(this.languageOf.keys(), folder);
    /** Whether a folded word is known to be no misspelt one; set by the engine. */
    this.known = () => false;
  }

  #isAbbreviation(alias) {
    return (this.abbreviations.get(this.folder.fold(alias.text)) ?? []).includes(alias);
  }

  #placed(names) {
    return new Map(Object.entries(names).map(([name, places]) => [name, places.map((place) => this.aliases[place])]));
  }

  /** The concepts named in a question, in order of place; the longest name wins a place. */
  mentions(question, language) {
    if (!this.aliases.length) return [];
    const tokens = tokenize(question);
    const readings = tokens.map((token) => this.#read(token.text, language));
    const candidates = [
      ...this.#names(tokens, readings, language),
      ...this.#shortened(question, tokens, readings),
      ...this.#signs(question),
      ...this.#apart(tokens, readings),
      ...this.#separated(question, tokens, readings),
      ...readings.flatMap((reading, i) => reading.parts.map((part) => ({
        start: tokens[i].start + part.start, end: tokens[i].start + part.end, length: 1, certainty: part.certainty, alias: part.alias,
      }))),
    ];
    const found = select(candidates);
    if (!found.some((mention) => this.ordinary.has(mention.concept))) return found;
    const spans = this.#aboutWords(question, tokens, readings);
    return found.filter((m) => !this.ordinary.has(m.concept) || spans.some(([a, b]) => a <= m.start && m.end <= b));
  }

  /** Official names in a language of what is mentioned in other words. */
  expansion(mentions, language) {
    const official = this.table.official[language] ?? {};
    const added = new Set();
    for (const mention of mentions) {
      const names = official[mention.concept] ?? [];
      const bare = this.folder.fold(strip(mention.name));
      if (mention.language !== language || !names.some((name) => this.folder.fold(name) === bare)) names.slice(0, 2).forEach((name) => added.add(name));
    }
    return [...added];
  }

  #read(word, language) {
    const folded = this.folder.fold(word), plain = this.folder.foldUmlauts(word);
    const stopWord = this.stopWords[language]?.has(folded) ?? false;
    const stems = new Map();
    for (const each of this.languages) {
      const stem = this.stems[each].get(folded);
      if (stem !== undefined) stems.set(each, [stem, INFLECTED]);
    }
    let parts = [];
    if (!stems.size && !stopWord) {
      parts = (this.table.links[language] ?? []).length ? this.#compound(word, language) : [];
      const meant = parts.length || this.known(folded) ? null : this.speller.nearest(word);
      if (meant !== null) {
        const its = this.languageOf.get(meant), stem = this.stems[its]?.get(meant);
        if (stem !== undefined) stems.set(its, [stem, MISSPELT]);
      }
    }
    const names = [], firstOf = [];
    for (const [each, [stem, sure]] of stems) {
      const longest = this.longest[each].get(stem);
      if (!longest) continue;
      if (!stopWord || each === language) names.push(...this.#certain(this.patterns.get(`${each} ${stem}`) ?? [], [folded], sure, each === language));
      if (longest > 1) firstOf.push([each, longest]);
    }
    const verbs = (this.table.particles.includes(language) ? this.verbs.get(plain) ?? [] : [])
      .map(([particle, those]) => [particle, those.filter((alias) => alias.language === language)])
      .filter(([, those]) => those.length);
    return { folded, plain, stopWord, stems, names, firstOf, parts, verbs, abbreviations: this.abbreviations.get(folded) ?? [] };
  }

  #certain(aliases, written, sure, own) {
    const certainty = sure * (own ? 1 : FOREIGN);
    return aliases.map((alias) => {
      const exact = alias.words.length === written.length && alias.words.every((word, n) => word === written[n]);
      return [alias.certainty * (exact ? certainty / INFLECTED : certainty), alias];
    });
  }

  *#names(tokens, readings, language) {
    for (let start = 0; start < tokens.length; start++) {
      const first = readings[start];
      for (const [certainty, alias] of first.names) yield { ...tokens[start], length: 1, certainty, alias };
      for (const [each, longest] of first.firstOf) {
        let name = `${each} ${first.stems.get(each)[0]}`;
        for (let end = start + 2; end <= Math.min(start + longest, tokens.length); end++) {
          const next = readings[end - 1].stems.get(each);
          if (!next) break;
          name += ` ${next[0]}`;
          const named = this.patterns.get(name);
          if (!named) continue;
          const words = readings.slice(start, end);
          const sure = Math.min(...words.map((reading) => reading.stems.get(each)[1]));
          for (const [certainty, alias] of this.#certain(named, words.map((reading) => reading.folded), sure, each === language)) {
            yield { start: tokens[start].start, end: tokens[end - 1].end, length: end - start, certainty, alias };
          }
        }
      }
    }
  }

  *#shortened(question, tokens, readings) {
    const loud = question === question.toUpperCase();
    for (let i = 0; i < tokens.length; i++) {
      const { text } = tokens[i], capitals = isUpper(text) && !loud;
      if (!capitals && readings[i].stopWord) continue;
      for (const alias of readings[i].abbreviations) yield { ...tokens[i], length: 1, certainty: capitals ? 1 : 0.9, alias };
    }
  }

  *#signs(question) {
    for (const [sign, aliases] of this.symbols) {
      for (let at = question.indexOf(sign); at >= 0; at = question.indexOf(sign, at + sign.length)) {
        for (const alias of aliases) yield { start: at, end: at + sign.length, length: 1, certainty: alias.certainty, alias };
      }
    }
  }

  *#apart(tokens, readings) {
    for (let i = 0; i + 1 < tokens.length; i++) {
      const start = tokens[i].start, end = tokens[i + 1].end;
      for (const alias of this.single.get(readings[i].plain + readings[i + 1].plain) ?? []) {
        if (end - start > 2 * SHORTEST) yield { start, end, length: 2, certainty: alias.certainty * INFLECTED, alias };
      }
    }
  }

  *#separated(question, tokens, readings) {
    for (let i = 0; i < tokens.length; i++) {
      for (const [particle, verbs] of readings[i].verbs) {
        for (let later = i + 1; later < Math.min(i + 1 + REACH, tokens.length); later++) {
          if (readings[later].folded !== particle || END.test(question.slice(tokens[i].end, tokens[later].start))) continue;
          for (const alias of verbs) yield { ...tokens[i], length: 1, certainty: alias.certainty, alias };
          break;
        }
      }
    }
  }

  #compound(word, language) {
    let best = null;
    const allowed = [language, ...(this.table.compounds_with[language] ?? [])];
    for (let place = SHORTEST; place <= Math.min(word.length, LONGEST) - SHORTEST; place++) {
      const begin = this.folder.foldUmlauts(word.slice(0, place));
      let head = [];
      for (const link of this.table.links[language]) {
        const whole = begin.endsWith(link) ? begin.slice(0, begin.length - link.length) : "";
        if (whole.length < SHORTEST) continue;
        head = (this.single.get(whole) ?? []).filter((alias) => allowed.includes(alias.language));
        if (head.length) break;
      }
      const stem = word.length - place > SHORTEST ? this.stems[language]?.get(this.folder.fold(word.slice(place))) : undefined;
      const named = stem === undefined ? [] : this.patterns.get(`${language} ${stem}`) ?? [];
      const tail = named.filter((alias) => !this.ordinary.has(alias.concept) && alias.words.length === 1);
      const kind = 2 * Number(tail.length > 0) + Number(head.length > 0), length = tail.length ? word.length - place : place;
      if (kind && (!best || kind > best.kind || (kind === best.kind && length > best.length))) best = { kind, length, place, head, tail };
    }
    if (!best) return [];
    const certainty = best.kind === 3 ? BOTH_PARTS : ONE_PART;
    return [
      ...best.head.map((alias) => ({ start: 0, end: best.place, certainty: alias.certainty * certainty, alias })),
      ...best.tail.map((alias) => ({ start: best.place, end: word.length, certainty: alias.certainty * certainty, alias })),
    ];
  }

  /** Where a question speaks of words as such: quoted, in capitals, asked what they mean, or alone. */
  #aboutWords(question, tokens, readings) {
    const spans = [...question.matchAll(QUOTED)].map((match) => match.indices.groups.inside);
    if (question !== question.toUpperCase()) {
      for (const token of tokens) if (isUpper(token.text) && token.text.length > 1) spans.push([token.start, token.end]);
    }
    tokens.forEach((token, i) => {
      if ([i - 1, i + 1].some((n) => readings[n] && this.means.has(readings[n].folded))) spans.push([token.start, token.end]);
    });
    if (tokens.length <= 2) spans.push([0, question.length]);
    return spans;
  }
}

/** Of overlapping candidates the longest, of the same place the surest. */
function select(candidates) {
  const taken = new Map();
  const order = [...candidates].sort(
    (a, b) => b.length - a.length || (a.start - a.end) - (b.start - b.end) || b.certainty - a.certainty || a.start - b.start,
  );
  for (const one of order) {
    const place = `${one.start} ${one.end}`;
    if (taken.has(place)) taken.get(place).push(one);
    else if (![...taken.values()].some(([other]) => other.start < one.end && one.start < other.end)) taken.set(place, [one]);
  }
  const found = [];
  for (const ones of [...taken.values()].sort((a, b) => a[0].start - b[0].start)) {
    const surest = new Map();
    for (const one of [...ones].sort((a, b) => b.certainty - a.certainty)) {
      if (!surest.has(one.alias.concept)) surest.set(one.alias.concept, one);
    }
    const least = Math.max(...[...surest.values()].map((one) => one.certainty)) - CLOSE;
    for (const [concept, one] of surest) {
      if (one.certainty < least) continue;
      found.push({ start: one.start, end: one.end, concept, certainty: one.certainty, name: one.alias.text, language: one.alias.language });
    }
  }
  return found;
}

function isUpper(text) {
  return text === text.toUpperCase() && text !== text.toLowerCase();
}

function strip(name) {
  return name.replace(/\s*\([^()]*\)|\s+X$/g, "").trim() || name;
}
