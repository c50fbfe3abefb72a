/** Address text to record. `enrich` has its own path, on bytes: `enrich/address-lookup`. */
import { type Address, parseAddress } from '@whence/dataset/address';
import type { Dataset } from '@whence/dataset/dataset';
import type { Match } from '@whence/dataset/match';
import { recordBytes, writeRecord } from '@whence/dataset/record-writer';
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

type ServedRecords = { readonly dataset: Dataset; readonly answers: AnswerCache };

/** The record as JSON text, from the cache of finished answers if it is there. */
export function findJson(
  { dataset, answers }: ServedRecords,
  address: Address,
): { json: string; isHit: boolean } | undefined {
  const entry = answers.find(address);
  if (entry !== -1) {
    return {
      json: answers.bytes.toString('latin1', answers.start(entry), answers.end(entry)),
      isHit: true,
    };
  }
  const match = dataset.find(address);
  if (match === 0) return undefined;
  if (recordBytes(dataset, match) > scratch.length)
    return { json: dataset.json(address, match), isHit: false };
  const end = writeRecord(dataset, address, match, scratch, 0);
  answers.put(address, scratch, 0, end);
  return { json: scratch.toString('latin1', 0, end), isHit: false };
}

/** One for all calls, because no call waits. */
const scratch = Buffer.allocUnsafeSlow(8192);
