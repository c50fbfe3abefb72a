/**
 * The figures of a dataset as text: coverage, confidence of fields, agreement between sources,
 * flags.
 */
import { type FamilyFigures, type Figures, TYPE_ORIGINS } from '@whence/dataset/record';
import { hanging, type Style } from './style.ts';
import { countIn, formatCount, formatShare, formatTable } from './table.ts';

export function formatFigures(
  { ipv4, ipv6, country_agreement, flags }: Figures,
  style: Style,
): string {
  const coverage = formatTable(
    [
      ['', 'IPv4', `${formatCount(ipv4.announced)} addresses`, ...shares(ipv4)],
      ['', 'IPv6', `${formatCount(ipv6.announced)} /48s`, ...shares(ipv6)],
    ],
    style,
    { head: ['', '', 'announced', 'answered', 'country', 'exact registry', 'connection type'] },
  );
  const confidence = formatTable(
    [
      ['', 'IPv4', ...confidenceShares(ipv4)],
      ['', 'IPv6', ...confidenceShares(ipv6)],
    ],
    style,
    {
      head: [
        '',
        '',
        'country confirmed',
        'connection type by list',
        'by table',
        'by rule',
        'by signals',
        'assumed',
      ],
    },
  );
  const agreement = country_agreement.map(
    ({ sources: [a, b], share }) => `${a} and ${b} ${formatShare(share)}`,
  );
  return (
    `${style.bold('coverage:')}\n${coverage}${style.bold('confidence:')}\n${confidence}` +
    (agreement.length === 0
      ? ''
      : hanging(style.bold('same country: '), 2, agreement.join('; '), style)) +
    `${style.bold('flags:')}\n${formatFlags(flags, style)}`
  );
}

/** Each number has its unit, or on a terminal, where such a row would not fit, each column. */
function formatFlags(flags: Figures['flags'], style: Style): string {
  const counts = Object.entries(flags).map(
    ([flag, { records, ipv4_addresses, ipv6_48s }]) =>
      [flag, records, ipv4_addresses, Math.round(ipv6_48s)] as const,
  );
  if (style.width === Number.POSITIVE_INFINITY) {
    const rows = counts.map(([flag, records, addresses, slash48s]) => [
      '',
      flag,
      countIn(style, records, 'record'),
      countIn(style, addresses, 'IPv4 address', 'es'),
      countIn(style, slash48s, 'IPv6 /48'),
    ]);
    return formatTable(rows, style);
  }
  const head = ['', 'flag', 'records', 'IPv4 addresses', 'IPv6 /48s'];
  const rows = counts.map(([flag, ...numbers]) => ['', flag, ...numbers.map(formatCount)]);
  return formatTable(rows, style, { head });
}

function shares({
  answered_share,
  country_share,
  exact_rir_share,
  connection_type_share,
}: FamilyFigures): string[] {
  return [answered_share, country_share, exact_rir_share, connection_type_share].map(formatShare);
}

function confidenceShares({
  country_confirmed_share,
  connection_type_from,
}: FamilyFigures): string[] {
  return [
    country_confirmed_share,
    ...TYPE_ORIGINS.map((origin) => connection_type_from[origin]),
  ].map(formatShare);
}
