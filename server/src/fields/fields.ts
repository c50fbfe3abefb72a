/** The fields that `--fields` accepts, and how to read each from a record. */
import { FLAGS, type Flag, type IpRecord } from '@whence/dataset/record';
import type { AddressMembers } from '../address/sections.ts';
import { UsageError } from '../terminal/exit.ts';
import { flagName, type LocalAddressSection } from '../vocabulary.ts';

/** The part of a record that many prefixes share. */
export type Attributes = Omit<IpRecord, 'ip' | 'prefix' | 'asn' | 'asn_name'>;
export type Value =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | { readonly score: number; readonly level?: string };

const OWN_FIELDS = ['ip', 'prefix', 'asn', 'asn_name'] as const;
type OwnField = (typeof OWN_FIELDS)[number];

const ATTRIBUTE_FIELDS = {
  country: ({ country }) => country,
  rir: ({ rir }) => rir,
  connection_type: ({ connection_type }) => connection_type,
  flags: ({ detection }) => flagsOf(detection),
  ...flagFields(),
  ai_company: ({ detection }) => detection.ai_company,
  cloud_provider: ({ detection }) => detection.cloud_provider,
  threat: ({ threat: { score, level } }, isThreatKnown) =>
    isThreatKnown ? { score, level } : { score },
  threat_score: ({ threat }) => threat.score,
  // An incomplete score has no level: it would be called low.
  threat_level: ({ threat }, isThreatKnown) => (isThreatKnown ? threat.level : undefined),
} as const satisfies Record<
  string,
  (attributes: Attributes, isThreatKnown: boolean) => Value | undefined
>;

function flagFields() {
  const readers = FLAGS.map(
    (flag) => [flagName(flag), ({ detection }: Attributes) => detection[flag]] as const,
  );
  return Object.fromEntries(readers) as Record<FlagName, (attributes: Attributes) => boolean>;
}
type FlagName = Flag extends `is_${infer Name}` ? Name : never;

export type AttributeField = keyof typeof ATTRIBUTE_FIELDS;

/**
 * Fields of the sections that the API has on request, and how to read each. They are added only if
 * they are named.
 */
const SECTION_FIELDS = {
  location: {
    city: ({ location }) => location?.city,
    region: ({ location }) => location?.region,
    latitude: ({ location }) => location?.latitude,
    longitude: ({ location }) => location?.longitude,
  },
  routing: {
    origins: ({ routing }) => routing?.origins.map(({ asn }) => asn),
    // The state of the network in the record, which is the first origin.
    rpki: ({ routing }) => routing?.origins[0]?.rpki,
    prefix_is_derived: ({ routing }) => routing?.prefix_is_derived,
    connection_type_source: ({ routing }) => routing?.connection_type_source,
  },
  privacy: {
    privacy_kind: ({ privacy }) => privacy?.kind,
    privacy_service: ({ privacy }) => privacy?.service,
  },
  scanner: { scanner_operator: ({ scanner }) => scanner?.operator },
  labels: { labels: ({ labels }) => labels?.join('; ') },
} as const satisfies Record<
  LocalAddressSection,
  Record<string, (members: AddressMembers) => Value | undefined>
>;
const ALL_SECTION_FIELDS = {
  ...SECTION_FIELDS.location,
  ...SECTION_FIELDS.routing,
  ...SECTION_FIELDS.privacy,
  ...SECTION_FIELDS.scanner,
  ...SECTION_FIELDS.labels,
};
type FieldOf<Section extends LocalAddressSection> = keyof (typeof SECTION_FIELDS)[Section];
export type LocationField = FieldOf<'location'>;
export type RoutingField = FieldOf<'routing'>;
/** They depend on the record alone. */
export type RecordSectionField = FieldOf<'privacy'> | FieldOf<'scanner'> | FieldOf<'labels'>;
export type SectionField = LocationField | RoutingField | RecordSectionField;
const SECTION_OF_FIELD: ReadonlyMap<string, LocalAddressSection> = new Map(
  (Object.keys(SECTION_FIELDS) as LocalAddressSection[]).flatMap((section) =>
    Object.keys(SECTION_FIELDS[section]).map((field) => [field, section] as const),
  ),
);

export type Field = OwnField | AttributeField | SectionField;
const RECORD_FIELDS: readonly Field[] = [
  ...OWN_FIELDS,
  ...(Object.keys(ATTRIBUTE_FIELDS) as AttributeField[]),
];
export const FIELDS: readonly Field[] = [
  ...RECORD_FIELDS,
  ...(SECTION_OF_FIELD.keys() as Iterable<SectionField>),
];

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
export const CSV_FULL: readonly Field[] = RECORD_FIELDS.filter(
  (field) => field !== 'flags' && field !== 'threat',
);

export function parseFields(list: string): Field[] {
  const names = list.split(',').map((text) => text.trim());
  const unknown = names.find((name) => !isField(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--fields has unknown field ${JSON.stringify(unknown)}; valid fields: ${FIELDS.join(',')}`,
    );
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new UsageError(`--fields has ${twice} twice`);
  return names.filter(isField);
}

export const isAttributeField = (field: Field): field is AttributeField =>
  Object.hasOwn(ATTRIBUTE_FIELDS, field);

export const sectionOf = (field: Field): LocalAddressSection | undefined =>
  SECTION_OF_FIELD.get(field);

export const isSectionField = (field: Field): field is SectionField => SECTION_OF_FIELD.has(field);
export const isLocationField = (field: Field): field is LocationField =>
  sectionOf(field) === 'location';
export const isRoutingField = (field: Field): field is RoutingField =>
  sectionOf(field) === 'routing';
const RECORD_SECTIONS: ReadonlySet<string | undefined> = new Set(['privacy', 'scanner', 'labels']);
export const isRecordSectionField = (field: Field): field is RecordSectionField =>
  RECORD_SECTIONS.has(sectionOf(field));

/** In the order of output. */
export function fieldsOfSections(sections: ReadonlySet<LocalAddressSection>): SectionField[] {
  return [...SECTION_OF_FIELD].flatMap(([field, section]) =>
    sections.has(section) ? [field as SectionField] : [],
  );
}

/** Undefined if nothing is known, or the section was not asked for. */
export function sectionValue(members: AddressMembers, field: SectionField): Value | undefined {
  return ALL_SECTION_FIELDS[field](members);
}

/** `isThreatKnown`: whether the score is complete. */
export function attributeValue(
  attributes: Attributes,
  field: AttributeField,
  isThreatKnown: boolean,
): Value | undefined {
  return ATTRIBUTE_FIELDS[field](attributes, isThreatKnown);
}

const isField = (name: string): name is Field => (FIELDS as readonly string[]).includes(name);

/** `is_datacenter` and `is_vpn` become `["datacenter","vpn"]`. */
export function flagsOf(detection: Attributes['detection']): string[] {
  const flags: string[] = [];
  for (const [name, value] of Object.entries(detection))
    if (value === true) flags.push(flagName(name));
  return flags;
}

export function parseFlag(text: string): Flag {
  const flag = FLAGS.find((candidate) => flagName(candidate) === text);
  if (flag === undefined)
    throw new UsageError(
      `unknown flag ${JSON.stringify(text)}; valid flags: ${FLAGS.map(flagName).join(', ')}`,
    );
  return flag;
}

export function cellText(value: Value | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
