/** `GET /v1/asn/{asn}` and `GET /v1/asn/search`: networks by number and by name. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { envelope, sendJsonData } from '../http/envelope.ts';
import { parseSwitch } from '../http/requests.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireAsn, type SearchQuery, searchNetworks } from '../lookup/lookup-requests.ts';

type AsnRequest = FastifyRequest<{ Params: { asn: string }; Querystring: { include_prefixes?: string } }>;
type SearchRequest = FastifyRequest<{ Querystring: SearchQuery }>;

export function getAsn(live: LiveDataset) {
  return (request: AsnRequest, reply: FastifyReply) => {
    const withPrefixes = parseSwitch('include_prefixes', request.query.include_prefixes);
    const { served, record } = requireAsn(live, request.params.asn);
    if (!withPrefixes) return envelope(request, record);
    // Bytes: a network may have tens of thousands of prefixes, and serializing them as objects takes too long.
    const start = Buffer.from(`${JSON.stringify(record).slice(0, -1)},"prefixes":`);
    return sendJsonData(request, reply, start, served.dataset.prefixesJson(record.asn), Buffer.from('}'));
  };
}

export function searchAsn(live: LiveDataset) {
  return (request: SearchRequest) => envelope(request, searchNetworks(live, request.query));
}
