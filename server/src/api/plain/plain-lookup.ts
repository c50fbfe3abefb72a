/** Answers plain lookups: the record of an address as bytes, or as text with what else needs nothing but the dataset. */
import { randomUUID } from 'node:crypto';
import { type Address, parseAddressBytes } from '@whence/dataset/address';
import { ApiError } from '../../http/errors.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { notFound } from '../../lookup/lookup-requests.ts';
import { findLocally, IP_LOOKUP, ipBody, nothingFound, parseLocalQuery } from '../ip.ts';
import { AnswerSlab, writeLookupAnswer } from './lookup-answer.ts';
import type { PlainDependencies, PlainRoute } from './plain-route.ts';
import { textAnswers } from './text-answer.ts';

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP');

/** The address is undefined if it is invalid. */
export function plainLookup({
  metrics,
  networks,
  extraHeaders,
}: PlainDependencies): PlainRoute<Address | undefined> & { release(answer: Buffer): void } {
  const slab = new AnswerSlab(extraHeaders);
  let lastServed: ServedDataset | undefined;
  let lastNotFound: ApiError | undefined;

  // An error for each dataset, not for each answer.
  const notFoundIn = (served: ServedDataset) => {
    if (lastNotFound === undefined || lastServed !== served) lastNotFound = notFound(served);
    lastServed = served;
    return lastNotFound;
  };

  return {
    declaration: IP_LOOKUP,
    read: (bytes, { addressStart, addressEnd }) => parseAddressBytes(bytes, addressStart, addressEnd),
    answer(address, served, charged, elapsedMs, nowMs) {
      if (address === undefined) return INVALID_IP;
      const found = writeLookupAnswer(slab, served, address, charged, elapsedMs, nowMs);
      if (found === undefined) return notFoundIn(served);
      metrics.countCache(found.isHit);
      networks.count(served.dataset, address);
      return found;
    },
    release: (sent) => slab.release(sent),
  };
}

type AskedSections = { readonly address: Address | undefined; readonly query: string };

export function plainSections(dependencies: PlainDependencies): PlainRoute<AskedSections> {
  const write = textAnswers(dependencies.extraHeaders);
  return {
    declaration: IP_LOOKUP,
    read: (bytes, { addressStart, addressEnd, text }) => ({
      address: parseAddressBytes(bytes, addressStart, addressEnd),
      query: text,
    }),
    answer({ address, query }, served, charged, elapsedMs, nowMs) {
      if (address === undefined) return INVALID_IP;
      const { include, isExplained } = parseLocalQuery(query);
      const included = dependencies.addressSections.parseLocal(include);
      const found = findLocally(dependencies, served, address, { included, isExplained });
      if (found === undefined) return nothingFound(served, address, isExplained);
      const id = randomUUID();
      const { body, cacheStatus } = ipBody(found, { id, elapsedMs, version: served.version });
      const headers = [['x-cache-status', cacheStatus]] as const;
      return { answer: write({ status: 200, id, headers, body }, charged, nowMs), status: 200 };
    },
  };
}
