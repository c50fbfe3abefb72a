// What the name of a network says about its kind, as keys of the table of points.

import { wordClasses } from '../../data-files/data-files.ts';
import { getOrInsert } from '../../get-or-insert.ts';
import { foldedWords } from './folded-words.ts';

const vocabulary = wordClasses.derived((rows) => {
  const patterns = (kind: (typeof rows)[number]['match'], name?: string) =>
    rows.filter((row) => row.match === kind && row.class === name).map(({ pattern }) => pattern);
  const names = new Set(rows.flatMap((row) => row.class ?? []));
  return {
    classes: [...names].map(
      (name) => [name, new RegExp(`^(?:${patterns('word', name).join('|')})$`)] as const,
    ),
    endings: patterns('ending'),
    beginnings: patterns('beginning'),
    companyWords: new Set(patterns('company')),
  };
});

/** A second word of such a class says more than the first. */
const COUNTED_TWICE: ReadonlySet<string> = new Set([
  'access',
  'finance',
  'industry',
  'public',
  'hosting',
]);
/** Words with one of these are no part of the name of a person. */
const TECHNICAL =
  /\d|net|tel|com|link|tech|soft|data|host|serv|web|info|digital|online|tv|fib|univ|school|bank/;

type WordSignals = { readonly classes: readonly string[]; readonly keys: readonly string[] };
/** What is known about words: a hundred thousand names have few different ones. */
export type KnownWords = Map<string, WordSignals>;

export function nameSignals(name: string, knownWords: KnownWords = new Map()): Set<string> {
  const words = foldedWords(name);
  const signals = new Set<string>();
  const hits = new Map<string, number>();
  for (const word of new Set(words)) {
    const signalsOfWord = getOrInsert(knownWords, word, () => wordSignals(word));
    for (const key of signalsOfWord.keys) signals.add(key);
    for (const group of signalsOfWord.classes) hits.set(group, (hits.get(group) ?? 0) + 1);
  }
  for (const [group, count] of hits) {
    signals.add(`word: ${group}`);
    if (count > 1 && COUNTED_TWICE.has(group)) signals.add(`words: ${group}`);
  }
  if (hits.size === 0) signals.add('no known word');
  if (/ trading as /i.test(name)) signals.add('trading as');
  for (const [, domain] of name.toLowerCase().matchAll(/\.(net|com|org|[a-z]{2})\b/g))
    signals.add(`domain: ${domain}`);
  const isCompany = words.some((word) => vocabulary().companyWords.has(word));
  if (!isCompany && isPerson(name, words)) signals.add('person');
  if (!isCompany) signals.add('no company form');
  return signals;
}

function isPerson(name: string, words: readonly string[]): boolean {
  if (words.length < 2 || words.length > 5 || /[.,"&]/.test(name)) return false;
  return !words.some((word) => TECHNICAL.test(word));
}

function wordSignals(word: string): WordSignals {
  const { classes, endings, beginnings } = vocabulary();
  const isLonger = (part: string) => word.length > part.length + 1;
  return {
    classes: classes.filter(([, pattern]) => pattern.test(word)).map(([group]) => group),
    keys: [
      `"${word}"`,
      ...endings.filter((part) => isLonger(part) && word.endsWith(part)).map((part) => `-${part}`),
      ...beginnings
        .filter((part) => isLonger(part) && word.startsWith(part))
        .map((part) => `${part}-`),
    ],
  };
}
