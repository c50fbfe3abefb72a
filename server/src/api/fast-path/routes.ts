/** What the fast path answers beside batches: lookups, lookups with local sections, decisions. */
import { randomUUID } from 'node:crypto';
import { type Address, parseAddressBytes } from '@whence/dataset/address';
import { type AddressSections, parseLocalInclude } from '../../address/sections.ts';
import { JSON_TYPE } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { queryReader } from '../../http/query.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { notFound } from '../../lookup/lookup-requests.ts';
import type { LiveRules } from '../../rules/live-rules.ts';
import {
  countDecision,
  DECIDE,
  DECISION_QUERY,
  decide,
  decisionAnswer,
  type RequestToDecide,
  requestToDecide,
  TEXT,
} from '../decide.ts';
import { findLocally, IP_LOOKUP, ipBody, noRecord } from '../ip.ts';
import { ipSchema } from '../schemas/ip.ts';
import type { FastPath, FastPathRoute } from './admitted-route.ts';
import { AnswerSlab, writeLookupAnswer } from './lookup-answer.ts';

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP');

export function lookupRoute(
  { metrics }: FastPath,
  extraHeaders: Readonly<Record<string, string>>,
): FastPathRoute<Address | undefined> & { release(answer: Buffer): void } {
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
    read: (bytes, { addressStart, addressEnd }) =>
      parseAddressBytes(bytes, addressStart, addressEnd),
    answer(address, served, charged, elapsedMs, nowMs) {
      if (address === undefined) return INVALID_IP;
      const written = writeLookupAnswer(slab, served, address, charged, elapsedMs, nowMs);
      if (written === undefined) return notFoundIn(served);
      metrics.countCache(written.isHit);
      return written;
    },
    release: (sent) => slab.release(sent),
  };
}

const IP_QUERY = queryReader(ipSchema.querystring);

type AskedSections = { readonly address: Address | undefined; readonly query: string };

export function sectionsRoute(
  { metrics, texts }: FastPath,
  addressSections: AddressSections,
): FastPathRoute<AskedSections> {
  return {
    declaration: IP_LOOKUP,
    read: (bytes, { addressStart, addressEnd, query }) => ({
      address: parseAddressBytes(bytes, addressStart, addressEnd),
      query,
    }),
    answer({ address, query }, served, rate, elapsedMs, nowMs) {
      if (address === undefined) return INVALID_IP;
      const { include, explain: isExplained = false } = IP_QUERY.read(query).values;
      const included = parseLocalInclude(include);
      const record = findLocally({ metrics, addressSections }, served, address, {
        included,
        isExplained,
      });
      if (record === undefined) return noRecord(served, address, isExplained);
      const id = randomUUID();
      const { body, cacheStatus } = ipBody(record, { id, elapsedMs, version: served.version });
      const fields = [['x-cache-status', cacheStatus]] as const;
      return {
        answer: texts.write({ status: 200, id, type: JSON_TYPE, rate, fields }, body, nowMs),
        status: 200,
      };
    },
  };
}

/** Decides about the request that the query or a trusted proxy's headers describe. */
export function decisionRoute(
  { metrics, clients, texts }: FastPath,
  rules: LiveRules | undefined,
): FastPathRoute<RequestToDecide> {
  return {
    declaration: DECIDE,
    read(bytes, request, connection) {
      const headers = {
        host: request.forwardedHost,
        uri: request.forwardedUri,
        method: request.forwardedMethod,
      };
      const isForwarded = clients.isProxy(connection);
      const { values, mistake } = DECISION_QUERY.read(request.query);
      const facts = requestToDecide(
        values,
        (name) => (isForwarded ? headers[name].textIn(bytes) : undefined),
        () => clients.clientOfRequest(bytes, request, connection),
      );
      return mistake === undefined ? facts : { ...facts, mistake };
    },
    answer(facts, served, rate, _elapsedMs, nowMs) {
      const decided = decide(rules, served, facts);
      if (decided instanceof ApiError) return decided;
      countDecision(metrics, decided);
      const { status, headers: fields, body } = decisionAnswer(decided);
      const type = body === undefined ? {} : { type: TEXT };
      return {
        answer: texts.write({ status, id: randomUUID(), ...type, rate, fields }, body, nowMs),
        status,
      };
    },
  };
}
