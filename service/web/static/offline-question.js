// How a question is read: its language, what of it asks, what is quoted, which rules, steps, terms and cards it names
// (index/questions/question_parser.py, asking_sentences.py).

import { CardNames } from "./offline-cards.js";
import { TermNames } from "./offline-terms.js";
import { tokenize, writtenWords } from "./offline-text.js";

const QUOTED =
  /„([^„“”"]{2,}?)[“”"]|“([^„“”]{2,}?)[”“]|«([^«»]{2,}?)»|»([^«»]{2,}?)«|"([^"]{2,}?)"|‚([^‚‘’\n]{2,29})[‘’]|‘([^‘’\n]{2,29})’/g;
const LABEL = /[^\p{L}\p{N}_]*(?<label>[\p{L}\p{N}_][^:\n.!?]{1,40}):\s/uy;
const LONG = 30, TEXT_WORDS = 6, ASKING_WORDS = 3; // see asking_sentences.py
const FEW = 2, LEAST_TERMS = 2;
const OWN = 0.5; // what a vector of the text without card text counts
const NUMBER = /^\d+(?:\.\d+)*$/;

export class QuestionReader {
  constructor(words, forms, terms, cards, folder) {
    this.folder = folder;
    this.languages = words.languages;
    this.stopWords = Object.fromEntries(Object.entries(words.stop_words).map(([language, those]) => [language, new Set(those)]));
    this.telling = tellingWords(words.stop_words);
    this.forms = forms;
    this.patterns = Object.fromEntries(Object.entries(words.patterns).map(([kind, source]) => [kind, new RegExp(source, "g")]));
    this.cited = Object.fromEntries(Object.entries(words.cited).map(([name, source]) => [name, new RegExp(source, "gi")]));
    this.sentenceEnd = new RegExp(words.sentence_end, "g");
    this.abbreviation = new RegExp(words.abbreviation, "i");
    this.cardText = Object.fromEntries(
      Object.entries(words.card_text).map(([language, each]) => [
        language,
        { label: new RegExp(`^(?:${each.label})$`), inside: new RegExp(each.inside), first: new Set(each.first_person) },
      ]),
    );
    this.documents = Object.entries(words.documents).map(([kind, by]) => [
      kind,
      Object.fromEntries(Object.entries(by).map(([language, source]) => [language, new RegExp(source)])),
    ]);
    this.formats = words.formats;
    this.terms = new TermNames(terms, this.stopWords, folder);
    this.cards = new CardNames(cards, folder);
  }

  /** The index terms of a text by the rules of a language. */
  termsOf(text, language) {
    const forms = this.forms[language];
    const found = [];
    for (const word of writtenWords(text)) {
      const term = NUMBER.test(word) ? word : forms?.get(this.folder.fold(word));
      if (term) found.push(term);
    }
    return found;
  }

  read(text, given) {
    const { folder } = this;
    const folded = folder.words(text);
    const language = this.languages.includes(given) ? given : this.#languageOf(folded);
    const { texts, names } = quotedSpans(text);
    const sentences = this.#sentences(text);
    const spans = askingSpans(text, sentences, texts);
    const asking = spans.length ? spans.map((span) => askingText(text, span, texts)) : [text];
    const whole = spans.filter(([start, end]) => asking.includes(text.slice(start, end).trim()));
    const kept = texts.filter((each) => !whole.some((span) => overlap(each, span)));
    const quotations = [...kept, ...this.#cardTexts(text, spans, kept, language)].sort((a, b) => a[0] - b[0]);
    const line = folder.fold(text).split(/\s+/).filter(Boolean).join(" ");
    const numbered = /\d/.test(text) ? line : "";
    const rules = numbered ? this.#citedRules(text) : new Set();
    const cards = this.cards.mentions(text);
    return {
      text, folded, language, asking, quotations, names, rules,
      asks: this.#asks(asking, rules.size > 0, cards.length > 0),
      steps: new Set(matches(this.patterns.step, numbered).map((m) => Number(m.groups.number ?? m.groups.ordinal))),
      cardNumbers: new Set(matches(this.patterns.card_number, numbered).map((m) => m.groups.number ?? m.groups.numbered)),
      onlyCard: this.#onlyCard(text, line, cards),
      mentions: this.terms.mentions(text, language),
      cards,
    };
  }

  /** What a question is searched by, in passages in `languages`. */
  prepare(parsed, languages, encoder) {
    const all = [...new Set([...languages, parsed.language])];
    const asking = parsed.asking.join(" ");
    const [own, cardText] = ownWords(parsed.text, parsed.quotations);
    const vectors = [encoder.text(parsed.text)];
    if (parsed.asking.length > 1) vectors.push(...parsed.asking.map((each) => encoder.text(each)));
    if (cardText) {
      const other = encoder.text(own);
      vectors[0] = normalised(vectors[0].map((value, i) => (1 - OWN) * value + OWN * other[i]));
    }
    const askingWords = [...new Set(this.folder.words(asking))];
    const storyWords = [...new Set(this.folder.words(own))].filter((word) => !askingWords.includes(word));
    const cardWords = [...new Set(this.folder.words(cardText))].filter((w) => !askingWords.includes(w) && !storyWords.includes(w));
    const by = (text) => Object.fromEntries(all.map((language) => [language, this.termsOf(text, language)]));
    const terms = by(parsed.text), askingTerms = by(asking), ownTerms = new Set(Object.values(by(own)).flat());
    const cardTerms = new Set(cardText ? Object.values(by(cardText)).flat().filter((term) => !ownTerms.has(term)) : []);
    const both = (those, language) => [...new Set([...those[language], ...those[parsed.language]])];
    return {
      parsed, vectors, askingWords, storyWords, cardWords, cardTerms, terms, languages: [...new Set(languages)],
      termsIn: (language) => both(terms, language),
      askingTermsIn: (language) => both(askingTerms, language),
      withoutCards: this.#withoutCards(parsed).map((each) => encoder.text(each)),
    };
  }

  #withoutCards(parsed) {
    const spans = [...new Map(parsed.cards.map((card) => [`${card.start} ${card.end}`, card])).values()].sort((a, b) => b.start - a.start || b.end - a.end);
    if (!spans.length || parsed.onlyCard) return [];
    let { text } = parsed, asking = parsed.asking.join(" ");
    for (const { start, end } of spans) {
      asking = asking.replaceAll(parsed.text.slice(start, end), " ");
      text = `${text.slice(0, start)} ${text.slice(end)}`;
    }
    return this.termsOf(asking, parsed.language).length >= LEAST_TERMS ? [text, asking] : [];
  }

  /** By the words that only one language has; where these do not decide, by the words that the game has in each. */
  #languageOf(folded) {
    const counts = new Map();
    for (const word of folded) if (this.telling.has(word)) bump(counts, this.telling.get(word));
    const best = decided(counts, 2);
    if (best) return best;
    for (const word of folded) for (const [language, forms] of Object.entries(this.forms)) if (forms.has(word)) bump(counts, language);
    return decided(counts, 1) ?? this.languages[0];
  }

  #sentences(text) {
    const bounds = [];
    let start = 0;
    for (const match of text.matchAll(this.sentenceEnd)) {
      if (match[0].startsWith(".") && this.abbreviation.test(text.slice(Math.max(start, match.index - 12), match.index + 1))) continue;
      bounds.push([start, match.index + match[0].length]);
      start = match.index + match[0].length;
    }
    bounds.push([start, text.length]);
    return bounds
      .map(([a, b]) => [b - text.slice(a, b).trimStart().length, a + text.slice(a, b).trimEnd().length])
      .filter(([a, b]) => a < b);
  }

  #cardTexts(text, asking, quotations, language) {
    const known = this.cardText[language];
    if (!asking.length || !known) return [];
    const last = asking[asking.length - 1][0];
    return this.#sentences(text.slice(0, last)).filter((span) => {
      const piece = text.slice(...span), folded = this.folder.fold(piece).match(/\w+/g) ?? [];
      if (folded.length < TEXT_WORDS || [...asking, ...quotations].some((other) => overlap(span, other))) return false;
      LABEL.lastIndex = 0;
      const label = LABEL.exec(piece);
      const named = label && known.label.test((this.folder.fold(label.groups.label).match(/\w+/g) ?? []).join(" "));
      return named || (!folded.some((word) => known.first.has(word)) && known.inside.test(folded.join(" ")));
    });
  }

  #citedRules(text) {
    const plain = text.replace(this.cited.bracketed, "$1$2");
    const found = new Set();
    for (const match of plain.matchAll(this.cited.rule)) found.add(match[0].toLowerCase());
    for (const match of plain.matchAll(this.cited.cited)) found.add(match[match.length - 1].toLowerCase());
    return found;
  }

  #asks(asking, rules, cards) {
    if (rules) return "rule";
    const folded = asking.map((sentence) => this.folder.fold(sentence).split(/\s+/).filter(Boolean).join(" "));
    const any = (kind, texts) => texts.some((each) => matches(this.patterns[kind], each).length > 0);
    if (any("definition", folded.map((each) => each.replace(/['’]/g, " ")))) return "definition";
    if (cards) return "card";
    if (any("timing", folded)) return "timing";
    if (any("yes_no", [...folded, ...folded.map((each) => each.split(", ").pop())])) return "yes-no";
    return "open";
  }

  #onlyCard(text, line, cards) {
    if (!cards.length) return false;
    const others = tokenize(text).filter((word) => !cards.some((card) => card.start <= word.start && word.start < card.end));
    return others.length <= FEW || matches(this.patterns.ruling, line).length > 0;
  }

  /** The kinds of documents beside the rules that the question is about. */
  documentKinds(parsed) {
    return this.documents.filter(([, by]) => by[parsed.language]?.test(this.folder.plain(parsed.asking.join(" ")))).map(([kind]) => kind);
  }

  speaksOf(kind, text, language) {
    return Boolean(this.documents.find(([each]) => each === kind)?.[1][language]?.test(this.folder.plain(text)));
  }
}

const matches = (pattern, text) => (text ? [...text.matchAll(pattern)] : []);
const overlap = ([a, b], [c, d]) => a < d && b > c;
const bump = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);

function decided(counts, times) {
  const [most, next] = [...counts].sort((a, b) => b[1] - a[1]);
  return most && (!next || (most[1] >= times * next[1] && most[1] > next[1])) ? most[0] : null;
}

function normalised(vector) {
  const length = Math.max(Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0)), 1e-12);
  return vector.map((each) => each / length);
}

function tellingWords(stopWords) {
  const found = new Map();
  for (const [language, words] of Object.entries(stopWords)) for (const word of words) found.set(word, found.has(word) ? null : language);
  for (const [word, language] of found) if (!language) found.delete(word);
  return found;
}

function quotedSpans(text) {
  const texts = [], names = new Set();
  for (const match of text.matchAll(QUOTED)) {
    const inside = match.slice(1).find((group) => group !== undefined);
    const start = match.index + 1, end = start + inside.length;
    if (inside.length >= LONG && inside.trim().split(/\s+/).length >= TEXT_WORDS && !inside.includes("\n\n")) texts.push([start, end]);
    else if (inside.length < LONG && !inside.includes("\n")) names.add(inside);
  }
  return { texts, names: [...names] };
}

function askingSpans(text, sentences, quotations) {
  const marked = sentences.filter(([start, end]) => text.slice(start, end).includes("?"));
  const outside = marked.filter((span) => without(text, span, quotations).includes("?"));
  return outside.length ? outside : marked;
}

function askingText(text, span, quotations) {
  const bare = without(text, span, quotations).trim();
  return (bare.match(/[\p{L}\p{N}_]+/gu) ?? []).length >= ASKING_WORDS ? bare : text.slice(...span).trim();
}

function ownWords(text, quotations) {
  const own = quotations.length ? without(text, [0, text.length], quotations) : text;
  if (own === text || (own.match(/[\p{L}\p{N}_]+/gu) ?? []).length < ASKING_WORDS) return [text, ""];
  return [own, quotations.map((span) => text.slice(...span)).join(" ")];
}

function without(text, [start, end], quotations) {
  const pieces = [];
  let last = start;
  for (const [first, behind] of quotations) {
    if (first < end && behind > start) {
      pieces.push(text.slice(last, Math.max(first - 1, last)));
      last = Math.max(last, Math.min(behind + 1, end));
    }
  }
  return [...pieces, text.slice(last, end)].join(" ");
}
