/** Which networks to export: values of one option are combined with or, different options with and. */
import { FLAGS, type Flag } from '@whence/dataset/record';
import { asnArgument } from '../commands/asn-argument.ts';
import { UsageError } from '../terminal/exit.ts';
import type { Fields } from './fields.ts';

export type FilterOptions = {
  readonly flag?: readonly string[];
  readonly country?: readonly string[];
  readonly asn?: readonly string[];
  readonly minScore?: string;
};

export type Filter = {
  /** True if the filter excludes no network. */
  readonly isEmpty: boolean;
  /** The options as on the command line, for messages; empty without a filter. */
  readonly text: string;
  readonly matches: (fields: Fields) => boolean;
};

/** Throws a UsageError that lists the valid values. `countries` are those of the dataset. */
export function parseFilter(options: FilterOptions, countries: readonly string[]): Filter {
  const flags = options.flag?.map(parseFlag) ?? [];
  const selectedCountries = new Set(options.country?.map((text) => parseCountry(text, countries)));
  const asns = new Set(options.asn?.map(asnArgument));
  const minScore = options.minScore === undefined ? 0 : parseScore(options.minScore);
  return {
    isEmpty: flags.length === 0 && selectedCountries.size === 0 && asns.size === 0 && minScore === 0,
    text: [
      ...flags.map((flag) => `--flag ${flag}`),
      ...[...selectedCountries].map((country) => `--country ${country}`),
      ...[...asns].map((asn) => `--asn ${asn}`),
      ...(minScore === 0 ? [] : [`--min-score ${minScore}`]),
    ].join(' '),
    matches: (fields) =>
      (flags.length === 0 || flags.some((flag) => fields[flag])) &&
      (selectedCountries.size === 0 || selectedCountries.has(fields.country)) &&
      (asns.size === 0 || asns.has(fields.asn)) &&
      fields.threat_score >= minScore,
  };
}

function parseFlag(text: string): Flag {
  const flag = FLAGS.find((candidate) => candidate === text);
  if (flag === undefined)
    throw new UsageError(`unknown flag ${JSON.stringify(text)}; valid flags: ${FLAGS.join(', ')}`);
  return flag;
}

function parseCountry(text: string, countries: readonly string[]): string {
  const country = text.toUpperCase();
  if (!countries.includes(country))
    throw new UsageError(`unknown country ${JSON.stringify(text)}; the dataset has ${countries.join(' ')}`);
  return country;
}

function parseScore(text: string): number {
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) > 100)
    throw new UsageError(`invalid score ${JSON.stringify(text)}; it must be a whole number from 0 to 100`);
  return Number(text);
}
