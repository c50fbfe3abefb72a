/** The fields that `--fields` accepts, and how to read each from a record. */
import type { IpRecord } from '@whence/dataset/record';
import { UsageError } from '../terminal/exit.ts';

/** The part of a record that many prefixes share. */
export type Attributes = Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'>;
export type Value = string | number | boolean | readonly string[] | { readonly score: number; readonly level: string };

/** Fields of the address and its network; all others are attributes. */
const OWN_FIELDS = ['ip', 'prefix', 'asn', 'asn_name'] as const;
type OwnField = (typeof OWN_FIELDS)[number];

const ATTRIBUTE_FIELDS = {
  country: ({ country }) => country,
  rir: ({ rir }) => rir,
  connection_type: ({ connection_type }) => connection_type,
  flags: ({ detection }) => flagsOf(detection),
  is_datacenter: ({ detection }) => detection.is_datacenter,
  is_tor_exit: ({ detection }) => detection.is_tor_exit,
  is_proxy: ({ detection }) => detection.is_proxy,
  is_vpn: ({ detection }) => detection.is_vpn,
  is_residential: ({ detection }) => detection.is_residential,
  is_mobile: ({ detection }) => detection.is_mobile,
  is_ai_crawler: ({ detection }) => detection.is_ai_crawler,
  ai_company: ({ detection }) => detection.ai_company,
  cloud_provider: ({ detection }) => detection.cloud_provider,
  threat: ({ threat: { score, level } }) => ({ score, level }),
  threat_score: ({ threat }) => threat.score,
  threat_level: ({ threat }) => threat.level,
} as const satisfies Record<string, (attributes: Attributes) => Value | undefined>;
export type AttributeField = keyof typeof ATTRIBUTE_FIELDS;

export type Field = OwnField | AttributeField;
export const FIELDS: readonly Field[] = [...OWN_FIELDS, ...(Object.keys(ATTRIBUTE_FIELDS) as AttributeField[])];

export const JSON_DEFAULT: readonly Field[] = [
  'ip',
  'prefix',
  'asn',
  'asn_name',
  'country',
  'connection_type',
  'flags',
  'threat',
];
export const CSV_DEFAULT: readonly Field[] = [
  'prefix',
  'asn',
  'asn_name',
  'country',
  'connection_type',
  'flags',
  'threat_score',
  'threat_level',
];
/** `--full` in CSV: every field with a single value. */
export const CSV_FULL: readonly Field[] = FIELDS.filter((field) => field !== 'flags' && field !== 'threat');

export function parseFields(list: string): Field[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !isField(name));
  if (unknown !== undefined)
    throw new UsageError(`--fields has unknown field ${JSON.stringify(unknown)}; valid fields: ${FIELDS.join(',')}`);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`--fields has ${twice} twice`);
  return names.filter(isField);
}

export const isAttributeField = (field: Field): field is AttributeField => Object.hasOwn(ATTRIBUTE_FIELDS, field);

/** Undefined if the record does not have the field. */
export function attributeValue(attributes: Attributes, field: AttributeField): Value | undefined {
  return ATTRIBUTE_FIELDS[field](attributes);
}

const isField = (name: string): name is Field => (FIELDS as readonly string[]).includes(name);

/** `is_datacenter` and `is_vpn` become `["datacenter","vpn"]`. */
function flagsOf(detection: Attributes['detection']): string[] {
  return Object.entries(detection).flatMap(([name, value]) => (value === true ? [name.replace(/^is_/, '')] : []));
}
