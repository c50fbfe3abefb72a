/**
 * What changed between two reports of a domain: records and what is wrong with them. What could not be verified is said,
 * and not taken for a change.
 */
import type { DkimReport, TransportReport } from '@whence/email/report';
import type { NetworksReport } from '../../lookup/mail-networks.ts';
import type { SavedReport } from './outcome.ts';

export type Part = 'mx' | 'spf' | 'dkim' | 'dmarc' | keyof TransportReport | 'networks';

export type Change =
  /** Of the grade and the score: `B 85`. */
  | { readonly kind: 'score'; readonly from: string; readonly to: string }
  | {
      readonly kind: 'changed';
      readonly part: Part;
      readonly what: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'added' | 'removed'; readonly part: Part; readonly what: string; readonly value: string }
  /** DNS failed, now or when the report was saved: nothing is known about the part. */
  | { readonly kind: 'unverified'; readonly part: Part; readonly reason: string }
  /** There is no saved report of this domain. */
  | { readonly kind: 'new'; readonly to: string };

export function diffReports(before: SavedReport, now: SavedReport): Change[] {
  return [
    ...diffScores(before, now),
    ...diffPart('mx', before.mx.errors, now.mx.errors, () =>
      diffLists('mx', 'host', before.mx.records, now.mx.records),
    ),
    ...diffPart('spf', before.spf.validation_errors, now.spf.validation_errors, () => [
      ...diffTexts('spf', 'record', before.spf.raw, now.spf.raw),
      ...diffTexts('spf', 'lookups', String(before.spf.dns_lookup_count), String(now.spf.dns_lookup_count)),
    ]),
    ...diffKeys(before.dkim, now.dkim),
    ...diffPart('dmarc', before.dmarc.validation_errors, now.dmarc.validation_errors, () => [
      ...diffTexts('dmarc', 'record', before.dmarc.raw, now.dmarc.raw),
      ...diffTexts('dmarc', 'record of', before.dmarc.record_domain, now.dmarc.record_domain),
      ...diffTexts('dmarc', 'policy in force', before.dmarc.effective_policy, now.dmarc.effective_policy),
    ]),
    // Only what both reports have: the options may have been others.
    ...(before.transport && now.transport ? diffTransport(before.transport, now.transport) : []),
    ...(before.networks && now.networks ? diffNetworks(before.networks, now.networks) : []),
  ];
}

function diffTransport(before: TransportReport, now: TransportReport): Change[] {
  const part = <Name extends keyof TransportReport>(
    name: Name,
    diffRecords: (old: TransportReport[Name], current: TransportReport[Name]) => Change[],
  ) =>
    diffPart(name, before[name].validation_errors, now[name].validation_errors, () =>
      diffRecords(before[name], now[name]),
    );
  return [
    ...part('mta_sts', (old, current) => [
      ...diffTexts('mta_sts', 'record', old.raw, current.raw),
      ...diffTexts('mta_sts', 'mode', old.mode, current.mode),
      ...diffLists('mta_sts', 'host', old.mx, current.mx),
    ]),
    ...part('tls_rpt', (old, current) => diffTexts('tls_rpt', 'record', old.raw, current.raw)),
    ...part('dane', (old, current) => diffLists('dane', 'TLSA', tlsaTexts(old), tlsaTexts(current))),
    ...part('bimi', (old, current) => diffTexts('bimi', 'record', old.raw, current.raw)),
    ...part('dnssec', () => []),
  ];
}

function tlsaTexts({ hosts }: TransportReport['dane']): string[] {
  return hosts.flatMap(({ host, records }) => records.map((record) => `${host} ${record}`));
}

/** Networks of the dataset change too; which of them carry the mail is what counts. */
function diffNetworks(before: NetworksReport, now: NetworksReport): Change[] {
  const carriers = ({ carriers: list }: NetworksReport) => list.map(({ asn }) => `AS${asn}`);
  return diffPart('networks', before.errors, now.errors, () => [
    ...diffLists('networks', 'network', carriers(before), carriers(now)),
    ...diffTexts('networks', 'IPv4 addresses', String(before.ipv4_addresses), String(now.ipv4_addresses)),
  ]);
}

export function scoreText({ grade, domain_auth_score }: SavedReport): string {
  return `${grade} ${domain_auth_score}`;
}

/** Whether some part could not be verified. Such a report must not replace a saved one: it knows less. */
export function isUnverified({ mx, spf, dkim, dmarc, transport, networks }: SavedReport): boolean {
  const errors = [
    mx.errors,
    networks?.errors ?? [],
    ...[spf, dmarc, ...dkim, ...Object.values(transport ?? {})].map((part) => part.validation_errors),
  ];
  return errors.flat().some(isFailure);
}

function diffScores(before: SavedReport, now: SavedReport): Change[] {
  const [from, to] = [scoreText(before), scoreText(now)];
  return from === to ? [] : [{ kind: 'score', from, to }];
}

function diffPart(
  part: Part,
  before: readonly string[],
  now: readonly string[],
  diffRecords: () => Change[],
  name = '',
): Change[] {
  const reason = now.find(isFailure);
  if (reason !== undefined) return [{ kind: 'unverified', part, reason: name + reason }];
  if (before.some(isFailure)) return [];
  return [...diffRecords(), ...diffLists(part, `${name}error`, before, now)];
}

function diffKeys(before: readonly DkimReport[], now: readonly DkimReport[]): Change[] {
  const selectors = [...new Set([...before, ...now].map(({ selector }) => selector))];
  return selectors.flatMap((selector) => {
    const [old, key] = [before, now].map((keys) => keys.find((candidate) => candidate.selector === selector));
    const records = () => diffTexts('dkim', `key ${selector}`, keyText(old), keyText(key));
    // A selector that is not there has the error that it is not there.
    const errorsOf = (entry: DkimReport | undefined) =>
      (entry?.validation_errors ?? []).filter((error) => entry?.found === true || isFailure(error));
    return diffPart('dkim', errorsOf(old), errorsOf(key), records, `${selector}: `);
  });
}

function keyText(key: DkimReport | undefined): string {
  return key?.found === true ? key.raw : '';
}

function diffTexts(part: Part, what: string, from: string, to: string): Change[] {
  if (from === to) return [];
  if (from === '') return [{ kind: 'added', part, what, value: to }];
  if (to === '') return [{ kind: 'removed', part, what, value: from }];
  return [{ kind: 'changed', part, what, from, to }];
}

function diffLists(part: Part, what: string, before: readonly string[], now: readonly string[]): Change[] {
  const removed = before.filter((value) => !now.includes(value));
  const added = now.filter((value) => !before.includes(value));
  return [
    ...removed.map((value): Change => ({ kind: 'removed', part, what, value })),
    ...added.map((value): Change => ({ kind: 'added', part, what, value })),
  ];
}

/** Codes of questions that failed; in a report an error begins with its code. */
const FAILURES = /^(?:dns_temporary_failure|dns_budget_exhausted|alias_too_long):/;

function isFailure(error: string): boolean {
  return FAILURES.test(error);
}
