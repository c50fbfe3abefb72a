/**
 * What is known about a network, as the commands print it, and the fields that `--fields` and
 * `--csv` print.
 */
import type { AsnSearchAnswer } from '@whence/dataset/asn-search';
import type { AsnPrefixes, AsnRecord } from '@whence/dataset/record';
import { UsageError } from '../../terminal/exit.ts';

export type AsnAnswer =
  | (AsnRecord & { prefixes?: AsnPrefixes })
  | { asn: number; error: string; code: string };

/** Where answers come from: the local dataset, or a server. */
export type AsnSource = (asn: number) => Promise<AsnAnswer>;

export type SearchSource = (query: string, limit: number) => Promise<AsnSearchAnswer>;

export function missingAsn(asn: number): AsnAnswer {
  return { asn, error: 'no data found for ASN', code: 'NOT_FOUND' };
}

const FIELDS = {
  asn: ({ asn }) => asn,
  asn_name: ({ asn_name }) => asn_name,
  country: ({ country }) => country,
  rir: ({ rir }) => rir,
  connection_type: ({ connection_type }) => connection_type,
  announced: ({ is_announced }) => is_announced,
  ipv4_prefixes: ({ prefix_count }) => prefix_count.ipv4,
  ipv6_prefixes: ({ prefix_count }) => prefix_count.ipv6,
  ipv4_addresses: ({ address_count }) => address_count.ipv4,
  handle: ({ handle }) => handle,
  registered: ({ registered }) => registered,
  cloud_provider: ({ cloud_provider }) => cloud_provider,
} as const satisfies Record<string, (record: AsnRecord) => string | number | boolean | undefined>;

export type AsnField = keyof typeof FIELDS;
export const ASN_FIELDS = Object.keys(FIELDS) as AsnField[];

export function parseAsnFields(list: string): AsnField[] {
  return list.split(',').map((text) => {
    const field = ASN_FIELDS.find((name) => name === text.trim());
    if (field !== undefined) return field;
    throw new UsageError(
      `--fields has unknown field ${JSON.stringify(text)}; valid fields: ${ASN_FIELDS.join(',')}`,
    );
  });
}

export const asnFieldValue = (record: AsnRecord, field: AsnField) => FIELDS[field](record);
