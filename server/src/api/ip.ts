/** `GET /v1/ip/{ip}`: what is known of one address. Plain requests are answered by `plain/`, with the same bytes. */
import { type Address, parseAddress } from '@whence/dataset/address';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { elapsedMs, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { LiveDataset, ServedDataset } from '../lookup/live-dataset.ts';
import { evidenceOf, findJson, specialPurposeOf } from '../lookup/lookup.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { NetworkCounts } from '../usage/networks.ts';

type IpRequest = FastifyRequest<{ Params: { ip: string }; Querystring: { explain?: string } }>;

export function getIp(live: LiveDataset, metrics: Metrics, networks: NetworkCounts) {
  return (request: IpRequest, reply: FastifyReply): FastifyReply => {
    const served = requireDataset(live);
    const address = parseAddress(request.params.ip);
    if (address === undefined) throw new ApiError('INVALID_IP');
    const isExplained = request.query.explain === 'true';
    const found = isExplained ? explained(served, address) : findJson(served, address);
    if (found === undefined) throw notFound(served, isExplained ? specialPurposeOf({ address }) : undefined);
    metrics.countCache(found.isHit);
    networks.count(served.dataset, address);
    const cacheStatus = found.isHit ? 'HIT' : 'MISS';
    const meta = `"request_id":"${request.id}","processing_time_ms":${elapsedMs(request)},"cache_status":"${cacheStatus}"`;
    reply.header('X-Cache-Status', cacheStatus);
    return sendJson(reply, `{"data":${found.json},"meta":{${meta},"dataset_version":${served.version}}}`);
  };
}

export function requireDataset(live: LiveDataset): ServedDataset {
  const served = live.current;
  if (served === undefined) throw new ApiError('DATASET_UNAVAILABLE', { headers: { 'Retry-After': '10' } });
  return served;
}

/** `details` say why there is no record, where that is known. */
export function notFound({ version }: ServedDataset, details?: object): ApiError {
  return new ApiError('IP_NOT_FOUND', {
    extra: details === undefined ? {} : { details },
    meta: { cache_status: 'MISS', dataset_version: version },
    headers: { 'X-Cache-Status': 'MISS' },
  });
}

/** Evidence is asked for by people: it is built each time and not cached. */
function explained({ dataset }: ServedDataset, address: Address): { json: string; isHit: boolean } | undefined {
  const match = dataset.find(address);
  if (match === 0) return undefined;
  const record = dataset.record(address, match);
  return { json: JSON.stringify({ ...record, evidence: evidenceOf(dataset, { address, match }) }), isHit: false };
}
