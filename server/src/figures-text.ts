/** The figures of a dataset for a person: what is covered, how far the sources agree, what is flagged. */
import type { FamilyFigures, Figures } from '@whence/dataset/record';
import { formatCount, formatTable } from './terminal.ts';

export function formatFigures({ ipv4, ipv6, country_agreement, flags }: Figures): string {
  const coverage = [
    ['', 'announced', 'answered', 'country', 'exact registry', 'connection type'],
    ['IPv4', `${formatCount(ipv4.announced)} addresses`, ...shares(ipv4)],
    ['IPv6', `${formatCount(ipv6.announced)} /48s`, ...shares(ipv6)],
  ];
  const agreement = country_agreement.map(({ sources: [a, b], share }) => `${a} and ${b} ${percent(share)}`);
  const flagged = Object.entries(flags).map(([flag, { records, ipv4_addresses, ipv6_48s }]) => [
    '',
    flag,
    `${formatCount(records)} records`,
    `${formatCount(ipv4_addresses)} IPv4 addresses`,
    `${formatCount(Math.round(ipv6_48s))} IPv6 /48s`,
  ]);
  return (
    `coverage:\n${formatTable(coverage.map((row) => ['', ...row]))}` +
    (agreement.length === 0 ? '' : `same country: ${agreement.join('; ')}\n`) +
    `flags:\n${formatTable(flagged)}`
  );
}

function shares({ answered_share, country_share, exact_rir_share, connection_type_share }: FamilyFigures): string[] {
  return [answered_share, country_share, exact_rir_share, connection_type_share].map(percent);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
