// The fast path's routes: addresses with local sections, networks, searches, prefixes, decisions, and files that the client has already.
import { randomUUID } from 'node:crypto';
import { type Address, parseAddressBytes } from '@whence/dataset/address';
import type { KeyDeclaration } from '../../admission/declaration.ts';
import { CACHING, isKnownTag } from '../../http/conditional.ts';
import { ApiError } from '../../http/errors.ts';
import type { ServedDataset } from '../../lookup/live-dataset.ts';
import { findAsn, notFound, searchNetworks } from '../../lookup/lookup-requests.ts';
import { parsePrefixRequest } from '../../lookup/prefix-content.ts';
import { ASN_LOOKUP, ASN_SEARCH } from '../asn.ts';
import { DATABASE, DATABASE_LIST, stateHeaders } from '../databases.ts';
import { type AskedDecision, askedRequest, countDecision, DECIDE, decide, decisionAnswer, TEXT } from '../decide.ts';
import { metadataOf, refusalText } from '../geoip.ts';
import { findLocally, IP_LOOKUP, ipBody, nothingFound, parseLocalQuery } from '../ip.ts';
import { findList, LIST, listState } from '../lists.ts';
import { PREFIX } from '../routes.ts';
import { type FastPathDependencies, type FastPathRoute, NODES } from './admitted-route.ts';
import { AnswerSlab, writeLookupAnswer } from './lookup-answer.ts';
import { textAnswers } from './text-answer.ts';

// Created once: an error captures its stack, which costs as much as a lookup.
const INVALID_IP = new ApiError('INVALID_IP');

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

/** Data about what the text of a target names. */
function dataRoute<Question>(
  { extraHeaders, live }: FastPathDependencies,
  declaration: KeyDeclaration,
  read: (text: string, served: ServedDataset | undefined) => Question | typeof NODES,
  jsonOf: (question: Question, served: ServedDataset) => string | ApiError,
): FastPathRoute<Question> {
  const write = textAnswers(extraHeaders);
  return {
    declaration,
    read: (_bytes, { text }) => read(text, live.current),
    answer(question, served, charged, waitedMs, nowMs) {
      const startedMs = performance.now();
      const json = jsonOf(question, served);
      if (json instanceof ApiError) return json;
      const elapsedMs = Math.floor(waitedMs + performance.now() - startedMs);
      const body = `{"data":${json},"meta":{"processing_time_ms":${elapsedMs}}}`;
      return { answer: write({ status: 200, headers: [], body }, charged, nowMs), status: 200 };
    },
  };
}

const itself = (text: string) => text;

/** The number of a network without parameters. */
export const networkRoute = (dependencies: FastPathDependencies) =>
  dataRoute(dependencies, ASN_LOOKUP, itself, (text, served) => {
    const record = findAsn(served, text);
    return record instanceof ApiError ? record : JSON.stringify(record);
  });

/** A text that needs no decoding, without `limit`. */
export const searchRoute = (dependencies: FastPathDependencies) =>
  dataRoute(dependencies, ASN_SEARCH, itself, (q, current) => JSON.stringify(searchNetworks({ current }, { q })));

/** A prefix whose answer is kept, or that is so long that it is walked at once. */
export const prefixRoute = (dependencies: FastPathDependencies) => {
  const read = (text: string, served: ServedDataset | undefined) => {
    const request = parsePrefixRequest(text);
    return (request && served && dependencies.prefixContents.findAtOnce(served.dataset, request)) ?? NODES;
  };
  return dataRoute(dependencies, PREFIX, read, (find, { dataset }) =>
    dependencies.addressSections.describeParts(find(), dataset),
  );
};

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
      const headers = { host: request.forwardedHost, uri: request.forwardedUri, method: request.forwardedMethod };
      const isForwarded = clients.isProxy(connection);
      return askedRequest(
        request.text,
        (name) => (isForwarded ? headers[name].textIn(bytes) : undefined),
        () => clients.clientOfRequest(bytes, request, connection),
      );
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

type State = Readonly<Record<string, string>> & { readonly etag: string };

/** For clients that poll for a file and have the current one. The question is the state that the client has. */
function unchangedFile(
  { extraHeaders }: FastPathDependencies,
  declaration: KeyDeclaration,
  stateOf: (text: string) => State | undefined,
): FastPathRoute<State> {
  const write = textAnswers(extraHeaders);
  return {
    declaration,
    read(bytes, { text, ifNoneMatch }) {
      const state = stateOf(text);
      return state !== undefined && isKnownTag(ifNoneMatch.textIn(bytes), state.etag) ? state : NODES;
    },
    answer: (state, _served, charged, _elapsedMs, nowMs) => ({
      answer: write({ status: 304, caching: CACHING, headers: Object.entries(state) }, charged, nowMs),
      status: 304,
    }),
  };
}

export const databaseRoute = (dependencies: FastPathDependencies) =>
  unchangedFile(dependencies, DATABASE, (text) => {
    const found = dependencies.databases.findCurrent(text.replace(/\.mmdb$/, ''));
    return found && stateHeaders(found, 'mmdb');
  });

export const listRoute = (dependencies: FastPathDependencies) =>
  unchangedFile(dependencies, LIST, (text) => {
    const found = findList(dependencies, text);
    return found instanceof ApiError ? undefined : listState(found);
  });

/** geoipupdate before version 7, with the MD5 of the current database. */
export function updateRoute({ databases, extraHeaders }: FastPathDependencies): FastPathRoute<string> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: DATABASE,
    refusalText,
    read(_bytes, { text }) {
      const [edition = '', known] = text.split('/update?db_md5=');
      const md5 = databases.findCurrent(edition)?.file.md5;
      return md5 !== undefined && md5 === known?.toLowerCase() ? md5 : NODES;
    },
    answer: (md5, _served, charged, _elapsedMs, nowMs) => ({
      answer: write({ status: 304, headers: [['x-database-md5', md5]] }, charged, nowMs),
      status: 304,
    }),
  };
}

/** geoipupdate from version 7 on. */
export function metadataRoute({ databases, extraHeaders }: FastPathDependencies): FastPathRoute<string | undefined> {
  const write = textAnswers(extraHeaders);
  return {
    declaration: DATABASE_LIST,
    refusalText,
    read(_bytes, { text }) {
      const [, edition] = text.split('=');
      return edition === undefined || databases.findCurrent(edition) !== undefined ? edition : NODES;
    },
    answer(edition, _served, charged, _elapsedMs, nowMs) {
      const body = JSON.stringify(metadataOf(databases, edition));
      return { answer: write({ status: 200, headers: [], body }, charged, nowMs), status: 200 };
    },
  };
}
