/**
 * One or two sentences about an address: what it is, whose and where, and its risk, if known. What
 * rests on a list of addresses that change from day to day carries the date of the list if it is
 * old.
 */
import type { Evidence, IpRecord } from '@whence/client/wire';
import { TOO_OLD } from '@whence/dataset/record';
import type { DatasetLimits } from '@whence/server/dashboard-wire/lookups';
import { unlistedWords } from '../format/blocklists.ts';
import { ageLevel, longDay } from '../format/data-age.ts';
import { countryInSentence } from '../format/names.ts';
import { type NamedField, namesIn } from './evidence-rows.ts';

type Stated = Pick<Evidence, 'field' | 'value' | 'source' | 'as_of' | 'note'>;
type Subject = {
  readonly record: IpRecord;
  readonly named: (field: NamedField) => string | undefined;
};
/**
 * The words, if the rule applies, and the field of the evidence that they rest on, if its addresses
 * change from day to day.
 */
type Rule = readonly [field: string, words: (subject: Subject) => string | undefined | false];

const CONNECTIONS = {
  datacenter: 'Datacenter',
  mobile: 'Mobile connection',
  residential: 'Home connection',
  education: 'Education network',
  business: 'Business network',
} as const;

/** The first rule that applies is used, so the most important facts come first. */
const WHAT: readonly Rule[] = [
  [
    'is_tor_exit',
    ({ record, named }) =>
      record.detection.is_tor_exit && `Tor exit${after(' of ', named('tor_operator'))}`,
  ],
  [
    'is_vpn',
    ({ record, named }) =>
      record.detection.is_vpn && `VPN address of ${named('vpn_service') ?? record.asn_name}`,
  ],
  ['is_proxy', ({ record }) => record.detection.is_proxy && `Proxy at ${record.asn_name}`],
  ['relay', ({ named }) => after('Address of the privacy relay ', named('relay'))],
  [
    'is_ai_crawler',
    ({ record: { detection }, named }) =>
      detection.is_ai_crawler &&
      `Crawler${after(' ', named('crawler'))} of ${detection.ai_company ?? 'an AI company'}`,
  ],
  [
    'crawler',
    ({ record, named }) => named('crawler') && `Crawler ${named('crawler')} at ${record.asn_name}`,
  ],
  [
    '',
    ({ record, named }) => named('known_good') && `${named('known_good')}, at ${record.asn_name}`,
  ],
  [
    '',
    ({ record, named }) =>
      named('scanner') && `Research scanner of ${named('scanner')} at ${record.asn_name}`,
  ],
  [
    '',
    ({ record: { detection, asn_name } }) =>
      detection.cloud_provider !== undefined &&
      !isNamedAfter(asn_name, detection.cloud_provider) &&
      `${detection.cloud_provider}, datacenter of ${asn_name}`,
  ],
];

const after = (words: string, name: string | undefined): string =>
  name === undefined ? '' : words + name;

export function verdict(
  record: IpRecord,
  evidence: readonly Stated[],
  limits: DatasetLimits,
  nowMs: number = Date.now(),
): string {
  const named = (name: NamedField) => namesIn(evidence, name)[0];
  const applying = WHAT.map(([rested, words]) => [rested, words({ record, named })] as const);
  const [rested, what] = applying.find(([, words]) => words) ?? [
    '',
    `${CONNECTIONS[record.connection_type]} of ${record.asn_name}`,
  ];
  const where = record.country === 'ZZ' ? '' : ` in ${countryInSentence(record.country)}`;
  const statedDay = oldDay(
    evidence.filter(({ field }) => field === rested),
    nowMs,
  );
  const listings = blocklistings(evidence);
  const listedDay = oldDay(listings, nowMs);
  // One date where both lists are of the same day, otherwise each beside what rests on it.
  const isOneDay = listings.length > 0 && statedDay === listedDay;
  const dated = isOneDay ? '' : dayWords(statedDay, nowMs);
  const listed = listedWords(listings, dayWords(listedDay, nowMs));
  const isComplete = limits.threat_gap === undefined;
  const unlisted =
    listings.length > 0 && isComplete
      ? undefined
      : unlistedWords(limits, nowMs, record.threat.score);
  return endSentence(
    `${what}${where}${dated}${listed}${risk(record, evidence, unlisted, isComplete)}`,
  );
}

/** The day of the newest of these rows if even that is old. */
function oldDay(rows: readonly Stated[], nowMs: number): string | undefined {
  const newest = rows
    .map(({ as_of }) => as_of.slice(0, 10))
    .sort()
    .at(-1);
  return newest === undefined || newest === '' || ageLevel(newest, nowMs) === 'fresh'
    ? undefined
    : newest;
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
    .filter(
      ({ field, source }) =>
        field === 'threat.score' && !OWN_TABLES.includes(source) && source !== OVERRIDES,
    )
    .filter(({ source }) => {
      const index = flagSources.indexOf(source);
      if (index >= 0) flagSources.splice(index, 1);
      return index < 0;
    });
}

function listedWords(listings: readonly Stated[], dated: string): string {
  const lists = new Set(listings.map(({ source }) => source)).size;
  return lists === 0
    ? ''
    : `, on ${numberWord(lists)} ${lists === 1 ? 'blocklist' : 'blocklists'}${dated}`;
}

/** `unlisted`: what is said of a low level that no list has raised. */
function risk(
  { threat }: IpRecord,
  evidence: readonly Stated[],
  unlisted: string | undefined,
  isComplete: boolean,
): string {
  if (threat.level === 'low' && unlisted !== undefined) return unlisted;
  const floor = isComplete ? '' : 'at least ';
  const isDenied = evidence.some(
    ({ field, source }) => field === 'threat.score' && source === OVERRIDES,
  );
  return `${isDenied ? ', by an override' : ''}: ${floor}${threat.level} risk`;
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
