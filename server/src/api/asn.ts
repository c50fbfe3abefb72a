/** `GET /v1/asn/{asn}` and `GET /v1/asn/search`: networks by number and by name. */
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import type { AsnRecord } from '@whence/dataset/record';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { envelope, sendJson } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from './ip.ts';

const MAX_QUERY_CHARACTERS = 100;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

type AsnRequest = FastifyRequest<{ Params: { asn: string }; Querystring: { include_prefixes?: string } }>;
type SearchRequest = FastifyRequest<{ Querystring: { q?: string; limit?: string } }>;

export function getAsn(live: LiveDataset) {
  return (request: AsnRequest, reply: FastifyReply) => {
    const number = parsePrefixedAsn(request.params.asn);
    if (number === undefined) throw new ApiError('INVALID_ASN');
    const { dataset } = requireDataset(live);
    const record = dataset.asn(number);
    if (record === undefined) throw new ApiError('ASN_NOT_FOUND');
    if (request.query.include_prefixes !== 'true') return envelope(request, record);
    return sendJson(reply, withPrefixes(request, record, dataset.prefixesJson(number)));
  };
}

/** The envelope around prefixes that are JSON already: for tens of thousands of them, objects take too long. */
function withPrefixes(request: FastifyRequest, record: AsnRecord, prefixes: Buffer): Buffer {
  const { data, meta } = envelope(request, record);
  const start = `{"data":${JSON.stringify(data).slice(0, -1)},"prefixes":`;
  return Buffer.concat([Buffer.from(start), prefixes, Buffer.from(`},"meta":${JSON.stringify(meta)}}`)]);
}

export function searchAsn(live: LiveDataset) {
  return (request: SearchRequest) => {
    const { q, limit } = request.query;
    if (q === undefined || q.trim() === '') throw new ApiError('MISSING_QUERY');
    if (q.length > MAX_QUERY_CHARACTERS) throw new ApiError('INVALID_QUERY');
    const { search } = requireDataset(live);
    return envelope(request, search.search(q, parseLimit(limit)));
  };
}

function parseLimit(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (!/^[0-9]+$/.test(limit) || Number(limit) === 0) throw new ApiError('INVALID_LIMIT');
  return Math.min(Number(limit), MAX_LIMIT);
}
