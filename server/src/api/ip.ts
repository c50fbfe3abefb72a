// `GET /v1/ip/{ip}`, with `include` or of an earlier version. `fast-path/` answers simple requests
// with the same bytes.
import { type Address, parseAddress } from '@whence/dataset/address';
import { explanationJson } from '@whence/dataset/evidence';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AddressSections, isLocal, withMembers } from '../address/sections.ts';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { elapsedMs, envelopeText, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { QueryOf, RequestOf } from '../http/json-schema.ts';
import { requireIncluded } from '../http/requests.ts';
import { PREFIX_HINT } from '../http/unknown-routes.ts';
import { clientAddress } from '../limits/client.ts';
import type { LiveDataset, ServedDataset } from '../lookup/live-dataset.ts';
import { findJson } from '../lookup/lookup.ts';
import { notFound, requireDataset } from '../lookup/lookup-requests.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { PastLookups } from '../versions/past-lookups.ts';
import { findPast, parseWanted } from '../versions/past-request.ts';
import {
  ADDRESS_SECTIONS,
  LOCAL_ADDRESS_SECTIONS,
  type LocalAddressSection,
} from '../vocabulary.ts';
import { requesterOf } from './admit.ts';
import type { ipSchema, ownIpSchema } from './schemas/ip.ts';

export type IpDependencies = {
  readonly live: Pick<LiveDataset, 'current'>;
  readonly metrics: Pick<Metrics, 'countCache'>;
  readonly addressSections: AddressSections;
  readonly past: PastLookups;
  readonly nowMs: () => number;
};

/** Also of the fast path, whose requests cost no more than a lookup. */
export const IP_LOOKUP: KeyDeclaration = {
  access: 'ip:read',
  counts: 'ip',
  costs: ['lookup', 'hostname', 'past_version'],
};

/** `explain`, and sections that need nothing but the dataset, as the fast path accepts them. */
const LOCAL = `(?:${LOCAL_ADDRESS_SECTIONS.join('|')})`;
const INCLUDE = `include=${LOCAL}(?:,${LOCAL})*`;
const EXPLAIN = 'explain=true';
export const LOCAL_QUERY = new RegExp(
  `^(?:${EXPLAIN}(?:&${INCLUDE})?|${INCLUDE}(?:&${EXPLAIN})?)$`,
);

export function getIp(dependencies: IpDependencies) {
  const answer = answerIp(dependencies);
  return (request: RequestOf<typeof ipSchema>, reply: FastifyReply) =>
    answer(request, reply, request.params.ip, request.query);
}

/** `GET /v1/ip/me`: the same for the address that the request comes from. */
export function getOwnIp(dependencies: IpDependencies) {
  const answer = answerIp(dependencies);
  return (request: RequestOf<typeof ownIpSchema>, reply: FastifyReply) =>
    answer(request, reply, clientAddress(request.ip), request.query);
}

export function answerIp(dependencies: IpDependencies) {
  const { live, metrics, addressSections, past, nowMs } = dependencies;
  return (
    request: Pick<FastifyRequest, 'id' | 'startedMs' | 'key' | 'routeOptions' | 'isWorkRefused'>,
    reply: FastifyReply,
    text: string,
    query: QueryOf<typeof ipSchema.querystring>,
  ): FastifyReply | Promise<FastifyReply> => {
    const served = requireDataset(live);
    const address = parseAddress(text);
    if (address === undefined)
      throw new ApiError('INVALID_IP', { extra: text.includes('/') ? PREFIX_HINT : {} });
    const included = requireIncluded(query.include, ADDRESS_SECTIONS);
    const isExplained = query.explain === true;
    const wanted = parseWanted(query);
    const send = (json: string, isHit: boolean, version: number) => {
      const meta = { id: request.id, elapsedMs: elapsedMs(request), version };
      const { body, cacheStatus } = ipBody({ json, isHit }, meta);
      reply.header('X-Cache-Status', cacheStatus);
      return sendJson(reply, body);
    };
    const requireFound = <Result>(record: Result | undefined, version: number): Result => {
      if (record === undefined) throw noRecord({ version }, address, isExplained);
      return record;
    };
    const answerServed = () => {
      if (isLocal(included)) {
        const record = findLocally(dependencies, served, address, { included, isExplained });
        const { json, isHit } = requireFound(record, served.version);
        return send(json, isHit, served.version);
      }
      const record = findRecord(served, address, isExplained);
      const { json, isHit } = requireFound(record, served.version);
      metrics.countCache(isHit);
      const { dataset } = served;
      return addressSections
        .describe(
          { dataset, address, match: dataset.find(address) },
          included,
          requesterOf(request, reply),
        )
        .then((members) => send(withMembers(json, members), isHit, served.version));
    };
    if (wanted === undefined) return answerServed();
    // What DNS says today is not what it said then.
    if (included.size > 0)
      throw new ApiError('INVALID_INCLUDE', { extra: { details: { allowed: [] } } });
    const question = { wanted, explained: isExplained, nowMs: nowMs() };
    return findPast(past, served, address, question, requesterOf(request, reply)).then((answer) => {
      if (answer.kind === 'in use') return answerServed();
      return send(requireFound(answer.json, answer.version), false, answer.version);
    });
  };
}

type RecordJson = { readonly json: string; readonly isHit: boolean };

/** Explained: which special-purpose range it is in. */
export function noRecord(
  served: Pick<ServedDataset, 'version'>,
  address: Address,
  isExplained: boolean,
): ApiError {
  return notFound(served, isExplained ? findSpecialPurpose(address) : undefined);
}

/**
 * The record with what needs nothing but the dataset; undefined if nothing is known of the address.
 */
export function findLocally(
  { metrics, addressSections }: Pick<IpDependencies, 'metrics' | 'addressSections'>,
  served: ServedDataset,
  address: Address,
  {
    included,
    isExplained,
  }: { readonly included: ReadonlySet<LocalAddressSection>; readonly isExplained: boolean },
): RecordJson | undefined {
  const record = findRecord(served, address, isExplained);
  if (record === undefined) return undefined;
  metrics.countCache(record.isHit);
  if (included.size === 0) return record;
  const { dataset } = served;
  const members = addressSections.describeLocal(
    { dataset, address, match: dataset.find(address) },
    included,
  );
  return { json: withMembers(record.json, members), isHit: record.isHit };
}

/** Explained lookups count as misses: the statistics of the cache count simple lookups. */
function findRecord(
  served: ServedDataset,
  address: Address,
  isExplained: boolean,
): RecordJson | undefined {
  const record = findJson(served, address);
  if (record === undefined || !isExplained) return record;
  const { dataset } = served;
  const explanation = explanationJson(dataset, address, dataset.find(address));
  return { json: `${record.json.slice(0, -1)},${explanation.slice(1)}`, isHit: false };
}

type IpMeta = { readonly id: string; readonly elapsedMs: number; readonly version: number };

export function ipBody(
  { json, isHit }: RecordJson,
  { id, elapsedMs, version }: IpMeta,
): { body: string; cacheStatus: string } {
  const cacheStatus = isHit ? 'HIT' : 'MISS';
  const body = envelopeText(json, {
    request_id: id,
    processing_time_ms: elapsedMs,
    cache_status: cacheStatus,
    dataset_version: version,
  });
  return { body, cacheStatus };
}
