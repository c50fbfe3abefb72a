/** What requests ask of the dataset in use, and their refusals, for the API and the dashboard alike. */
import type { Address } from '@whence/dataset/address';
import { parsePrefixedAsn } from '@whence/dataset/internal/as-number';
import type { Match } from '@whence/dataset/internal/file/format';
import type { AsnSearchAnswer } from '@whence/dataset/internal/lookup/asn-search';
import type { AsnRecord } from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { ApiError } from '../http/errors.ts';
import { integer, object, optional, string, type TextsOf } from '../http/json-schema.ts';
import { parseLimit } from '../http/requests.ts';
import type { LiveDataset, ServedDataset } from './live-dataset.ts';
import { lookup } from './lookup.ts';

const MAX_QUERY_CHARACTERS = 100;
const SEARCH_LIMIT = { fallback: 20, max: 100 };

export function requireDataset({ current }: Pick<LiveDataset, 'current'>): ServedDataset {
  if (current === undefined) throw new ApiError('DATASET_UNAVAILABLE');
  return current;
}

export type FoundRecord = { readonly address: Address; readonly match: Match };

/** The record of the address that `text` names. A refusal says why there is none, if the address has a special purpose. */
export function requireRecord(served: ServedDataset, text: string): FoundRecord {
  const found = lookup(served.dataset, text);
  if (found.kind === 'invalid') throw new ApiError('INVALID_IP');
  if (found.kind === 'found') return found;
  // An exchange does not announce its peering LAN.
  const exchange = served.supplement?.exchange(found.address);
  throw notFound(served, findSpecialPurpose(found.address) ?? (exchange === undefined ? undefined : { exchange }));
}

export function notFound({ version }: Pick<ServedDataset, 'version'>, details?: object): ApiError {
  return new ApiError('IP_NOT_FOUND', {
    extra: details === undefined ? {} : { details },
    meta: { cache_status: 'MISS', dataset_version: version },
    headers: { 'X-Cache-Status': 'MISS' },
  });
}

/** The network with the number that `text` has, with or without `AS` before it. */
export function requireAsn(live: LiveDataset, text: string): { served: ServedDataset; record: AsnRecord } {
  const record = findAsn(live.current, text);
  if (record instanceof ApiError) throw record;
  return { served: requireDataset(live), record };
}

/** The same, or why there is none. */
export function findAsn(served: ServedDataset | undefined, text: string): AsnRecord | ApiError {
  const number = parsePrefixedAsn(text);
  if (number === undefined) return new ApiError('INVALID_ASN');
  if (served === undefined) return new ApiError('DATASET_UNAVAILABLE');
  return served.dataset.asn(number) ?? new ApiError('ASN_NOT_FOUND');
}

export const searchQuery = object({
  q: { ...string('Text to look for.', 'google'), minLength: 1, maxLength: MAX_QUERY_CHARACTERS },
  limit: optional({
    ...integer('1 to 100; above 100 means 100.'),
    minimum: 1,
    default: SEARCH_LIMIT.fallback,
    examples: [5],
  }),
});

export function searchNetworks(
  live: Pick<LiveDataset, 'current'>,
  { q = '', limit }: TextsOf<typeof searchQuery>,
): AsnSearchAnswer {
  if (q.trim() === '') throw new ApiError('MISSING_QUERY');
  if (q.length > MAX_QUERY_CHARACTERS) throw new ApiError('INVALID_QUERY');
  const { search } = requireDataset(live);
  return search.search(q, parseLimit(limit, SEARCH_LIMIT));
}

export function requireBatchSize(received: number, limit: number): void {
  if (received > limit) throw new ApiError('BATCH_TOO_LARGE', { extra: { details: { limit, received } } });
}
