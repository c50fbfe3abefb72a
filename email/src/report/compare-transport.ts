/** What changed in how mail is protected on its way, between two reports. */
import type { TransportReport } from '../report.ts';
import { compareLists, compareTexts, isFailureText, type ReportChange } from './report-change.ts';

export function compareTransport(before: TransportReport, now: TransportReport): ReportChange[] {
  const part = <Name extends keyof TransportReport>(
    name: Name,
    compareRecords: (old: TransportReport[Name], current: TransportReport[Name]) => ReportChange[],
  ): ReportChange[] => {
    const old = before[name];
    const current = now[name];
    const reason = current.validation_errors.find(isFailureText);
    if (reason !== undefined) return [{ kind: 'unverified', part: name, reason }];
    if (old.validation_errors.some(isFailureText)) return [];
    return [
      ...compareRecords(old, current),
      ...compareLists(name, 'error', old.validation_errors, current.validation_errors),
    ];
  };
  const tlsa = ({ hosts }: TransportReport['dane']) =>
    hosts.flatMap(({ host, records }) => records.map((record) => `${host} ${record}`));
  return [
    ...part('mta_sts', (old, current) => [
      ...compareTexts('mta_sts', 'record', old.raw, current.raw),
      ...compareTexts('mta_sts', 'mode', old.mode, current.mode),
      ...compareLists('mta_sts', 'host', old.mx, current.mx),
    ]),
    ...part('tls_rpt', (old, current) => compareTexts('tls_rpt', 'record', old.raw, current.raw)),
    ...part('dane', (old, current) => compareLists('dane', 'TLSA', tlsa(old), tlsa(current))),
    ...part('bimi', (old, current) => compareTexts('bimi', 'record', old.raw, current.raw)),
    ...part('dnssec', () => []),
    // Reports that were saved by earlier versions do not have it.
    ...(before.sender_rules && now.sender_rules ? part('sender_rules', () => []) : []),
  ];
}
