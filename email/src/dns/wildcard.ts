// Whether a domain exists only because a wildcard answers for it (RFC 4592). A record at such a
// name, or below it, ends what the wildcard gave it.
import { randomBytes } from 'node:crypto';
import { type Answer, aliasOf, type MxHost, type Resolver } from './answer.ts';

export type Wildcard = {
  /** `unknown`: DNS did not answer. */
  readonly answersForDomain: 'yes' | 'no' | 'unknown';
  /**
   * What a wildcard makes every name below the domain an alias of. A record of its own takes a name
   * out of that.
   */
  readonly alias: string | undefined;
};

/** No domain has this name below it: if it has an answer, a wildcard answers for every name. */
export function newSentinel(): string {
  return `whence-${randomBytes(8).toString('hex')}`;
}

type OwnAnswers = { readonly txt: Promise<Answer<string>>; readonly mx: Promise<Answer<MxHost>> };

/**
 * `sentinel`: a label that no zone has. One question shows that there is no wildcard; others only
 * if not.
 */
export async function findWildcard(
  domain: string,
  sentinel: string,
  own: OwnAnswers,
  resolver: Resolver,
): Promise<Wildcard> {
  const below = await resolver.txt(`${sentinel}.${domain}`);
  return {
    answersForDomain: await answersFor(domain, sentinel, below, own, resolver),
    alias: aliasOf(below),
  };
}

async function answersFor(
  domain: string,
  sentinel: string,
  below: Answer<string>,
  own: OwnAnswers,
  resolver: Resolver,
): Promise<Wildcard['answersForDomain']> {
  if (isAbsent(below)) return 'no';
  const sibling = `${sentinel}.${domain.slice(domain.indexOf('.') + 1)}`;
  const beside = await resolver.txt(sibling);
  if (isAbsent(beside)) return 'no';
  const pairs: (readonly [Answer<unknown>, Answer<unknown>])[] = [
    [await own.txt, beside],
    ...(await Promise.all([
      Promise.all([own.mx, resolver.mx(sibling)]),
      Promise.all([resolver.a(domain), resolver.a(sibling)]),
      Promise.all([resolver.aaaa(domain), resolver.aaaa(sibling)]),
    ])),
  ];
  if ([below, ...pairs.flat()].some(({ kind }) => kind === 'failure')) return 'unknown';
  if (!isSame(below, beside) || !pairs.every(([answer, other]) => isSame(answer, other)))
    return 'no';
  // Some servers answer "no data" for every name that does not exist (RFC 9824): then there is
  // nothing to lose.
  return pairs.some(([answer]) => answer.kind === 'found' || aliasOf(answer) !== undefined)
    ? 'yes'
    : 'no';
}

function isAbsent(answer: Answer<unknown>): boolean {
  return answer.kind === 'nxdomain' && answer.alias === undefined;
}

/** In any order, as servers return the records of a name. */
export function isSame(a: Answer<unknown>, b: Answer<unknown>): boolean {
  if (a.kind !== b.kind || aliasOf(a) !== aliasOf(b)) return false;
  if (a.kind !== 'found' || b.kind !== 'found') return true;
  const texts = ({ records }: typeof a) => records.map((record) => JSON.stringify(record)).sort();
  return JSON.stringify(texts(a)) === JSON.stringify(texts(b));
}
