/**
 * Which networks to export: values of one option are combined with or, different options with and.
 */
import { parsePrefixedAsn } from '@whence/dataset/as-number';
import type { Dataset } from '@whence/dataset/dataset';
import { CONNECTION_TYPES, type ConnectionType } from '@whence/dataset/record';
import { parseFlag } from '../fields/fields.ts';
import { UsageError } from '../terminal/exit.ts';
import { flagName } from '../vocabulary.ts';
import type { Fields } from './fields.ts';

export type FilterOptions = {
  readonly flag?: readonly string[];
  readonly country?: readonly string[];
  readonly asn?: readonly string[];
  readonly cloud?: readonly string[];
  readonly company?: readonly string[];
  readonly connectionType?: readonly string[];
  readonly minScore?: string;
};

/** As on the command line, for messages. */
export const FILTER_OPTIONS =
  '--flag, --country, --asn, --cloud, --company, --connection-type, --min-score';

export type Filter = {
  readonly isEmpty: boolean;
  /** The options as on the command line, for messages; empty without a filter. */
  readonly text: string;
  readonly matches: (fields: Fields) => boolean;
  /** Fields of flags and scores that decide. */
  readonly fields: readonly string[];
};

type FilterValues = {
  readonly countries: readonly string[];
  readonly clouds: readonly string[];
  readonly companies: readonly string[];
};

/** Throws a UsageError that lists the valid values. */
export function parseFilter(
  options: FilterOptions,
  { countries, clouds, companies }: FilterValues,
): Filter {
  const flags = options.flag?.map(parseFlag) ?? [];
  const parts = [
    part(
      'country',
      options.country?.map(parseValue('country', countries)),
      ({ country }) => country,
    ),
    part('asn', options.asn?.map(parseAsn), ({ asn }) => asn),
    part(
      'cloud',
      options.cloud?.map(parseValue('cloud', clouds)),
      ({ cloud_provider }) => cloud_provider,
    ),
    part(
      'company',
      options.company?.map(parseValue('company', companies)),
      ({ ai_company }) => ai_company,
    ),
    part(
      'connection-type',
      options.connectionType?.map(parseConnectionType),
      (fields) => fields.connection_type,
    ),
  ].filter((selected) => selected !== undefined);
  const minScore = options.minScore === undefined ? 0 : parseScore(options.minScore);
  return {
    fields: [
      ...flags,
      ...(options.company === undefined ? [] : ['ai_company']),
      ...(minScore === 0 ? [] : ['threat_score']),
    ],
    isEmpty: flags.length === 0 && parts.length === 0 && minScore === 0,
    text: [
      ...(flags.length === 0 ? [] : [`--flag ${flags.map(flagName).join(',')}`]),
      ...parts.map(({ text }) => text),
      ...(minScore === 0 ? [] : [`--min-score ${minScore}`]),
    ].join(' '),
    matches: (fields) =>
      (flags.length === 0 || flags.some((flag) => fields[flag])) &&
      parts.every(({ matches }) => matches(fields)) &&
      fields.threat_score >= minScore,
  };
}

/** An option that compares one field. Undefined if it was not given. */
function part<Value extends string | number>(
  option: string,
  values: readonly Value[] | undefined,
  fieldOf: (fields: Fields) => Value | undefined,
): { readonly text: string; readonly matches: (fields: Fields) => boolean } | undefined {
  if (values === undefined) return undefined;
  const selected = new Set<Value | undefined>(values);
  return {
    text: `--${option} ${quoteArgument(values.join(','))}`,
    matches: (fields) => selected.has(fieldOf(fields)),
  };
}

const quoteArgument = (text: string) =>
  /^[A-Za-z0-9_.,-]+$/.test(text) ? text : JSON.stringify(text);

function parseAsn(text: string): number {
  const asn = parsePrefixedAsn(text);
  if (asn === undefined)
    throw new UsageError(`invalid AS number ${JSON.stringify(text)}; write 15169 or AS15169`);
  return asn;
}

/** Case-insensitive. */
function parseValue(name: string, values: readonly string[]): (text: string) => string {
  return (text) => {
    const value = values.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
    if (value === undefined)
      throw new UsageError(`unknown ${name} ${JSON.stringify(text)}; ${describeValues(values)}`);
    return value;
  };
}

function describeValues(values: readonly string[]): string {
  if (values.length === 0) return 'the dataset has none';
  return `the dataset has ${values.join(values.some((value) => value.includes(' ')) ? ', ' : ' ')}`;
}

function parseConnectionType(text: string): ConnectionType {
  const type = CONNECTION_TYPES.find((candidate) => candidate === text.toLowerCase());
  if (type === undefined)
    throw new UsageError(
      `unknown connection type ${JSON.stringify(text)}; valid types: ${CONNECTION_TYPES.join(', ')}`,
    );
  return type;
}

function parseScore(text: string): number {
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) > 100)
    throw new UsageError(
      `invalid score ${JSON.stringify(text)}; it must be a whole number from 0 to 100`,
    );
  return Number(text);
}

export function filterValuesOf(dataset: Dataset): FilterValues {
  const countries = new Set<string>();
  const clouds = new Set<string>();
  const companies = new Set<string>();
  for (let number = 0; number < dataset.meta.counts.attribute_sets; number++) {
    const { country, detection } = dataset.attributes(number);
    countries.add(country);
    if (detection.cloud_provider !== undefined) clouds.add(detection.cloud_provider);
    if (detection.ai_company !== undefined) companies.add(detection.ai_company);
  }
  return {
    countries: [...countries].sort(),
    clouds: [...clouds].sort(),
    companies: [...companies].sort(),
  };
}
