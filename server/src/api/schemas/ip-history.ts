/** `GET /v1/ip/{ip}/history`. */

import { dateTime, integer, list, namedObject, object, optional, string } from '../../http/json-schema.ts';
import { envelope } from './envelope.ts';
import { refusalData } from './error-schemas.ts';
import { ipRecord } from './ip-record.ts';
import { refusals, security } from './refusals.ts';

const span = namedObject('RecordSpan', {
  from_version: integer('The oldest version of the span.'),
  to_version: integer('The newest version of the span.'),
  from: dateTime('When the oldest was built.', '2026-11-01T03:00:00.000Z'),
  to: dateTime('When the newest was built.', '2026-11-15T03:00:00.000Z'),
  record: optional(ipRecord),
});

export const ipHistorySchema = {
  operationId: 'getIpHistory',
  summary: 'How the record of an address changed',
  description:
    'Over all versions that are kept, at most 1,000. Versions in a row with the same record are one span; dates of sources in the explanation of the threat do not count, and the record has those of the newest version. A span without `record` is one in which the address had none.',
  tags: ['IP'],
  security,
  params: object({ ip: string('IPv4 or IPv6 address.', '8.8.8.8') }),
  response: {
    200: envelope(
      'The spans.',
      namedObject('AddressHistory', {
        ip: string('The address in normal form.', '8.8.8.8'),
        changes: { ...list(span), description: 'Newest first.' },
      }),
    ),
    400: envelope('Not an address.', refusalData('INVALID_IP')),
    ...refusals,
  },
};
