/**
 * What requests ask of the dataset in use, and their refusals, for the API and the dashboard alike.
 */
import type { Address } from '@whence/dataset/address';
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import { type AsnSearchAnswer, parseSearchCursor } from '@whence/dataset/asn-search';
import type { Match } from '@whence/dataset/match';
import type { AsnRecord } from '@whence/dataset/record';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import { ApiError } from '../http/errors.ts';
import { integer, object, optional, type QueryOf, string } from '../http/json-schema.ts';
import { parseLimit } from '../http/requests.ts';
import type { Requester } from '../limits/cost-classes.ts';
import type { LiveDataset, ServedDataset } from './live-dataset.ts';
import { lookup } from './lookup.ts';
import type { NetworkSearches } from './network-searches.ts';

const MAX_QUERY_CHARACTERS = 100;
const SEARCH_LIMIT = { fallback: 20, max: 100 };

export function requireDataset({ current }: Pick<LiveDataset, 'current'>): ServedDataset {
  if (current === undefined) throw new ApiError('DATASET_UNAVAILABLE');
  return current;
}

export type AddressMatch = { readonly address: Address; readonly match: Match };

/**
 * The record of the address that `text` names. A refusal says why there is none, if the address has
 * a special purpose.
 */
export function requireRecord(served: ServedDataset, text: string): AddressMatch {
  const record = lookup(served.dataset, text);
  if (record.kind === 'invalid') throw new ApiError('INVALID_IP');
  if (record.kind === 'found') return record;
  throw notFound(served, findSpecialPurpose(record.address));
}

export function notFound({ version }: Pick<ServedDataset, 'version'>, details?: object): ApiError {
  return new ApiError('IP_NOT_FOUND', {
    extra: details === undefined ? {} : { details },
    meta: { cache_status: 'MISS', dataset_version: version },
    headers: { 'X-Cache-Status': 'MISS' },
  });
}

/** The network with the number that `text` has, with or without `AS` before it. */
export function requireAsn(
  live: LiveDataset,
  text: string,
): { served: ServedDataset; record: AsnRecord } {
  const number = parsePrefixedAsn(text);
  if (number === undefined) throw new ApiError('INVALID_ASN');
  const served = requireDataset(live);
  const record = served.dataset.asn(number);
  if (record === undefined) throw new ApiError('ASN_NOT_FOUND');
  return { served, record };
}

export const searchQuery = object({
  q: { ...string('Text to look for.', 'google'), minLength: 1, maxLength: MAX_QUERY_CHARACTERS },
  limit: optional({
    ...integer('1 to 100; above 100 means 100.'),
    minimum: 1,
    default: SEARCH_LIMIT.fallback,
    examples: [5],
  }),
  cursor: optional(
    string('Continues after an earlier answer: its next_cursor. Stays valid after an update.'),
  ),
});

type SearchSources = {
  readonly live: Pick<LiveDataset, 'current'>;
  readonly searches: NetworkSearches;
};

export async function searchNetworks(
  { live, searches }: SearchSources,
  { q = '', limit, cursor }: QueryOf<typeof searchQuery>,
  requester: Requester,
): Promise<AsnSearchAnswer> {
  if (q.trim() === '') throw new ApiError('MISSING_QUERY');
  if ([...q].length > MAX_QUERY_CHARACTERS) throw new ApiError('INVALID_QUERY');
  const served = requireDataset(live);
  const after = cursor === undefined ? undefined : parseSearchCursor(cursor);
  if (cursor !== undefined && after === undefined)
    throw new ApiError('INVALID_QUERY', {
      extra: { details: { parameter: 'cursor', allowed: ['next_cursor of an earlier answer'] } },
    });
  const page = { limit: parseLimit(limit, SEARCH_LIMIT), ...(after && { after }) };
  return searches.find(served, q, page, requester);
}

export function requireBatchSize(received: number, limit: number): void {
  if (received > limit)
    throw new ApiError('BATCH_TOO_LARGE', { extra: { details: { limit, received } } });
}
