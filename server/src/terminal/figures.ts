/** The figures of a dataset as text: coverage, confidence of fields, agreement between sources, flags. */
import { type FamilyFigures, type Figures, TYPE_ORIGINS } from '@whence/dataset/record';
import { printable } from './printable.ts';
import { formatCount, formatTable } from './table.ts';

export function formatFigures({ ipv4, ipv6, country_agreement, flags }: Figures): string {
  const coverage = [
    ['', 'announced', 'answered', 'country', 'exact registry', 'connection type'],
    ['IPv4', `${formatCount(ipv4.announced)} addresses`, ...shares(ipv4)],
    ['IPv6', `${formatCount(ipv6.announced)} /48s`, ...shares(ipv6)],
  ];
  const confidence = [
    ['', 'country confirmed', 'connection type by list', 'by table', 'by rule', 'by signals', 'assumed'],
    ['IPv4', ...confidenceShares(ipv4)],
    ['IPv6', ...confidenceShares(ipv6)],
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
    `confidence:\n${formatTable(confidence.map((row) => ['', ...row]))}` +
    (agreement.length === 0 ? '' : `same country: ${printable(agreement.join('; '))}\n`) +
    `flags:\n${formatTable(flagged)}`
  );
}

function shares({ answered_share, country_share, exact_rir_share, connection_type_share }: FamilyFigures): string[] {
  return [answered_share, country_share, exact_rir_share, connection_type_share].map(percent);
}

/** Both are absent in versions that were built before these figures existed. */
function confidenceShares({ country_confirmed_share, connection_type_from }: Partial<FamilyFigures>): string[] {
  const shares = [country_confirmed_share, ...TYPE_ORIGINS.map((origin) => connection_type_from?.[origin])];
  return shares.map((share) => (share === undefined ? 'unknown' : percent(share)));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
