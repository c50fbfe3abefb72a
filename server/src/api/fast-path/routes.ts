/**
 * The routes of the fast path: the record of an address as bytes, or as text with what else needs nothing but the dataset;
 * the record of a network; decisions; and databases for clients that have the current one.
 */
import { randomUUID } from 'node:crypto';
import { type Address, parseAddress, parseAddressBytes } from '@whence/dataset/address';
import { CACHING, isKnownTag } from '../../http/conditional.ts';
import { ApiError } from '../../http/errors.ts';
import { parseClient } from '../../limits/client.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { findAsn, notFound } from '../../lookup/lookup-requests.ts';
import { ASN_LOOKUP } from '../asn.ts';
import { DATABASE, stateHeaders } from '../databases.ts';
import {
  type AskedDecision,
  askedRequest,
  countDecision,
  DECIDE,
  decide,
  decisionAnswer,
  repeatedParameter,
  TEXT,
} from '../decide.ts';
import { findLocally, IP_LOOKUP, ipBody, nothingFound, parseLocalQuery } from '../ip.ts';
import { type FastPathDependencies, type FastPathRoute, NODES } from './admitted-route.ts';
import { AnswerSlab, writeLookupAnswer } from './lookup-answer.ts';
import { textAnswers } from './text-answer.ts';

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP');

/** The address is undefined if it is invalid. */
export function lookupRoute({
  metrics,
  extraHeaders,
}: FastPathDependencies): FastPathRoute<Address | undefined> & { release(answer: Buffer): void } {
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
      return found;
    },
    release: (sent) => slab.release(sent),
  };
}

type AskedSections = { readonly address: Address | undefined; readonly query: string };

export function sectionsRoute(dependencies: FastPathDependencies): FastPathRoute<AskedSections> {
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

/** The number of a network without parameters. */
export function networkRoute({ extraHeaders }: FastPathDependencies): FastPathRoute<string> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: ASN_LOOKUP,
    read: (_bytes, { text }) => text,
    answer(text, served, charged, elapsedMs, nowMs) {
      const record = findAsn(served, text);
      if (record instanceof ApiError) return record;
      const body = `{"data":${JSON.stringify(record)},"meta":{"processing_time_ms":${elapsedMs}}}`;
      return { answer: write({ status: 200, headers: [], body }, charged, nowMs), status: 200 };
    },
  };
}

const NO_QUERY: Readonly<Record<string, string>> = {};

/** The question of the query and of the headers of a trusted proxy. */
export function decisionRoute({
  metrics,
  rules,
  clients,
  extraHeaders,
}: FastPathDependencies): FastPathRoute<AskedDecision> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: DECIDE,
    read(bytes, request, connection) {
      const query = request.text === '' ? NO_QUERY : Object.fromEntries(new URLSearchParams(request.text));
      const { ip, set } = query;
      const headers = { host: request.forwardedHost, uri: request.forwardedUri, method: request.forwardedMethod };
      const isForwarded = clients.isProxy(connection);
      return {
        address: ip === undefined ? parseClient(clients.clientOfRequest(bytes, request, connection)) : parseAddress(ip),
        ...askedRequest(query, (name) => (isForwarded ? headers[name].textIn(bytes) : undefined)),
        set,
        repeated: repeatedParameter(request.text),
      };
    },
    answer(asked, served, charged, _elapsedMs, nowMs) {
      const decided = decide(rules, served, asked);
      if (decided instanceof ApiError) return decided;
      countDecision(metrics, decided);
      const { status, headers, body } = decisionAnswer(decided);
      const answer = write({ status, headers, ...(body !== undefined && { type: TEXT, body }) }, charged, nowMs);
      return { answer, status };
    },
  };
}

/** For clients that poll for a database and have the current one. The question is the state that the client has. */
export function databaseRoute({
  databases,
  extraHeaders,
}: FastPathDependencies): FastPathRoute<ReturnType<typeof stateHeaders>> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: DATABASE,
    read(bytes, { text, ifNoneMatch }) {
      const found = databases.findCurrent(text.replace(/\.mmdb$/, ''));
      const state = found && stateHeaders(found, 'mmdb');
      return state !== undefined && isKnownTag(ifNoneMatch.textIn(bytes), state.etag) ? state : NODES;
    },
    answer: (state, _served, charged, _elapsedMs, nowMs) => ({
      answer: write({ status: 304, caching: CACHING, headers: Object.entries(state) }, charged, nowMs),
      status: 304,
    }),
  };
}
