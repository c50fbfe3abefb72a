/** `GET /v1/asn/{asn}` and `GET /v1/asn/search`: networks by number and by name. */
import { parsePrefixedAsn } from '@whence/dataset/compile/as-number';
import type { FastifyRequest } from 'fastify';
import type { LiveDataset } from '../live-dataset.ts';
import { envelope } from './envelope.ts';
import { ApiError } from './errors.ts';
import { requireDataset } from './ip.ts';

const MAX_QUERY_CHARACTERS = 100;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

type AsnRequest = FastifyRequest<{ Params: { asn: string }; Querystring: { include_prefixes?: string } }>;
type SearchRequest = FastifyRequest<{ Querystring: { q?: string; limit?: string } }>;

export function getAsn(live: LiveDataset) {
  return (request: AsnRequest) => {
    const number = parsePrefixedAsn(request.params.asn);
    if (number === undefined) throw new ApiError('INVALID_ASN');
    const { dataset } = requireDataset(live);
    const record = dataset.asn(number);
    if (record === undefined) throw new ApiError('ASN_NOT_FOUND');
    const isWhole = request.query.include_prefixes === 'true';
    return envelope(request, isWhole ? { ...record, prefixes: dataset.prefixesOf(number) } : record);
  };
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
