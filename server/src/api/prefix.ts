/** `GET /v1/prefix/{cidr}`: what is announced inside a prefix. The slash may be percent-encoded. */
import type { FastifyReply } from 'fastify';
import type { AddressSections } from '../address/sections.ts';
import { sendJsonData } from '../http/envelope.ts';
import type { RequestOf } from '../http/json-schema.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { type PrefixContents, requirePrefix } from '../lookup/prefix-contents.ts';
import { requesterOf } from './admit.ts';
import type { prefixSchema, splitPrefixSchema } from './schemas/prefix.ts';

export function getPrefix(live: LiveDataset, prefixContents: PrefixContents, addressSections: AddressSections) {
  return async (request: RequestOf<typeof prefixSchema> | RequestOf<typeof splitPrefixSchema>, reply: FastifyReply) => {
    const { params } = request;
    const { dataset } = requireDataset(live);
    const prefix = requirePrefix('length' in params ? `${params.cidr}/${params.length}` : params.cidr);
    const json = await prefixContents.find(dataset, prefix, requesterOf(request, reply));
    return sendJsonData(request, reply, Buffer.from(addressSections.describeParts(json)));
  };
}
