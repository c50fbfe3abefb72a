/** Address text to answer: the one way through which every front of the program looks an address up. */
import { type Address, parseAddress } from '@whence/dataset/address';
import { explain } from '@whence/dataset/evidence';
import type { Match } from '@whence/dataset/format';
import { recordBytes, writeRecord } from '@whence/dataset/json-writer';
import type { Dataset } from '@whence/dataset/read';
import type { Evidence } from '@whence/dataset/record';
import { findSpecialPurpose, type SpecialPurpose } from '@whence/dataset/tables/special-purpose';
import type { AnswerCache } from './answer-cache.ts';

export type Lookup =
  | { kind: 'found'; address: Address; match: Match }
  | { kind: 'not found'; address: Address }
  | { kind: 'invalid' };

export function lookup(dataset: Dataset, text: string): Lookup {
  const address = parseAddress(text);
  if (address === undefined) return { kind: 'invalid' };
  const match = dataset.find(address);
  return match === 0 ? { kind: 'not found', address } : { kind: 'found', address, match };
}

/** The record as JSON text, from the cache of finished answers where it is; undefined when there is no record. */
export function findJson(
  { dataset, answers }: { dataset: Dataset; answers: AnswerCache },
  text: string,
): { json: string; isHit: boolean } | undefined {
  const known = answers.get(text);
  if (known !== undefined) return { json: known, isHit: true };
  const found = lookup(dataset, text);
  if (found.kind !== 'found') return undefined;
  const json = flatJson(dataset, found.address, found.match);
  answers.set(text, json);
  return { json, isHit: false };
}

/**
 * A text in one piece. `dataset.json` joins pieces, which V8 keeps apart until somebody reads them: kept in the cache they are twenty objects an answer for
 * the garbage collector to walk, and are joined anew for every response.
 */
function flatJson(dataset: Dataset, address: Address, match: Match): string {
  const size = recordBytes(dataset, match);
  if (size > scratch.length) return dataset.json(address, match);
  return scratch.toString('latin1', 0, writeRecord(dataset, address, match, scratch, 0));
}

/** Written and read within one call, so one is enough. */
const scratch = Buffer.allocUnsafeSlow(8192);

export function evidenceOf(dataset: Dataset, { address, match }: { address: Address; match: Match }): Evidence[] {
  return explain(dataset, address, match);
}

/** Why there is no record: the special-purpose range and its RFC, where it is one. */
export function specialPurposeOf({ address }: { address: Address }): SpecialPurpose | undefined {
  return findSpecialPurpose(address);
}
