// `GET /v1/ip/{ip}`, with `include` or of an earlier version. `fast-path/` answers simple requests with the same bytes.
import { type Address, parseAddress } from '@whence/dataset/address';
import { explanationJson } from '@whence/dataset/internal/lookup/evidence';
import { findSpecialPurpose } from '@whence/dataset/special-purpose';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLocal, withMembers } from '../address/sections.ts';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { elapsedMs, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { RequestOf, TextsOf } from '../http/json-schema.ts';
import { parseSwitch } from '../http/requests.ts';
import { PREFIX_HINT } from '../http/unknown-routes.ts';
import { clientAddress } from '../limits/client.ts';
import type { ServedDataset } from '../lookup/live-dataset.ts';
import { findJson } from '../lookup/lookup.ts';
import { notFound, requireDataset } from '../lookup/lookup-requests.ts';
import { findPast, parseWanted } from '../versions/past-request.ts';
import { LOCAL_ADDRESS_SECTIONS, type LocalAddressSection } from '../vocabulary.ts';
import { requesterOf } from './admit.ts';
import type { RouteDependencies } from './dependencies.ts';
import type { ipSchema, ownIpSchema } from './schemas/ip.ts';

/** Also of the fast path, whose requests cost no more than a lookup. */
export const IP_LOOKUP: KeyDeclaration = {
  access: 'ip:read',
  counts: 'ip',
  costs: ['lookup', 'hostname', 'registration', 'past_version'],
};

/** `explain`, and sections that need nothing but the dataset, as the fast path accepts them. */
const LOCAL = `(?:${LOCAL_ADDRESS_SECTIONS.join('|')})`;
const INCLUDE = `include=${LOCAL}(?:,${LOCAL})*`;
const EXPLAIN = 'explain=true';
export const LOCAL_QUERY = new RegExp(`^(?:${EXPLAIN}(?:&${INCLUDE})?|${INCLUDE}(?:&${EXPLAIN})?)$`);

export function parseLocalQuery(text: string): { readonly include: string | undefined; readonly isExplained: boolean } {
  const parameters = text.split('&');
  const include = parameters.find((parameter) => parameter !== EXPLAIN)?.slice('include='.length);
  return { include, isExplained: parameters.includes(EXPLAIN) };
}

export function getIp(dependencies: RouteDependencies) {
  const answer = answerIp(dependencies);
  return (request: RequestOf<typeof ipSchema>, reply: FastifyReply) =>
    answer(request, reply, request.params.ip, request.query);
}

/** `GET /v1/ip/me`: the same for the address that the request comes from. */
export function getOwnIp(dependencies: RouteDependencies) {
  const answer = answerIp(dependencies);
  return (request: RequestOf<typeof ownIpSchema>, reply: FastifyReply) =>
    answer(request, reply, clientAddress(request.ip), request.query);
}

export function answerIp(dependencies: RouteDependencies) {
  const { live, metrics, addressSections, past, nowMs } = dependencies;
  return (
    request: Pick<FastifyRequest, 'id' | 'startedMs' | 'key' | 'routeOptions'>,
    reply: FastifyReply,
    text: string,
    query: TextsOf<typeof ipSchema.querystring>,
  ): FastifyReply | Promise<FastifyReply> => {
    const served = requireDataset(live);
    const address = parseAddress(text);
    if (address === undefined) throw new ApiError('INVALID_IP', { extra: text.includes('/') ? PREFIX_HINT : {} });
    const included = addressSections.parse(query.include);
    const isExplained = parseSwitch('explain', query.explain);
    const wanted = parseWanted(query);
    const send = (json: string, isHit: boolean, version: number) => {
      const meta = { id: request.id, elapsedMs: elapsedMs(request), version };
      const { body, cacheStatus } = ipBody({ json, isHit }, meta);
      reply.header('X-Cache-Status', cacheStatus);
      return sendJson(reply, body);
    };
    const requireFound = <Found>(found: Found | undefined, version: number): Found => {
      if (found === undefined) throw nothingFound({ version }, address, isExplained);
      return found;
    };
    const answerServed = () => {
      if (isLocal(included)) {
        const found = findLocally(dependencies, served, address, { included, isExplained });
        const { json, isHit } = requireFound(found, served.version);
        return send(json, isHit, served.version);
      }
      const found = findRecord(served, address, isExplained);
      const unannounced = found === undefined ? addressSections.unannounced(served, address, included) : undefined;
      if (unannounced !== undefined) return send(JSON.stringify(unannounced), false, served.version);
      const { json, isHit } = requireFound(found, served.version);
      metrics.countCache(isHit);
      const { dataset, supplement } = served;
      return addressSections
        .describe({ dataset, supplement, address, match: dataset.find(address) }, included, requesterOf(request, reply))
        .then((members) => send(withMembers(json, members), isHit, served.version));
    };
    if (wanted === undefined) return answerServed();
    // What DNS and the registries say today is not what they said then.
    if (included.size > 0) throw new ApiError('INVALID_INCLUDE', { extra: { details: { allowed: [] } } });
    const question = { wanted, explained: isExplained, nowMs: nowMs() };
    return findPast(past, served, address, question, requesterOf(request, reply)).then((answer) => {
      if (answer.kind === 'in use') return answerServed();
      return send(requireFound(answer.json, answer.version), false, answer.version);
    });
  };
}

type FoundJson = { readonly json: string; readonly isHit: boolean };

/** Explained: which special-purpose range it is in. */
export function nothingFound(served: Pick<ServedDataset, 'version'>, address: Address, isExplained: boolean): ApiError {
  return notFound(served, isExplained ? findSpecialPurpose(address) : undefined);
}

/** The record with what needs nothing but the dataset; undefined if nothing is known of the address. */
export function findLocally(
  { metrics, addressSections }: Pick<RouteDependencies, 'metrics' | 'addressSections'>,
  served: ServedDataset,
  address: Address,
  { included, isExplained }: { readonly included: ReadonlySet<LocalAddressSection>; readonly isExplained: boolean },
): FoundJson | undefined {
  const found = findRecord(served, address, isExplained);
  if (found === undefined) {
    const unannounced = addressSections.unannounced(served, address, included);
    return unannounced && { json: JSON.stringify(unannounced), isHit: false };
  }
  metrics.countCache(found.isHit);
  if (included.size === 0) return found;
  const { dataset, supplement } = served;
  const members = addressSections.describeLocal(
    { dataset, supplement, address, match: dataset.find(address) },
    included,
  );
  return { json: withMembers(found.json, members), isHit: found.isHit };
}

/** Explained lookups count as misses: the statistics of the cache count simple lookups. */
function findRecord(served: ServedDataset, address: Address, isExplained: boolean): FoundJson | undefined {
  const found = findJson(served, address);
  if (found === undefined || !isExplained) return found;
  const { dataset } = served;
  const explanation = explanationJson(dataset, address, dataset.find(address));
  return { json: `${found.json.slice(0, -1)},${explanation.slice(1)}`, isHit: false };
}

type IpMeta = { readonly id: string; readonly elapsedMs: number; readonly version: number };

export function ipBody({ json, isHit }: FoundJson, meta: IpMeta): { body: string; cacheStatus: string } {
  const cacheStatus = isHit ? 'HIT' : 'MISS';
  const members = `"request_id":"${meta.id}","processing_time_ms":${meta.elapsedMs},"cache_status":"${cacheStatus}"`;
  return { body: `{"data":${json},"meta":{${members},"dataset_version":${meta.version}}}`, cacheStatus };
}
