/** `GET /v1/asn/{asn}`: a network by its number. */
import type { FastifyReply } from 'fastify';
import type { AddressSections } from '../address/sections.ts';
import type { KeyDeclaration } from '../admission/declaration.ts';
import { envelope, sendJsonData } from '../http/envelope.ts';
import type { RequestOf } from '../http/json-schema.ts';
import { requireIncluded } from '../http/requests.ts';
import type { DatasetWalks } from '../lookup/dataset-walks.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireAsn } from '../lookup/lookup-requests.ts';
import { NETWORK_SECTIONS } from '../vocabulary.ts';
import { requesterOf } from './admit.ts';
import type { asnSchema } from './schemas/asn.ts';

export const ASN_LOOKUP: KeyDeclaration = {
  access: 'asn:read',
  counts: 'asn',
  costs: ['lookup', 'scan', 'turn'],
};
export const ASN_SEARCH: KeyDeclaration = {
  access: 'asn:read',
  counts: 'asn_search',
  costs: ['search'],
};

/** Fewer prefixes than these are listed at once: about a millisecond. */
const MANY_PREFIXES = 500;

export function getAsn(live: LiveDataset, addressSections: AddressSections, walks: DatasetWalks) {
  return async (request: RequestOf<typeof asnSchema>, reply: FastifyReply) => {
    const { include_prefixes: withPrefixes = false, include } = request.query;
    const included = requireIncluded(include, NETWORK_SECTIONS);
    const { served, record } = requireAsn(live, request.params.asn);
    if (!withPrefixes && included.size === 0) return envelope(request, record);
    const { dataset } = served;
    const { asn, prefix_count } = record;
    const isLarge = prefix_count.ipv4 + prefix_count.ipv6 >= MANY_PREFIXES;
    const inTurn = <T>(subject: string, work: () => Promise<T>) =>
      isLarge ? walks.run(dataset, subject, requesterOf(request, reply), work) : work();
    const members =
      included.size === 0
        ? {}
        : await inTurn(`routing of AS${asn} at ${addressSections.rpkiAsOf?.getTime()}`, () =>
            addressSections.describeNetwork(dataset, asn, included),
          );
    const data = { ...record, ...members };
    if (!withPrefixes) return envelope(request, data);
    // Bytes: a network may have tens of thousands of prefixes, and serializing them as objects
    // takes too long.
    const prefixes = await inTurn(`prefixes of AS${asn}`, async () => dataset.prefixesJson(asn));
    const start = Buffer.from(`${JSON.stringify(data).slice(0, -1)},"prefixes":`);
    return sendJsonData(request, reply, start, prefixes, Buffer.from('}'));
  };
}
