/** What MX hosts say on port 25: a line for each address, with its names, and what is wrong below. */
import { visible } from '@whence/email/internal/visible-text';
import type { SmtpReport, SmtpServer } from '@whence/email/report';
import { hanging, type Style } from '../../terminal/style.ts';
import { formatErrors } from './transport-text.ts';

export function formatSmtp({ servers, unprobed, validation_errors }: SmtpReport, style: Style): string {
  const lines = servers.map((server) => {
    const names = hanging('    ', 4, visible(namesInWords(server)), style);
    const head = `${server.host} ${server.address}: ${server.has_starttls ? tlsInWords(server) : 'no TLS'}`;
    const paint = server.is_valid ? style.green : (text: string) => text;
    return `${hanging('  ', 4, visible(head), style, paint)}${names}${formatErrors(server.validation_errors, 4, style)}`;
  });
  const rest = unprobed.length === 0 ? '' : hanging('  ', 4, `not connected to: ${unprobed.join(', ')}`, style);
  return `${style.bold('MX hosts on port 25')} (not part of the score)\n${lines.join('')}${rest}${formatErrors(validation_errors, 2, style)}`;
}

function tlsInWords({ tls_version, certificate, dane, mta_sts }: SmtpServer): string {
  const { valid_to, issuer } = certificate;
  const until = valid_to === '' ? [] : [`certificate until ${valid_to.slice(0, 10)} from ${issuer}`];
  const words = { match: 'fits', mismatch: 'does not fit', '': '' };
  const compared = [dane && `DANE ${words[dane]}`, mta_sts && `MTA-STS ${words[mta_sts]}`].filter(
    (text) => text !== '',
  );
  return [tls_version || 'STARTTLS, no TLS', ...until, ...compared].join(', ');
}

function namesInWords({
  banner_name,
  banner_addresses,
  reverse_name,
  is_reverse_confirmed,
  address,
}: SmtpServer): string {
  const leads = banner_addresses.includes(address) ? 'has this address' : 'does not have this address';
  const banner = banner_name === '' ? 'its greeting has no name' : `greets as ${banner_name}, which ${leads}`;
  const back = is_reverse_confirmed ? 'leads back' : 'does not lead back';
  return `${banner}; reverse name ${reverse_name === '' ? 'none' : `${reverse_name}, which ${back}`}`;
}
