/** `GET /v1/ip/{ip}` and `POST /v1/ip/batch`. */
import { includeParameter } from './address-sections.ts';
import { details, envelope, error, oneOfErrors, processingTime } from './envelope.ts';
import { ipRecord } from './ip-record.ts';
import { integer, named, object, string, strings } from './json-schema.ts';
import { invalidSwitch, refusals, security } from './refusals.ts';

const ipMeta = named(
  'LookupMeta',
  object({
    request_id: string('Unique identifier of the request; also in X-Request-ID.'),
    processing_time_ms: processingTime,
    cache_status: { type: 'string', enum: ['HIT', 'MISS'] },
    dataset_version: integer('Version of the dataset that answered.'),
  }),
);

export const ipSchema = {
  operationId: 'getIp',
  summary: 'Look up one address',
  tags: ['IP'],
  security,
  params: object({ ip: string('IPv4 or IPv6 address.', '8.8.8.8') }),
  querystring: {
    type: 'object',
    properties: { explain: string('true adds the evidence for every field.', 'true'), include: includeParameter },
  },
  response: {
    200: envelope('The record.', ipRecord, ipMeta),
    400: envelope(
      'Not an address, an unknown include, or a parameter that is neither true nor false.',
      oneOfErrors(
        {
          INVALID_IP: 'invalid IP address',
          INVALID_INCLUDE: 'invalid include',
          INVALID_QUERY: 'invalid query parameter',
        },
        invalidSwitch,
      ),
    ),
    404: envelope(
      'Special-purpose or unannounced address.',
      error(
        'no data found for IP',
        'NOT_FOUND',
        details({
          prefix: string('The special-purpose range.', '10.0.0.0/8'),
          name: string('What it is for.', 'Private use'),
          rfc: string('Where that is written.', 'RFC 1918'),
        }),
      ),
      object({
        cache_status: { type: 'string', const: 'MISS' },
        dataset_version: integer('Version of the dataset that answered.'),
        processing_time_ms: processingTime,
      }),
    ),
    ...refusals,
  },
};

const { params: _address, ...withoutAddress } = ipSchema;
export const ownIpSchema = {
  ...withoutAddress,
  operationId: 'getOwnIp',
  summary: 'Look up your own address',
  description: 'The address that the request comes from. Behind a proxy, the one that a trusted proxy names.',
};

export const batchSchema = {
  operationId: 'lookUpBatch',
  summary: 'Look up many addresses',
  description:
    'One request of the quota, whatever its size. Free 10, Starter 100, Pro 500, Enterprise 1,000 addresses.',
  tags: ['IP'],
  security,
  body: {
    type: 'object',
    properties: {
      ips: { type: 'array', minItems: 1, items: string('IPv4 or IPv6 address.', '8.8.8.8') },
      include: strings('What the records also have, as in GET /v1/ip/{ip}: routing, privacy.'),
    },
    required: ['ips'],
    examples: [{ ips: ['8.8.8.8', '10.0.0.1', 'nonsense'] }],
  },
  response: {
    200: envelope(
      'An entry per distinct submitted text.',
      {
        type: 'object',
        additionalProperties: {
          oneOf: [ipRecord, error('invalid IP address', 'INVALID_IP'), error('no data found for IP', 'NOT_FOUND')],
        },
      },
      object({ request_id: string('Unique identifier of the request.'), processing_time_ms: processingTime }),
    ),
    400: envelope(
      'Bad body, more addresses than the tier allows, or an include that is unknown or not for batches.',
      oneOfErrors(
        {
          INVALID_REQUEST: 'invalid request body',
          BATCH_TOO_LARGE: 'batch size exceeds limit',
          INVALID_INCLUDE: 'invalid include',
        },
        { details: { type: 'object' } },
      ),
    ),
    413: envelope('Body over 256 KiB.', error('payload too large', 'PAYLOAD_TOO_LARGE')),
    415: envelope('Body that is not JSON.', error('unsupported media type', 'UNSUPPORTED_MEDIA_TYPE')),
    ...refusals,
  },
};
