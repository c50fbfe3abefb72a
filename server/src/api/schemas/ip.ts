/** `GET /v1/ip/{ip}` and `POST /v1/ip/batch`. */
import {
  constant,
  dateTime,
  integer,
  list,
  named,
  namedObject,
  object,
  oneOfTexts,
  optional,
  string,
  strings,
  switchParameter,
} from '../../http/json-schema.ts';
import { versionQuery } from '../../versions/past-request.ts';
import { LOCAL_ADDRESS_SECTIONS } from '../../vocabulary.ts';
import { includeParameter, ipRecord } from './ip-record.ts';
import {
  bodyRefusals,
  envelope,
  operation,
  processingTime,
  refusal,
  refusalData,
  refusals,
} from './refusals.ts';

const ipMeta = namedObject('IpMeta', {
  request_id: string('Unique identifier of the request; also in X-Request-ID.'),
  processing_time_ms: processingTime,
  cache_status: oneOfTexts(['HIT', 'MISS']),
  dataset_version: integer('Version of the dataset that answered.'),
});

export const ipSchema = operation('IP', {
  operationId: 'getIp',
  summary: 'Look up one address',
  params: object({ ip: string('IPv4 or IPv6 address.', '8.8.8.8') }),
  querystring: object({
    explain: optional(switchParameter('Adds the evidence for every field.')),
    include: optional(includeParameter),
    ...versionQuery.properties,
  }),
  response: {
    200: envelope('The record.', ipRecord, ipMeta),
    400: refusal(
      'Not an address, an unknown include, a parameter that is neither true nor false, or not a version or day. `include` is refused together with `version` or `at`, and `explain` for versions whose evidence is no longer kept.',
      ['INVALID_IP', 'INVALID_INCLUDE', 'INVALID_QUERY', 'INVALID_VERSION'],
    ),
    404: envelope(
      'Special-purpose or unannounced address, or no such version; `meta` then has only the processing time.',
      refusalData(['IP_NOT_FOUND', 'VERSION_NOT_FOUND']),
      namedObject('IpNotFoundMeta', {
        cache_status: optional(constant('MISS')),
        dataset_version: optional(integer('Version of the dataset that answered.')),
        processing_time_ms: processingTime,
      }),
    ),
    ...refusals,
  },
});

const { params: _address, ...withoutAddress } = ipSchema;
export const ownIpSchema = {
  ...withoutAddress,
  operationId: 'getOwnIp',
  summary: 'Look up your own address',
  description:
    'The address that the request comes from. Behind a proxy, the one that a trusted proxy names.',
};

const batchBody = {
  ...object({
    ips: { ...list(string('IPv4 or IPv6 address.', '8.8.8.8')), minItems: 1 },
    include: optional(
      strings(
        'What the records also have, as in GET /v1/ip/{ip}: routing, privacy, scanner, location, labels.',
      ),
    ),
  }),
  examples: [{ ips: ['8.8.8.8', '10.0.0.1', 'nonsense'] }],
};

export const batchSchema = operation('IP', {
  operationId: 'lookUpBatch',
  summary: 'Look up many addresses',
  description:
    'One request of the quota, whatever its size. Free 10, Starter 100, Pro 500, Enterprise 1,000 addresses.',
  body: batchBody,
  // Another name in `include` is refused by the handler, which says which names there are.
  documentedBody: {
    ...named('BatchRequest', batchBody),
    properties: {
      ...batchBody.properties,
      include: { ...batchBody.properties.include, items: oneOfTexts(LOCAL_ADDRESS_SECTIONS) },
    },
  },
  response: {
    200: envelope(
      'An entry per distinct submitted text.',
      named('BatchAnswer', {
        type: 'object',
        additionalProperties: named('BatchEntry', {
          oneOf: [ipRecord, refusalData('INVALID_IP'), refusalData('IP_NOT_FOUND')],
        }),
      }),
      namedObject('BatchMeta', {
        request_id: string('Unique identifier of the request.'),
        processing_time_ms: processingTime,
      }),
    ),
    400: refusal(
      'Bad body, more addresses than the tier allows, or an include that is unknown or not for batches.',
      ['INVALID_REQUEST', 'BATCH_TOO_LARGE', 'INVALID_INCLUDE'],
    ),
    ...bodyRefusals,
    ...refusals,
  },
});

/** `GET /v1/ip/{ip}/history`. */
const span = namedObject('RecordSpan', {
  from_version: integer('The oldest version of the span.'),
  to_version: integer('The newest version of the span.'),
  from: dateTime('When the oldest was built.', '2026-11-01T03:00:00.000Z'),
  to: dateTime('When the newest was built.', '2026-11-15T03:00:00.000Z'),
  record: optional(ipRecord),
});

export const ipHistorySchema = operation('IP', {
  operationId: 'getIpHistory',
  summary: 'How the record of an address changed',
  description:
    'Over all versions that are kept, at most 1,000. Versions in a row with the same record are one span; dates of sources in the explanation of the threat do not count, and the record has those of the newest version. A span without `record` is one in which the address had none.',
  params: object({ ip: string('IPv4 or IPv6 address.', '8.8.8.8') }),
  response: {
    200: envelope(
      'The spans.',
      namedObject('AddressHistory', {
        ip: string('The address in normal form.', '8.8.8.8'),
        changes: list(span, 'Newest first.'),
      }),
    ),
    400: refusal('Not an address.', 'INVALID_IP'),
    ...refusals,
  },
});
