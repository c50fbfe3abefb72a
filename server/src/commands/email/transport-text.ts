/** What protects mail on its way to the domain: a line for each part, and what is wrong with it below. */

import { isFailureText } from '@whence/email/internal/report/report-change';
import { visible } from '@whence/email/internal/visible-text';
import type { TransportRecommendation, TransportReport } from '@whence/email/report';
import { cutToWidth, hanging, type Style } from '../../terminal/style.ts';

const LABEL_WIDTH = 9;

export function formatTransport({ mta_sts, tls_rpt, dane, bimi, dnssec }: TransportReport, style: Style): string {
  const { mode, max_age, mx } = mta_sts;
  const policy = mta_sts.policy_found ? `${mode || 'unknown mode'}, ${max_age} s, ${mx.join(' ')}` : mta_sts.raw;
  const secured = dane.hosts.filter(({ records, is_authenticated }) => records.length > 0 && is_authenticated);
  const parts = [
    { label: 'MTA-STS', text: policy, errors: mta_sts.validation_errors },
    { label: 'TLS-RPT', text: tls_rpt.report_uris.join(', ') || tls_rpt.raw, errors: tls_rpt.validation_errors },
    {
      label: 'DANE',
      text: `${secured.length} of ${dane.hosts.length} MX hosts with authenticated TLSA records`,
      errors: dane.validation_errors,
    },
    { label: 'BIMI', text: bimi.location || bimi.raw, errors: bimi.validation_errors },
    { label: 'DNSSEC', text: dnssec.is_authenticated ? 'authenticated' : 'no', errors: dnssec.validation_errors },
  ];
  const lines = parts.map(({ label, text, errors }) => {
    const isUnknown = errors.some(isFailureText);
    const isNeedless = errors.some((error) => error.startsWith('no_mail_host:'));
    const shown = cutToWidth(
      visible(text || (isUnknown ? 'could not be verified' : isNeedless ? 'not applicable' : 'missing')),
      style.width - LABEL_WIDTH,
    );
    const painted = errors.length === 0 ? style.green(shown) : shown;
    return `${label.padEnd(LABEL_WIDTH)}${painted}\n${formatErrors(errors, LABEL_WIDTH, style)}`;
  });
  const advice = [...tls_rpt.recommendations, ...mta_sts.recommendations];
  return `${style.bold('Transport')} (not part of the score)\n${lines.join('')}${advice.map((one) => formatAdvice(one, style)).join('')}`;
}

/** Errors below the line they belong to. */
export function formatErrors(errors: readonly string[], indent: number, style: Style): string {
  const head = `${' '.repeat(indent)}${style.red('!')} `;
  return errors.map((error) => hanging(head, indent + 2, visible(error), style)).join('');
}

/** Record and file are alone on their lines and never broken, for copying. */
function formatAdvice({ text, record, file_url, file }: TransportRecommendation, style: Style): string {
  const policy = file === '' ? '' : `\n${file_url}\n${file.replaceAll('\r\n', '\n')}`;
  const line = record === '' ? '' : `\n${record}\n`;
  return `\n${hanging('  ', 2, text, style)}${policy}${line}`;
}
