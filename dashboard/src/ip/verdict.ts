/**
 * One or two sentences about an address: what it is, whose and where, and its risk, if known. What rests on a list of
 * addresses that change from day to day carries the date of the list if it is old.
 */
import type { Evidence, IpRecord } from '@whence/client/wire';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { ageLevel, longDay } from '../format/data-age.ts';
import { countryInSentence } from '../format/names.ts';
import { namesIn } from './evidence-rows.ts';

type Stated = Pick<Evidence, 'field' | 'value' | 'source' | 'as_of'>;
type Subject = { readonly record: IpRecord; readonly evidence: readonly Stated[] };
type Rule = {
  readonly applies: (subject: Subject) => boolean;
  readonly words: (subject: Subject) => string;
  /** The field of the evidence that the rule rests on, where its addresses change from day to day. */
  readonly field?: string;
};

const firstName = ({ evidence }: Subject, ...field: Parameters<typeof namesIn>[1][]): string | undefined =>
  field.map((one) => namesIn(evidence, one)[0]).find((name) => name !== undefined);

const CONNECTIONS = {
  datacenter: 'Datacenter',
  mobile: 'Mobile connection',
  residential: 'Home connection',
  education: 'Education network',
  business: 'Business network',
} as const;

/** The first rule that applies is used, so the most important facts come first. */
const WHAT: readonly Rule[] = [
  {
    applies: ({ record }) => record.detection.is_tor_exit,
    words: (subject) => {
      const operator = firstName(subject, 'tor_operator');
      return operator === undefined ? 'Tor exit' : `Tor exit of ${operator}`;
    },
    field: 'is_tor_exit',
  },
  {
    applies: ({ record }) => record.detection.is_vpn,
    words: (subject) => `VPN address of ${firstName(subject, 'vpn_service') ?? subject.record.asn_name}`,
    field: 'is_vpn',
  },
  {
    applies: ({ record }) => record.detection.is_proxy,
    words: ({ record }) => `Proxy at ${record.asn_name}`,
    field: 'is_proxy',
  },
  {
    applies: (subject) => firstName(subject, 'relay') !== undefined,
    words: (subject) => `Address of the privacy relay ${firstName(subject, 'relay')}`,
    field: 'relay',
  },
  {
    applies: ({ record }) => record.detection.is_ai_crawler,
    words: (subject) => {
      const { ai_company = 'an AI company' } = subject.record.detection;
      const crawler = firstName(subject, 'crawler');
      return crawler === undefined ? `Crawler of ${ai_company}` : `Crawler ${crawler} of ${ai_company}`;
    },
    field: 'is_ai_crawler',
  },
  {
    applies: (subject) => firstName(subject, 'crawler') !== undefined,
    words: (subject) => `Crawler ${firstName(subject, 'crawler')} at ${subject.record.asn_name}`,
    field: 'crawler',
  },
  {
    applies: ({ record: { detection, asn_name } }) =>
      detection.cloud_provider !== undefined && !isNamedAfter(asn_name, detection.cloud_provider),
    words: ({ record: { detection, asn_name } }) => `${detection.cloud_provider}, datacenter of ${asn_name}`,
  },
  {
    applies: () => true,
    words: ({ record: { connection_type, asn_name } }) => `${CONNECTIONS[connection_type]} of ${asn_name}`,
  },
];

export function verdict(
  record: IpRecord,
  evidence: readonly Stated[],
  limits: DatasetLimits,
  nowMs: number = Date.now(),
): string {
  const subject = { record, evidence };
  const rule = WHAT.find(({ applies }) => applies(subject));
  const what = rule?.words(subject) ?? '';
  const where = record.country === 'ZZ' ? '' : ` in ${countryInSentence(record.country)}`;
  const dated = datedWords(
    evidence.filter(({ field }) => field === rule?.field),
    nowMs,
  );
  return endSentence(`${what}${where}${dated}${risk(subject, limits, nowMs)}`);
}

/** ` as of 17 June` if even the newest of these rows is old, otherwise nothing. */
function datedWords(rows: readonly Stated[], nowMs: number): string {
  const newest = rows
    .map(({ as_of }) => as_of.slice(0, 10))
    .sort()
    .at(-1);
  if (newest === undefined || newest === '' || ageLevel(newest, nowMs) === 'fresh') return '';
  return ` as of ${longDay(newest, nowMs, 'en-GB')}`;
}

/** Our own tables classify networks; they are not abuse reports. */
const OWN_TABLES: readonly string[] = ['networks', 'tor-blocks'];

function risk({ record, evidence }: Subject, limits: DatasetLimits, nowMs: number): string {
  const { level, score } = record.threat;
  const listings = evidence.filter(({ field, source }) => field === 'threat.score' && !OWN_TABLES.includes(source));
  const lists = new Set(listings.map(({ source }) => source)).size;
  if (level === 'low' && lists === 0) return noListing(score, limits, nowMs);
  const reported =
    lists === 0 ? '' : `, on ${numberWord(lists)} ${lists === 1 ? 'list' : 'lists'}${datedWords(listings, nowMs)}`;
  return `${reported}: ${level} risk`;
}

/** In a dataset without blocklists, a missing listing means nothing. */
function noListing(score: number, { unknown, dated }: DatasetLimits, nowMs: number): string {
  if (unknown.includes('blocklists')) return '. Abuse unknown: this dataset has no blocklists';
  const listed = dated.find(({ subject }) => subject === 'blocklists');
  if (listed !== undefined)
    return `. Not on any blocklist${listed.as_of === undefined ? '' : ` as of ${longDay(listed.as_of, nowMs, 'en-GB')}`}`;
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
