/**
 * What protects mail on its way to the domain: a line for each part, and what is wrong with it
 * below.
 */
import { isFailureText } from '@whence/email/findings';
import type {
  SmtpReport,
  SmtpServer,
  TransportRecommendation,
  TransportReport,
} from '@whence/email/report';
import { visible } from '@whence/email/visible-text';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';

const LABEL_WIDTH = 9;

export function formatTransport(
  { mta_sts, tls_rpt, dane, bimi, dnssec }: TransportReport,
  style: Style,
): string {
  const { mode, max_age, mx } = mta_sts;
  const policy = mta_sts.policy_found
    ? `${mode || 'unknown mode'}, ${max_age} s, ${mx.join(' ')}`
    : mta_sts.raw;
  const secured = dane.hosts.filter(
    ({ records, is_authenticated }) => records.length > 0 && is_authenticated,
  );
  const parts = [
    { label: 'MTA-STS', text: policy, errors: mta_sts.validation_errors },
    {
      label: 'TLS-RPT',
      text: tls_rpt.report_uris.join(', ') || tls_rpt.raw,
      errors: tls_rpt.validation_errors,
    },
    {
      label: 'DANE',
      text: `${secured.length} of ${dane.hosts.length} MX hosts with authenticated TLSA records`,
      errors: dane.validation_errors,
    },
    { label: 'BIMI', text: bimi.location || bimi.raw, errors: bimi.validation_errors },
    {
      label: 'DNSSEC',
      text: dnssec.is_authenticated ? 'authenticated' : 'no',
      errors: dnssec.validation_errors,
    },
  ];
  const lines = parts.map(({ label, text, errors }) => {
    const isUnknown = errors.some(isFailureText);
    const isNeedless = errors.some((error) => error.startsWith('no_mail_host:'));
    const absent = isNeedless ? 'not applicable' : 'missing';
    const shown = cutToWidth(
      visible(text || (isUnknown ? 'could not be verified' : absent)),
      style.width - LABEL_WIDTH,
    );
    const painted = errors.length === 0 ? style.green(shown) : shown;
    return `${label.padEnd(LABEL_WIDTH)}${painted}\n${formatErrors(errors, LABEL_WIDTH, style)}`;
  });
  const advice = [...tls_rpt.recommendations, ...mta_sts.recommendations];
  return `${style.bold('Transport')} (not part of the score)\n${lines.join('')}${advice.map((recommendation) => formatAdvice(recommendation, style)).join('')}`;
}

export function formatErrors(errors: readonly string[], indent: number, style: Style): string {
  const head = `${' '.repeat(indent)}${style.red('!')} `;
  return errors.map((error) => hanging(head, indent + 2, visible(error), style)).join('');
}

/** Record and file are alone on their lines and never broken, for copying. */
function formatAdvice(
  { text, record, file_url, file }: TransportRecommendation,
  style: Style,
): string {
  const policy = file === '' ? '' : `\n${file_url}\n${file.replaceAll('\r\n', '\n')}`;
  const line = record === '' ? '' : `\n${record}\n`;
  return `\n${hanging('  ', 2, text, style)}${policy}${line}`;
}

/**
 * What MX hosts say on port 25: a line for each address, with its names, and what is wrong below.
 */
export function formatSmtp(
  { servers, unprobed, validation_errors }: SmtpReport,
  style: Style,
): string {
  const lines = servers.map((server) => {
    const names = hanging('    ', 4, visible(namesInWords(server)), style);
    const head = `${server.host} ${server.address}: ${server.has_starttls ? tlsInWords(server) : 'no TLS'}`;
    const paint = server.is_valid ? style.green : (text: string) => text;
    return `${hanging('  ', 4, visible(head), style, paint)}${names}${formatErrors(server.validation_errors, 4, style)}`;
  });
  const rest =
    unprobed.length === 0
      ? ''
      : hanging('  ', 4, `not connected to: ${unprobed.join(', ')}`, style);
  return `${style.bold('MX hosts on port 25')} (not part of the score)\n${lines.join('')}${rest}${formatErrors(validation_errors, 2, style)}`;
}

function tlsInWords({ tls_version, certificate, dane, mta_sts }: SmtpServer): string {
  const { valid_to, issuer } = certificate;
  const until =
    valid_to === '' ? [] : [`certificate until ${valid_to.slice(0, 10)} from ${issuer}`];
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
  const leads = banner_addresses.includes(address)
    ? 'has this address'
    : 'does not have this address';
  const banner =
    banner_name === '' ? 'its greeting has no name' : `greets as ${banner_name}, which ${leads}`;
  const back = is_reverse_confirmed ? 'leads back' : 'does not lead back';
  return `${banner}; reverse name ${reverse_name === '' ? 'none' : `${reverse_name}, which ${back}`}`;
}
