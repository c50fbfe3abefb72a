/** Which networks to export: several values of one option mean any of them, different options must all hold. */
import { FLAGS, type Flag } from '@whence/dataset/record';
import { asnArgument } from '../asn-argument.ts';
import { UsageError } from '../terminal.ts';
import type { Fields } from './fields.ts';

export type FilterOptions = {
  readonly flag?: readonly string[];
  readonly country?: readonly string[];
  readonly asn?: readonly string[];
  readonly minScore?: string;
};

export type Filter = {
  /** Nothing was asked for, or nothing that leaves a network out. */
  readonly isEmpty: boolean;
  /** As on the command line, for messages; '' if nothing was asked for. */
  readonly text: string;
  readonly matches: (fields: Fields) => boolean;
};

/** Throws a UsageError for a value that cannot be, with what can. `countries` are those of the dataset. */
export function parseFilter(options: FilterOptions, countries: readonly string[]): Filter {
  const flags = options.flag?.map(parseFlag) ?? [];
  const wanted = new Set(options.country?.map((text) => parseCountry(text, countries)));
  const asns = new Set(options.asn?.map(asnArgument));
  const minScore = options.minScore === undefined ? 0 : parseScore(options.minScore);
  return {
    isEmpty: flags.length === 0 && wanted.size === 0 && asns.size === 0 && minScore === 0,
    text: [
      ...flags.map((flag) => `--flag ${flag}`),
      ...[...wanted].map((country) => `--country ${country}`),
      ...[...asns].map((asn) => `--asn ${asn}`),
      ...(minScore === 0 ? [] : [`--min-score ${minScore}`]),
    ].join(' '),
    matches: (fields) =>
      (flags.length === 0 || flags.some((flag) => fields[flag])) &&
      (wanted.size === 0 || wanted.has(fields.country)) &&
      (asns.size === 0 || asns.has(fields.asn)) &&
      fields.threat_score >= minScore,
  };
}

function parseFlag(text: string): Flag {
  const flag = FLAGS.find((candidate) => candidate === text);
  if (flag === undefined) throw new UsageError(`unknown flag ${JSON.stringify(text)}; there are ${FLAGS.join(', ')}`);
  return flag;
}

function parseCountry(text: string, countries: readonly string[]): string {
  const country = text.toUpperCase();
  if (!countries.includes(country))
    throw new UsageError(`no network is in ${JSON.stringify(text)}; the dataset has ${countries.join(' ')}`);
  return country;
}

function parseScore(text: string): number {
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) > 100)
    throw new UsageError(`invalid score ${JSON.stringify(text)}; it must be a whole number from 0 to 100`);
  return Number(text);
}
