/**
 * When the prefixes of a list are not replaced. A feed that fails would empty a list, and a
 * firewall that loads an empty list lets everyone in: so a list that lost too many of its prefixes
 * keeps those it had, until an operator accepts the change or a source of the kept ones stops
 * counting.
 */

import { isTooOld, lastDay } from '@whence/dataset/data-age';
import type { Dataset } from '@whence/dataset/dataset';
import type { FlagSubject } from '@whence/dataset/record';
import { dayAfter } from '../day.ts';
import type { AddressList, Conditions } from '../rules/rule-sets.ts';
import { isValidOn, type WrittenList } from './file-index.ts';
import type { ListFormat } from './list-formats.ts';

/** What raises a score. */
const SCORED: readonly FlagSubject[] = [
  'is_tor_exit',
  'is_proxy',
  'is_vpn',
  'blocklists',
  'criminal_netblocks',
];

type Validity = Required<Pick<WrittenList, 'validUntil' | 'isUnavailable'>>;

/**
 * By the sources of the flags that the conditions name. Networks and countries have no last day;
 * overrides set scores.
 */
export function validityOf(
  { flags = [], min_score }: Conditions,
  { meta, day }: Dataset,
  hasOverrides: boolean,
): Validity {
  const subjects: readonly FlagSubject[] = [
    ...flags,
    ...(min_score === undefined || hasOverrides ? [] : SCORED),
  ];
  const ids = new Set(subjects.flatMap((subject) => meta.flag_sources[subject].sources));
  const counting = meta.sources.filter((source) => ids.has(source.id) && !isTooOld(source, day));
  const [first] = counting.flatMap((source) => lastDay(source) ?? []).sort();
  return {
    validUntil: first && dayAfter(first),
    // Lasting rows count while all lists of their kind have expired.
    isUnavailable: subjects.length > 0 && counting.length === 0,
  };
}

/** A list that loses more of its prefixes than this keeps those that it has. */
const MAX_LOSS = 0.5;

/** Whether the prefixes of `before` stay. `now` is what the list would become. */
export function isHeld(
  day: string,
  before: WrittenList,
  now: Pick<WrittenList, 'definition' | 'prefixes'>,
  { maxLoss = MAX_LOSS }: Pick<AddressList, 'maxLoss'>,
): boolean {
  return (
    before.definition === now.definition &&
    isValidOn(day, before) &&
    now.prefixes < before.prefixes * (1 - maxLoss)
  );
}

/** The text of a list with a note about the version that is not used. */
export function withHeldNote(
  format: ListFormat,
  text: string,
  { prefixes, version }: WrittenList,
  now: HeldFrom,
) {
  if (format === 'json') {
    const { data, meta } = JSON.parse(text) as { data: object; meta: object };
    return JSON.stringify({ data: { ...data, held_from: now.version }, meta });
  }
  const note = `# Held at version ${version}: version ${now.version} has ${now.prefixes} of its ${prefixes} prefixes.`;
  return `${note}\n# To accept that, run wh dataset update --accept-changes\n${text.replace(/^# Held.*\n#.*\n/, '')}`;
}

type HeldFrom = { readonly version: number; readonly prefixes: number };
