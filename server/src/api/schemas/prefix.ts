/** `GET /v1/prefix/{cidr}`. */
import { FLAGS } from '@whence/dataset/record';
import {
  always,
  integer,
  list,
  named,
  namedObject,
  object,
  oneOfTexts,
  optional,
  share as shareOf,
  string,
} from '../../http/json-schema.ts';
import { connectionType, rpkiState } from './ip-record.ts';
import { envelope, operation, refusal, refusals } from './refusals.ts';

const share = shareOf('Share of what is announced.');
const flag = named('Flag', oneOfTexts(FLAGS));
const asn = integer('Number of the network.');
const asnName = string('Organisation that owns it.', 'Google LLC');

const part = namedObject('PrefixPart', {
  first: string('First address of the part.', '8.8.8.0'),
  last: string('Last address of the part.', '8.8.8.255'),
  prefix: string('The most specific prefix, which may be wider than the part.', '8.8.8.0/24'),
  asn,
  asn_name: asnName,
  country: string('ISO 3166-1 alpha-2; ZZ when nothing is known.', 'US'),
  connection_type: connectionType,
  flags: list(flag),
  share,
  rpki: optional({
    ...rpkiState,
    description: 'Whether the network may announce the prefix, where ROA data is configured.',
  }),
  prefix_is_derived: optional(
    always(
      'Where ROA data is configured: the prefix was made from ranges, so it has no RPKI state.',
    ),
  ),
});

const cidr = string('A prefix. Bits after its length are cleared.', '8.8.8.0/24');

export const prefixSchema = operation('IP', {
  operationId: 'getPrefix',
  summary: 'What is announced inside a prefix',
  description:
    'For prefixes of any length. The slash may be percent-encoded. The 256 largest parts and the 50 largest networks and countries are listed; shares count all.',
  params: object({ cidr }),
  response: {
    200: envelope(
      'The content.',
      namedObject('PrefixContent', {
        prefix: string('The prefix in normal form.', '8.8.8.0/24'),
        announced_share: shareOf('Share of its addresses that are announced.'),
        parts: list(part, 'Consecutive addresses with the same record, largest first.'),
        networks: list(namedObject('NetworkPart', { asn, asn_name: asnName, share })),
        types: list(namedObject('ConnectionTypePart', { connection_type: connectionType, share })),
        countries: list(
          namedObject('CountryPart', { country: string('ISO 3166-1 alpha-2.', 'US'), share }),
        ),
        flags: list(namedObject('FlagPart', { flag, share })),
      }),
    ),
    400: refusal('Not a prefix.', 'INVALID_PREFIX'),
    ...refusals,
  },
});

/** The same with an unescaped slash. */
export const splitPrefixSchema = {
  hide: true,
  params: object({ cidr, length: string('Length of the prefix.', '24') }),
};
