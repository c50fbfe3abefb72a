/** `GET /v1/asn/{asn}` and `GET /v1/asn/search`: networks by number and by name. */
import type { FastifyReply } from 'fastify';
import { type AddressSections, parseNetworkInclude } from '../address/sections.ts';
import { envelope, sendJsonData } from '../http/envelope.ts';
import type { RequestOf } from '../http/json-schema.ts';
import { parseSwitch } from '../http/requests.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { requireAsn, searchNetworks } from '../lookup/lookup-requests.ts';
import type { asnSchema, asnSearchSchema } from './schemas/asn.ts';

export function getAsn(live: LiveDataset, addressSections: AddressSections) {
  return (request: RequestOf<typeof asnSchema>, reply: FastifyReply) => {
    const withPrefixes = parseSwitch('include_prefixes', request.query.include_prefixes);
    const included = parseNetworkInclude(request.query.include);
    const { served, record } = requireAsn(live, request.params.asn);
    const { dataset } = served;
    const answer = (data: object) => {
      if (!withPrefixes) return envelope(request, data);
      // Bytes: a network may have tens of thousands of prefixes, and serializing them as objects takes too long.
      const start = Buffer.from(`${JSON.stringify(data).slice(0, -1)},"prefixes":`);
      return sendJsonData(request, reply, start, dataset.prefixesJson(record.asn), Buffer.from('}'));
    };
    if (included.size === 0) return answer(record);
    return addressSections
      .describeNetwork(dataset, record.asn, included)
      .then((members) => answer({ ...record, ...members }));
  };
}

export function searchAsn(live: LiveDataset) {
  return (request: RequestOf<typeof asnSearchSchema>) => envelope(request, searchNetworks(live, request.query));
}
