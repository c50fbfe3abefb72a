/**
 * Resolvers for trying a change before it is published: one remembers the answers to a check, so that a second check asks
 * only what is new; the other answers as if the changed records were in DNS already. The check itself is the usual one,
 * so that it says about the changed zone what it would say after the change.
 */
import { toResolver } from './alias-chain.ts';
import type { Answer, CheckedType, RecordData, Resolver } from './answer.ts';

/** Texts to publish instead of the present ones; an empty text removes the record. Absent parts stay as they are. */
export type TriedRecords = {
  readonly spf?: string;
  readonly dmarc?: string;
  readonly dkim?: { readonly selector: string; readonly text: string };
};

/** By question, as `example.com TXT`. */
export type KnownAnswers = Map<string, Answer<RecordData>>;

const METHODS = { TXT: 'txt', MX: 'mx', A: 'a', AAAA: 'aaaa', TLSA: 'tlsa' } as const;

/** Answers what is known, and asks the rest. Failures are not remembered. */
export function rememberAnswers(resolver: Resolver, known: KnownAnswers): Resolver {
  const remember = async <T extends RecordData>(
    question: string,
    ask: () => Promise<Answer<T>>,
  ): Promise<Answer<T>> => {
    // The question holds the type, so that the records of its answer are of that type.
    const before = known.get(question) as Answer<T> | undefined;
    if (before !== undefined) return before;
    const answer = await ask();
    if (answer.kind !== 'failure') known.set(question, answer);
    return answer;
  };
  const { unchecked } = resolver;
  return {
    ...toResolver((name, type) => remember(`${name.toLowerCase()} ${type}`, () => asked(resolver, name, type))),
    ...(unchecked && { unchecked: (name) => remember(`${name.toLowerCase()} unchecked`, () => unchecked(name)) }),
  };
}

/** Answers from what is known without adding to it: what a change brings is left to the cache of the DNS client. */
export function askUnknown(resolver: Resolver, known: ReadonlyMap<string, Answer<RecordData>>): Resolver {
  return rememberAnswers(resolver, new Map(known));
}

/**
 * Answers as if the texts had been published for the domain. `isByWildcard`: it exists only because a wildcard answers for
 * it. A record at the name or below it ends that (RFC 4592 §2.2.1), and with it everything that the wildcard gave.
 */
export function changeRecords(
  domain: string,
  resolver: Resolver,
  tried: TriedRecords,
  { isByWildcard = false } = {},
): Resolver {
  const { spf, dmarc, dkim } = tried;
  const present = isByWildcard && isPublishing(tried) ? withoutWildcard(domain, resolver) : resolver;
  const changed = new Map<string, (before: Answer<string>) => Answer<string>>();
  if (spf !== undefined) changed.set(domain, (before) => withText(before, isSpf, spf));
  if (dmarc !== undefined) changed.set(`_dmarc.${domain}`, (before) => withText(before, isDmarc, dmarc));
  if (dkim !== undefined)
    changed.set(`${dkim.selector.toLowerCase()}._domainkey.${domain}`, (before) =>
      withText(before, () => true, dkim.text),
    );
  return {
    ...present,
    txt: async (name) => {
      const answer = await present.txt(name);
      return changed.get(name.toLowerCase())?.(answer) ?? answer;
    },
  };
}

function isPublishing({ spf = '', dmarc = '', dkim }: TriedRecords): boolean {
  return [spf, dmarc, dkim?.text ?? ''].some((text) => text.trim() !== '');
}

/** The domain exists then, without records; names below it do not. */
function withoutWildcard(domain: string, resolver: Resolver): Resolver {
  return toResolver(async (name, type) => {
    const lower = name.toLowerCase();
    if (lower === domain) return { kind: 'nodata' };
    return lower.endsWith(`.${domain}`) ? { kind: 'nxdomain' } : asked(resolver, name, type);
  });
}

/** RFC 7208 §4.5: the version is a word of its own. */
const isSpf = (text: string) => /^"?v=spf1(?:\s|$)/i.test(text.trim());
const isDmarc = (text: string) => /^"?\s*v\s*=\s*DMARC1/i.test(text);

/** A name that was an alias has a record of its own then: nothing may stand beside a CNAME (RFC 1034 §3.6.2). */
function withText(present: Answer<string>, isReplaced: (text: string) => boolean, text: string): Answer<string> {
  // Nothing is removed from a name without records, and what could not be asked is still not known.
  if (text.trim() === '' && present.kind !== 'found') return present;
  const isAlias = present.kind === 'found' && present.aliases.length > 0;
  const kept = present.kind === 'found' && !isAlias ? present.records.filter((record) => !isReplaced(record)) : [];
  const records = text.trim() === '' ? kept : [...kept, asBytes(text)];
  return records.length === 0 ? { kind: 'nodata' } : { kind: 'found', records, aliases: [] };
}

/** A text is entered as Unicode and published as UTF-8; in answers every byte is a Latin-1 character. */
export function asBytes(text: string): string {
  return Buffer.from(text.trim(), 'utf8').toString('latin1');
}

function asked(resolver: Resolver, name: string, type: CheckedType): Promise<Answer<RecordData>> {
  return resolver[METHODS[type]](name);
}
