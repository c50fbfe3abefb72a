/** `GET /v1/ip/{ip}`: the record of one address. Plain requests are answered by `plain/`, with the same bytes. */
import { type Address, parseAddress } from '@whence/dataset/address';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { elapsedMs, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import { parseSwitch } from '../http/requests.ts';
import type { LiveDataset, ServedDataset } from '../lookup/live-dataset.ts';
import { evidenceOf, findJson, specialPurposeOf } from '../lookup/lookup.ts';
import { notFound, requireDataset } from '../lookup/lookup-requests.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { NetworkCounts } from '../usage/networks.ts';

type IpRequest = FastifyRequest<{ Params: { ip: string }; Querystring: { explain?: string } }>;

export function getIp(live: LiveDataset, metrics: Metrics, networks: NetworkCounts) {
  return (request: IpRequest, reply: FastifyReply): FastifyReply => {
    const served = requireDataset(live);
    const address = parseAddress(request.params.ip);
    if (address === undefined) throw new ApiError('INVALID_IP');
    const isExplained = parseSwitch('explain', request.query.explain);
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

/** Evidence is requested rarely, so it is built each time and not cached. */
function explained({ dataset }: ServedDataset, address: Address): { json: string; isHit: boolean } | undefined {
  const match = dataset.find(address);
  if (match === 0) return undefined;
  const record = dataset.record(address, match);
  return { json: JSON.stringify({ ...record, evidence: evidenceOf(dataset, { address, match }) }), isHit: false };
}
