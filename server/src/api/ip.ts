/**
 * `GET /v1/ip/{ip}`: the record of one address, with what `include` asks for. Plain requests are answered by `plain/`, with
 * the same bytes.
 */
import { type Address, parseAddress } from '@whence/dataset/address';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AddressSections, withMembers } from '../address/sections.ts';
import { elapsedMs, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import { disconnectSignal, parseSwitch } from '../http/requests.ts';
import { clientAddress } from '../limits/client.ts';
import type { LiveDataset, ServedDataset } from '../lookup/live-dataset.ts';
import { evidenceOf, findJson, specialPurposeOf } from '../lookup/lookup.ts';
import { notFound, requireDataset } from '../lookup/lookup-requests.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { NetworkCounts } from '../usage/networks.ts';

type IpQuery = { readonly explain?: string; readonly include?: string };

type IpDependencies = {
  readonly live: LiveDataset;
  readonly metrics: Metrics;
  readonly networks: NetworkCounts;
  readonly addressSections: AddressSections;
};

export function getIp(dependencies: IpDependencies) {
  const answer = answerIp(dependencies);
  return (request: FastifyRequest<{ Params: { ip: string }; Querystring: IpQuery }>, reply: FastifyReply) =>
    answer(request, reply, request.params.ip, request.query);
}

/** `GET /v1/ip/me`: the same for the address that the request comes from. */
export function getOwnIp(dependencies: IpDependencies) {
  const answer = answerIp(dependencies);
  return (request: FastifyRequest<{ Querystring: IpQuery }>, reply: FastifyReply) =>
    answer(request, reply, clientAddress(request.ip), request.query);
}

export function answerIp({ live, metrics, networks, addressSections }: IpDependencies) {
  return (
    request: Pick<FastifyRequest, 'id' | 'startedMs' | 'key'>,
    reply: FastifyReply,
    text: string,
    query: IpQuery,
  ): FastifyReply | Promise<FastifyReply> => {
    const served = requireDataset(live);
    const address = parseAddress(text);
    if (address === undefined) throw new ApiError('INVALID_IP');
    const included = addressSections.parse(query.include);
    const isExplained = parseSwitch('explain', query.explain);
    const found = isExplained ? explained(served, address) : findJson(served, address);
    if (found === undefined) throw notFound(served, isExplained ? specialPurposeOf({ address }) : undefined);
    metrics.countCache(found.isHit);
    networks.count(served.dataset, address);
    const send = (json: string) => {
      const cacheStatus = found.isHit ? 'HIT' : 'MISS';
      const meta = `"request_id":"${request.id}","processing_time_ms":${elapsedMs(request)},"cache_status":"${cacheStatus}"`;
      reply.header('X-Cache-Status', cacheStatus);
      return sendJson(reply, `{"data":${json},"meta":{${meta},"dataset_version":${served.version}}}`);
    };
    if (included.size === 0) return send(found.json);
    const { dataset } = served;
    const requester = { fairnessKey: request.key?.id ?? '', signal: disconnectSignal(reply) };
    return addressSections
      .describe({ dataset, address, match: dataset.find(address) }, included, requester)
      .then((members) => send(withMembers(found.json, members)));
  };
}

/** Evidence is requested rarely, so it is built each time and not cached. */
function explained({ dataset }: ServedDataset, address: Address): { json: string; isHit: boolean } | undefined {
  const match = dataset.find(address);
  if (match === 0) return undefined;
  const record = dataset.record(address, match);
  return { json: JSON.stringify({ ...record, evidence: evidenceOf(dataset, { address, match }) }), isHit: false };
}
