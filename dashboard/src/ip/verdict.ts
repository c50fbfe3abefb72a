/**
 * One or two sentences about an address: what it is, whose and where, and its risk, if known. What rests on a list of
 * addresses that change from day to day carries the date of the list if it is old.
 */
import type { Evidence, IpRecord } from '@whence/client/wire';
import { TOO_OLD } from '@whence/dataset/record';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { unlistedWords } from '../format/blocklists.ts';
import { ageLevel, longDay } from '../format/data-age.ts';
import { countryInSentence } from '../format/names.ts';
import { namesIn } from './evidence-rows.ts';

type Stated = Pick<Evidence, 'field' | 'value' | 'source' | 'as_of' | 'note'>;
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
    applies: (subject) => firstName(subject, 'known_good') !== undefined,
    words: (subject) => `${firstName(subject, 'known_good')}, at ${subject.record.asn_name}`,
  },
  {
    applies: (subject) => firstName(subject, 'scanner') !== undefined,
    words: (subject) => `Research scanner of ${firstName(subject, 'scanner')} at ${subject.record.asn_name}`,
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
  const statedDay = oldDay(
    evidence.filter(({ field }) => field === rule?.field),
    nowMs,
  );
  const listings = blocklistings(evidence);
  const listedDay = oldDay(listings, nowMs);
  // One date where both lists are of the same day, otherwise each beside what rests on it.
  const isOneDay = listings.length > 0 && statedDay === listedDay;
  const dated = isOneDay ? '' : dayWords(statedDay, nowMs);
  const listed = listedWords(listings, dayWords(listedDay, nowMs));
  return endSentence(`${what}${where}${dated}${listed}${risk(subject, listings.length > 0, limits, nowMs)}`);
}

/** The day of the newest of these rows if even that is old. */
function oldDay(rows: readonly Stated[], nowMs: number): string | undefined {
  const newest = rows
    .map(({ as_of }) => as_of.slice(0, 10))
    .sort()
    .at(-1);
  return newest === undefined || newest === '' || ageLevel(newest, nowMs) === 'fresh' ? undefined : newest;
}

const dayWords = (day: string | undefined, nowMs: number): string =>
  day === undefined ? '' : ` as of ${longDay(day, nowMs, 'en-GB')}`;

/** Our own tables classify networks; they are not abuse reports. */
const OWN_TABLES: readonly string[] = ['networks', 'tor-blocks'];
const OVERRIDES = 'overrides';

/** Lists that set these flags add to the score too, and say nothing of abuse. */
const ANONYMITY: readonly string[] = ['is_tor_exit', 'is_vpn', 'is_proxy'];

/** Rows of blocklists that count. A source that is also the list of a flag has a row for each. */
function blocklistings(evidence: readonly Stated[]): Stated[] {
  const counted = evidence.filter(({ note }) => note?.endsWith(TOO_OLD) !== true);
  const lists = counted.filter(({ field, value }) => ANONYMITY.includes(field) && value === true);
  const flagSources = lists.map(({ source }) => source);
  return counted
    .filter(({ field, source }) => field === 'threat.score' && !OWN_TABLES.includes(source) && source !== OVERRIDES)
    .filter(({ source }) => {
      const index = flagSources.indexOf(source);
      if (index >= 0) flagSources.splice(index, 1);
      return index < 0;
    });
}

function listedWords(listings: readonly Stated[], dated: string): string {
  const lists = new Set(listings.map(({ source }) => source)).size;
  return lists === 0 ? '' : `, on ${numberWord(lists)} ${lists === 1 ? 'blocklist' : 'blocklists'}${dated}`;
}

function risk({ record, evidence }: Subject, isListed: boolean, limits: DatasetLimits, nowMs: number): string {
  const { level, score } = record.threat;
  if (level === 'low' && !isListed) return unlistedWords(limits, nowMs, score);
  const isDenied = evidence.some(({ field, source }) => field === 'threat.score' && source === OVERRIDES);
  return `${isDenied ? ', by an override' : ''}: ${level} risk`;
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
