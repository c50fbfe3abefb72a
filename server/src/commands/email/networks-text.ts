/** Who carries the domain's mail, and how many addresses may send as it. */
import type { NetworksReport } from '../../email-checks/mail-networks.ts';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';
import { countOf, formatCount } from '../../terminal/table.ts';
import { formatErrors } from './transport-text.ts';

/** The rest is in `--json`. */
const MAX_CARRIERS = 10;
const MAX_SENDERS = 20;

export function formatNetworks(networks: NetworksReport, style: Style): string {
  const { carriers, senders, range_count, open_to_all, unlisted_terms, errors } = networks;
  const lines = [
    ...carriers
      .slice(0, MAX_CARRIERS)
      .map(
        ({ asn, asn_name, mx_hosts, ipv4_addresses }) =>
          `AS${asn} ${asn_name}: ${countOf(mx_hosts, 'MX host')}, ${countOf(ipv4_addresses, 'IPv4 address', 'es')} may send`,
      ),
    ...moreLine(carriers.length - MAX_CARRIERS, 'networks'),
    '',
    ...senders.slice(0, MAX_SENDERS).map(senderLine),
    ...moreLine(range_count - MAX_SENDERS, 'ranges'),
  ];
  const body = lines
    .map((line) => (line === '' ? '\n' : `  ${cutToWidth(line, style.width - 2)}\n`))
    .join('');
  const unlisted =
    unlisted_terms.length === 0
      ? ''
      : hanging(
          '  ',
          2,
          `Beside these, whatever a receiver finds with ${unlisted_terms.join(' ')}`,
          style,
        );
  const title = style.bold('Networks');
  const everyone = open_to_all ? `  ${style.red('Everyone may send as this domain.')}\n` : '';
  return `${title}: ${countLine(networks)}\n${everyone}${body}${unlisted}${formatErrors(errors, 2, style)}`;
}

function countLine({ ipv4_addresses, ipv6_48s }: NetworksReport): string {
  const ipv6 = ipv6_48s === 0 ? '' : ` and ${formatCount(ipv6_48s)} IPv6 /48s`;
  return `${formatCount(ipv4_addresses)} IPv4 addresses${ipv6} may send as this domain`;
}

function senderLine({
  range,
  asn,
  asn_name,
  country,
  connection_type,
  threat_level,
  asn_count,
  shares,
}: Sender): string {
  if (asn === 0) return `${range.padEnd(20)} not announced`;
  const threat = threat_level === 'low' || threat_level === '' ? '' : `, threat ${threat_level}`;
  const [first, ...others] = shares;
  if (others.length === 0)
    return `${range.padEnd(20)} AS${asn} ${asn_name}, ${country || '?'}, ${connection_type}${threat}`;
  const named = [first, ...others]
    .slice(0, MAX_SHARES)
    .map((share) => share && `AS${share.asn} ${share.asn_name} ${share.percent}%`);
  const more = asn_count > MAX_SHARES ? ` and ${asn_count - MAX_SHARES} more` : '';
  return `${range.padEnd(20)} ${named.join(', ')}${more}`;
}

/** Networks of one range that its line names. */
const MAX_SHARES = 3;

type Sender = NetworksReport['senders'][number];

function moreLine(count: number, what: string): string[] {
  return count > 0 ? [`… and ${formatCount(count)} more ${what}`] : [];
}
