/**
 * Finds blocks of phones by the reverse names of a sample of their addresses. A block with names of
 * phones and of other lines is halved, and both halves are sampled again, down to MAX_LENGTH.
 */
import { lastAddress } from '../../prefix.ts';
import { lineOf } from './phone-names.ts';

export type Block = {
  readonly asn: number;
  readonly base: bigint;
  readonly length: number;
};

export type ReverseLookup = (address: bigint) => Promise<ReverseAnswer>;
export type ReverseAnswer =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed' };

export type PhoneBlock = Block & {
  /** Sampled addresses whose names are those of phones. */
  readonly phones: number;
  /** Sampled addresses with a name. */
  readonly named: number;
  readonly example: string;
};

export type Findings = {
  readonly phoneBlocks: readonly PhoneBlock[];
  readonly queries: number;
  /** Blocks whose name servers did not answer. */
  readonly unreachable: number;
  /** Blocks for which no queries were left. */
  readonly left: number;
};

/** Addresses of a block that are looked up, one at random from each of as many equal parts. */
export const SAMPLE = 32;
/** Looked up at the same time. A block whose first ones all fail is unreachable. */
const TOGETHER = 4;
/** Unreachable blocks before the first one that answers, after which sampling ends. */
const MAX_UNREACHABLE = 20;
/** A wildcard gives all addresses one name, also those that are not in use. */
const MIN_DISTINCT_NAMES = 8;
/** The others are routers and servers of the operator. */
const MIN_SHARE = 0.9;
/** Mixed blocks this small are left out. */
const MAX_LENGTH = 20;

type Options = {
  readonly lookUp: ReverseLookup;
  readonly maxQueries: number;
  readonly random: () => number;
  /** Blocks that are sampled at the same time. */
  readonly concurrency: number;
};

export async function findPhones(
  candidates: readonly Block[],
  { lookUp, maxQueries, random, concurrency }: Options,
): Promise<Findings> {
  const waiting = [...candidates].reverse();
  const phoneBlocks: PhoneBlock[] = [];
  let queries = 0;
  let unreachable = 0;
  let reached = 0;

  async function work(): Promise<void> {
    while (queries + SAMPLE <= maxQueries) {
      if (reached === 0 && unreachable >= MAX_UNREACHABLE) return;
      const block = waiting.pop();
      if (block === undefined) return;
      queries += SAMPLE;
      const { answers, asked } = await sample(block, lookUp, random);
      queries -= SAMPLE - asked;
      if (asked < SAMPLE) {
        unreachable += 1;
        continue;
      }
      reached += 1;
      const judged = judge(answers);
      if (judged.kind === 'phones') phoneBlocks.push({ ...block, ...judged });
      else if (judged.kind === 'mixed' && block.length < MAX_LENGTH) waiting.push(...halves(block));
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work));
  phoneBlocks.sort((a, b) => Number(a.base - b.base));
  return { phoneBlocks, queries, unreachable, left: waiting.length };
}

async function sample(
  { base, length }: Block,
  lookUp: ReverseLookup,
  random: () => number,
): Promise<{ answers: ReverseAnswer[]; asked: number }> {
  const part = 2 ** (32 - length) / SAMPLE;
  const answers: ReverseAnswer[] = [];
  while (answers.length < SAMPLE) {
    const addresses = Array.from(
      { length: TOGETHER },
      (_, i) => base + BigInt(Math.floor((answers.length + i + random()) * part)),
    );
    answers.push(...(await Promise.all(addresses.map(lookUp))));
    if (answers.every(({ kind }) => kind === 'failed')) break;
  }
  return { answers, asked: answers.length };
}

type Judged =
  | { kind: 'phones'; phones: number; named: number; example: string }
  | { kind: 'mixed' | 'other' };

function judge(answers: readonly ReverseAnswer[]): Judged {
  const distinct = new Set<string>();
  let named = 0;
  let fixed = 0;
  let phones = 0;
  for (const answer of answers) {
    if (answer.kind !== 'names') continue;
    named += 1;
    const lines = answer.names.map(lineOf);
    if (lines.includes('fixed')) fixed += 1;
    else if (lines.includes('phone')) {
      phones += 1;
      distinct.add(answer.names[lines.indexOf('phone')] ?? '');
    }
  }
  const [example] = distinct;
  const isWildcard = distinct.size === 1 && phones > 1;
  if (example === undefined || isWildcard) return { kind: 'other' };
  const isOfPhones =
    fixed === 0 && distinct.size >= MIN_DISTINCT_NAMES && phones >= MIN_SHARE * named;
  return isOfPhones ? { kind: 'phones', phones, named, example } : { kind: 'mixed' };
}

function halves({ asn, base, length }: Block): Block[] {
  const upper = lastAddress(base, length + 1, 32) + 1n;
  return [upper, base].map((start) => ({ asn, base: start, length: length + 1 }));
}
