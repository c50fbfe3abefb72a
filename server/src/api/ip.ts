/** `GET /v1/ip/{ip}`: what is known of one address. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LiveDataset, ServedDataset } from '../live-dataset.ts';
import { evidenceOf, findJson, lookup, specialPurposeOf } from '../lookup.ts';
import type { Metrics } from '../metrics.ts';
import { elapsedMs, sendJson } from './envelope.ts';
import { ApiError } from './errors.ts';

type IpRequest = FastifyRequest<{ Params: { ip: string }; Querystring: { explain?: string } }>;

/** The envelope around a record. Also what the short way writes, so that there is one form of this answer. */
export function ipEnvelope(
  json: string,
  requestId: string,
  milliseconds: number,
  cacheStatus: 'HIT' | 'MISS',
  version: number,
): string {
  return `{"data":${json},"meta":{"request_id":"${requestId}","processing_time_ms":${milliseconds},"cache_status":"${cacheStatus}","dataset_version":${version}}}`;
}

export function getIp(live: LiveDataset, metrics: Metrics) {
  return (request: IpRequest, reply: FastifyReply): FastifyReply => {
    const served = requireDataset(live);
    const { ip } = request.params;
    const isExplained = request.query.explain === 'true';
    const found = isExplained ? explained(served, ip) : findJson(served, ip);
    if (found === undefined) throw missing(served, ip, isExplained);
    const cacheStatus = found.isHit ? 'HIT' : 'MISS';
    if (found.isHit) metrics.cacheHits++;
    else metrics.cacheMisses++;
    reply.header('X-Cache-Status', cacheStatus);
    return sendJson(reply, ipEnvelope(found.json, request.id, elapsedMs(request), cacheStatus, served.version));
  };
}

export function requireDataset(live: LiveDataset): ServedDataset {
  const served = live.current;
  if (served === undefined) throw new ApiError('DATASET_UNAVAILABLE', { headers: { 'Retry-After': '10' } });
  return served;
}

/** Evidence is asked for by people; it is made anew each time and passes the cache by. */
function explained({ dataset }: ServedDataset, ip: string): { json: string; isHit: boolean } | undefined {
  const found = lookup(dataset, ip);
  if (found.kind !== 'found') return undefined;
  const record = dataset.record(found.address, found.match);
  return { json: JSON.stringify({ ...record, evidence: evidenceOf(dataset, found) }), isHit: false };
}

function missing({ dataset, version }: ServedDataset, ip: string, isExplained: boolean): ApiError {
  const answer = lookup(dataset, ip);
  if (answer.kind === 'invalid') return new ApiError('INVALID_IP');
  const details = isExplained && answer.kind === 'not found' ? specialPurposeOf(answer) : undefined;
  return new ApiError('IP_NOT_FOUND', {
    extra: details === undefined ? {} : { details },
    meta: { cache_status: 'MISS', dataset_version: version },
    headers: { 'X-Cache-Status': 'MISS' },
  });
}
