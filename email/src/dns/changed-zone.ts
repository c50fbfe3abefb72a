// Resolvers for trying a change before it is published: one remembers the answers to a check, so
// that a second asks only what is new; the other answers as if the changed records were in DNS.
import { queryType, toResolver } from './alias-chain.ts';
import {
  type Answer,
  aliasOf,
  type CheckedType,
  failure,
  type MxHost,
  type RecordData,
  type Resolver,
} from './answer.ts';
import { MAX_ALIASES } from './budget.ts';
import { EventLoopSlices } from './event-loop-slices.ts';
import type { DnsRecord } from './record-lines.ts';

/**
 * An empty text or list removes records. SPF and DMARC replace their kind at the name, others their
 * name and type.
 */
export type TriedRecords = {
  readonly spf?: string;
  readonly dmarc?: string;
  readonly dkim?: { readonly selector: string; readonly text: string };
  readonly mx?: readonly MxHost[];
  readonly records?: readonly DnsRecord[];
};

/** By question, as `example.com TXT`. */
export type KnownAnswers = Map<string, Answer<RecordData>>;

/** Answers that need no network would let the second check run without a pause. */
const slices = new EventLoopSlices();

/**
 * Answers from memory, and queries the rest. A failed query stays failed: no change of records has
 * repaired it.
 */
export function rememberAnswers(resolver: Resolver, answers: KnownAnswers): Resolver {
  const remember = async <T extends RecordData>(
    question: string,
    ask: () => Promise<Answer<T>>,
  ): Promise<Answer<T>> => {
    // The question holds the type, so that the records of its answer are of that type.
    const before = answers.get(question) as Answer<T> | undefined;
    if (before !== undefined) {
      await slices.next();
      return before;
    }
    const answer = await ask();
    answers.set(question, answer);
    return answer;
  };
  const { unchecked } = resolver;
  return {
    ...toResolver((name, type) =>
      remember(`${name.toLowerCase()} ${type}`, () => queryType(resolver, name, type)),
    ),
    ...(unchecked && {
      unchecked: (name, type) =>
        remember(`${name.toLowerCase()} ${type} unchecked`, () => unchecked(name, type)),
    }),
  };
}

/**
 * `isByWildcard`: a record at the name or below it ends what the wildcard gave (RFC 4592 §2.2.1).
 */
export function changeRecords(
  domain: string,
  resolver: Resolver,
  tried: TriedRecords,
  { isByWildcard = false } = {},
): ChangedResolver {
  const names = changedNames(domain, tried);
  const questions = new Set<string>();
  const isPublishing = [...names.values()].some(hasRecords);
  const present = isByWildcard && isPublishing ? withoutWildcard(domain, resolver) : resolver;
  const answer = async (
    name: string,
    type: CheckedType,
    aliases: number,
  ): Promise<Answer<RecordData>> => {
    const entry = names.get(name);
    questions.add(`${name} ${entry?.CNAME === undefined ? type : 'CNAME'}`);
    if (entry?.CNAME !== undefined) {
      if (aliases === MAX_ALIASES) return failure('alias loop');
      return behind(entry.CNAME, await answer(entry.CNAME, type, aliases + 1));
    }
    const before = await queryType(present, name, type);
    if (entry === undefined)
      return hasBelow(names, name) && before.kind === 'nxdomain' ? { kind: 'nodata' } : before;
    if (type === 'TXT' && entry.TXT !== undefined)
      // The records of a TXT answer are texts.
      return withTexts(before as Answer<string>, replacedAt(name, domain, entry), entry.TXT);
    const records = type === 'TXT' ? undefined : entry[type];
    if (records !== undefined)
      return records.length === 0 ? { kind: 'nodata' } : { kind: 'found', records, aliases: [] };
    // It exists now, and is no alias: nothing may stand beside a CNAME (RFC 1034 §3.6.2).
    return isPublishing && (before.kind === 'nxdomain' || aliasOf(before) !== undefined)
      ? { kind: 'nodata' }
      : before;
  };
  return {
    ...present,
    ...toResolver((name, type) => answer(name.toLowerCase(), type, 0)),
    unqueried(probed) {
      const isProbed = (name: string) =>
        probed.some((probe) => name === probe || name === `_dmarc.${probe}`);
      return [...names].flatMap(([name, { isSpf: _, ...entry }]) =>
        Object.keys(entry)
          .map((type) => `${name} ${type}`)
          .filter((record) => isProbed(name) || !questions.has(record)),
      );
    },
  };
}

/**
 * `unqueried`: changed records that no question was about, as `news.example.com TXT`; of `probed`
 * names, none was.
 */
type ChangedResolver = Resolver & { unqueried(probed: readonly string[]): string[] };

/** What is published at a name. `isSpf`: the texts are SPF, whatever they look like. */
type ChangedName = {
  TXT?: string[];
  isSpf?: boolean;
  MX?: readonly MxHost[];
  A?: string[];
  AAAA?: string[];
  TLSA?: string[];
  CNAME?: string;
};

function changedNames(
  domain: string,
  { spf, dmarc, dkim, mx, records = [] }: TriedRecords,
): Map<string, ChangedName> {
  const names = new Map<string, ChangedName>();
  const at = (name: string) => {
    const entry = names.get(name) ?? {};
    names.set(name, entry);
    return entry;
  };
  const addText = (name: string, text: string) => {
    const entry = at(name);
    entry.TXT = [...(entry.TXT ?? []), text.trim()];
  };
  if (spf !== undefined) {
    addText(domain, asBytes(spf));
    at(domain).isSpf = true;
  }
  if (dmarc !== undefined) addText(`_dmarc.${domain}`, asBytes(dmarc));
  if (dkim !== undefined)
    addText(`${dkim.selector.toLowerCase()}._domainkey.${domain}`, asBytes(dkim.text));
  if (mx !== undefined) at(domain).MX = mx;
  for (const record of records) {
    const entry = at(record.name);
    if (record.type === 'TXT') addText(record.name, record.text);
    else if (record.type === 'MX') {
      const { preference, exchange } = record;
      entry.MX = [...(entry.MX ?? []), { preference, exchange }];
    } else if (record.type === 'CNAME') entry.CNAME = record.value;
    else entry[record.type] = [...(entry[record.type] ?? []), record.value];
  }
  return names;
}

function hasRecords({ TXT = [], MX = [], A = [], AAAA = [], CNAME }: ChangedName): boolean {
  return (
    CNAME !== undefined || TXT.some((text) => text !== '') || MX.length + A.length + AAAA.length > 0
  );
}

function hasBelow(names: ReadonlyMap<string, ChangedName>, name: string): boolean {
  return [...names.keys()].some((changed) => changed.endsWith(`.${name}`));
}

function behind(target: string, answer: Answer<RecordData>): Answer<RecordData> {
  if (answer.kind === 'failure') return answer;
  if (answer.kind === 'found') return { ...answer, aliases: [target, ...answer.aliases] };
  return { kind: answer.kind, alias: answer.alias ?? target };
}

/** Other texts at the domain stay: they are for other uses. */
function replacedAt(
  name: string,
  domain: string,
  { TXT = [], isSpf: isField = false }: ChangedName,
) {
  if (name === `_dmarc.${domain}`) return isDmarc;
  if (name !== domain) return () => true;
  return isField || TXT.some((text) => text === '' || IS_MEANT_AS_SPF.test(text))
    ? isSpf
    : () => false;
}

/** The domain exists then, without records; names below it do not. */
function withoutWildcard(domain: string, resolver: Resolver): Resolver {
  return toResolver(async (name, type) => {
    const lower = name.toLowerCase();
    if (lower === domain) return { kind: 'nodata' };
    return lower.endsWith(`.${domain}`) ? { kind: 'nxdomain' } : queryType(resolver, name, type);
  });
}

/** A mistyped record is published instead of the present one too. */
const IS_MEANT_AS_SPF = /^\W{0,9}(?:v\s*=?\s*)?spf(?!2\.0\/)/i;
/** RFC 7208 §4.5: the version is a word of its own. */
const isSpf = (text: string) => /^"?v=spf1(?:\s|$)/i.test(text.trim());
const isDmarc = (text: string) => /^"?\s*v\s*=\s*DMARC1/i.test(text);

/** A name that was an alias has records of its own then. */
function withTexts(
  present: Answer<string>,
  isReplaced: (text: string) => boolean,
  texts: readonly string[],
): Answer<string> {
  const added = texts.filter((text) => text !== '');
  // Nothing is removed from a name without records, and what could not be asked is still not known.
  if (added.length === 0 && present.kind !== 'found') return present;
  const isAlias = present.kind === 'found' && present.aliases.length > 0;
  const kept =
    present.kind === 'found' && !isAlias
      ? present.records.filter((record) => !isReplaced(record))
      : [];
  const records = [...kept.filter((record) => !added.includes(record)), ...added];
  return records.length === 0 ? { kind: 'nodata' } : { kind: 'found', records, aliases: [] };
}

/**
 * A text is entered as Unicode and published as UTF-8; in answers every byte is a Latin-1
 * character.
 */
function asBytes(text: string): string {
  return Buffer.from(text.trim(), 'utf8').toString('latin1');
}
