/** `GET /v1/prefix/{cidr}`: what is announced inside a prefix. The slash may be percent-encoded. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AddressSections } from '../address/sections.ts';
import { sendJsonData } from '../http/envelope.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireDataset } from '../lookup/lookup-requests.ts';
import { type PrefixContents, requirePrefix } from '../lookup/prefix-contents.ts';

type PrefixParams = { readonly cidr: string; readonly length?: string };

export function getPrefix(live: LiveDataset, prefixContents: PrefixContents, addressSections: AddressSections) {
  return async (request: FastifyRequest<{ Params: PrefixParams }>, reply: FastifyReply) => {
    const { cidr, length } = request.params;
    const { dataset } = requireDataset(live);
    const prefix = requirePrefix(length === undefined ? cidr : `${cidr}/${length}`);
    const json = await prefixContents.find(dataset, prefix, request.key?.id ?? '');
    return sendJsonData(request, reply, Buffer.from(addressSections.describeParts(json)));
  };
}
