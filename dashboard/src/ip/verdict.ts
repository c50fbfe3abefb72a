/** One or two sentences about an address: what it is, whose and where, and its risk, if known. */
import type { Evidence, IpRecord } from '@whence/client/wire';
import type { DatasetLimits } from '@whence/server/dashboard-wire';
import { countryInSentence } from '../format/names.ts';

type Rule = readonly [applies: (record: IpRecord) => boolean, words: (record: IpRecord) => string];

/** The first rule that applies is used, so the most important facts come first. */
const WHAT: readonly Rule[] = [
  [({ detection }) => detection.is_tor_exit, () => 'Tor exit'],
  [({ detection }) => detection.is_vpn, ({ asn_name }) => `VPN address of ${asn_name}`],
  [({ detection }) => detection.is_proxy, ({ asn_name }) => `Proxy at ${asn_name}`],
  [
    ({ detection }) => detection.is_ai_crawler,
    ({ detection }) => `Crawler of ${detection.ai_company ?? 'an AI company'}`,
  ],
  [
    ({ detection, asn_name }) =>
      detection.cloud_provider !== undefined && !isNamedAfter(asn_name, detection.cloud_provider),
    ({ detection, asn_name }) => `${detection.cloud_provider}, datacenter of ${asn_name}`,
  ],
  [({ connection_type }) => connection_type === 'datacenter', ({ asn_name }) => `Datacenter of ${asn_name}`],
  [({ connection_type }) => connection_type === 'mobile', ({ asn_name }) => `Mobile connection of ${asn_name}`],
  [({ connection_type }) => connection_type === 'residential', ({ asn_name }) => `Home connection of ${asn_name}`],
  [({ connection_type }) => connection_type === 'education', ({ asn_name }) => `Education network of ${asn_name}`],
  [() => true, ({ asn_name }) => `Business network of ${asn_name}`],
];

export function verdict(
  record: IpRecord,
  evidence: readonly Pick<Evidence, 'field' | 'source'>[],
  limits: DatasetLimits,
): string {
  const what = WHAT.find(([applies]) => applies(record))?.[1](record) ?? '';
  const where = record.country === 'ZZ' ? '' : ` in ${countryInSentence(record.country)}`;
  return endSentence(`${what}${where}${risk(record, listings(evidence), limits)}`);
}

/** Our own tables classify networks; they are not abuse reports. */
const OWN_TABLES: readonly string[] = ['networks', 'tor-blocks'];

function listings(evidence: readonly Pick<Evidence, 'field' | 'source'>[]): number {
  const sources = evidence.filter(({ field }) => field === 'threat.score').map(({ source }) => source);
  return new Set(sources.filter((source) => !OWN_TABLES.includes(source))).size;
}

function risk({ threat: { level, score } }: IpRecord, lists: number, limits: DatasetLimits): string {
  const reported = lists === 0 ? '' : `, on ${numberWord(lists)} ${lists === 1 ? 'list' : 'lists'}`;
  if (level === 'low' && lists === 0) return noListing(score, limits);
  return `${reported}: ${level} risk`;
}

/** In a dataset without blocklists, a missing listing means nothing. */
function noListing(score: number, { unknown, dated }: DatasetLimits): string {
  if (unknown.includes('blocklists')) return '. Abuse unknown: this dataset has no blocklists';
  const listed = dated.find(({ subject }) => subject === 'blocklists');
  if (listed !== undefined)
    return `. Not on any blocklist${listed.as_of === undefined ? '' : ` as of ${listed.as_of}`}`;
  return score === 0 ? '. No known abuse' : '. No reported abuse';
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];
const numberWord = (value: number): string => WORDS[value] ?? String(value);

/** A name such as `Amazon.com, Inc.` already ends with a full stop. */
function endSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

/** Avoids "Google Cloud, datacenter of Google LLC". */
function isNamedAfter(asnName: string, provider: string): boolean {
  const first = provider.split(' ')[0] ?? provider;
  return asnName.toLowerCase().includes(first.toLowerCase());
}
