/**
 * `wh email reports DOMAIN --tls`: whether MTA-STS may be set to enforce, or DANE be kept. Exit
 * codes as for the verdict on a policy.
 */
import { visible } from '@whence/email/visible-text';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { TlsReports } from '../../email-reports/tls-reports.ts';
import {
  type TlsReportsAnswer,
  tlsReportsForRequest,
} from '../../email-reports/tls-reports-request.ts';
import type { Config } from '../../settings/config.ts';
import { type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { fit, hanging, type Style } from '../../terminal/style.ts';
import { countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { withStorage } from '../command-storage.ts';
import { openSource } from '../remote/open-source.ts';
import { asking } from '../remote/remote-server.ts';
import { requireDomain, type SendersOptions, tellRefusal, VERDICT_EXIT_CODES } from './senders.ts';

export async function tlsReportsCommand(
  domainText: string,
  options: SendersOptions,
  config: () => Promise<Config>,
  streams: CommandStreams,
): Promise<ExitCode> {
  if (options.csv === true || options.decide !== undefined)
    throw new UsageError('--tls takes neither --csv nor --decide');
  const domain = requireDomain(domainText);
  const print = (answer: TlsReportsAnswer): ExitCode => {
    if (options.json) streams.stdout.write(jsonLine(answer));
    else streams.stdout.write(tlsReportsText(answer, fit(streams)));
    return VERDICT_EXIT_CODES[answer.verdict.answer];
  };
  const { days } = options;
  return openSource<ExitCode>(options, streams.environment, {
    local: async () => fromStorage(domain, days, await config(), print),
    remote: async (server) => {
      const ask = () => server.client().emailTlsReports(domain, { days: Number(days) });
      return print((await asking(server.url, ask)).data);
    },
  });
}

function fromStorage(
  domain: string,
  days: string,
  config: Config,
  print: (answer: TlsReportsAnswer) => ExitCode,
): Promise<ExitCode> {
  return withStorage(config.storageLocation, false, async (storage) => {
    const emailChecks = new EmailChecks(config.dnsServers);
    const tlsReports = new TlsReports(storage.tlsReports, () => storage.nowMs() ?? Date.now());
    const requester = { fairnessKey: 'command line', signal: new AbortController().signal };
    try {
      const sources = { emailChecks, tlsReports };
      return print(
        await tlsReportsForRequest(sources, domain, { days }, requester).catch(tellRefusal),
      );
    } finally {
      emailChecks.close();
    }
  });
}

const MAX_SHOWN = 20;

function tlsReportsText(answer: TlsReportsAnswer, style: Style): string {
  const { domain, verdict, reports, reporters, sessions, from, to } = answer;
  const paint = { yes: style.green, no: style.red, not_enough: style.yellow }[verdict.answer];
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0
      ? []
      : [`${style.bold(title)}\n${texts.map((text) => hanging('  ', 2, text, style)).join('')}`];
  const file = verdict.file.split(/\r?\n/).filter((line) => line !== '');
  const failures = answer.failures
    .slice(0, MAX_SHOWN)
    .map(({ host, result, sessions: failed, policy, last_seen }) => [
      visible(host === '' ? '(not named)' : host),
      formatCount(failed).padStart(9),
      result,
      policy,
      last_seen,
    ]);
  const rows = reporters
    .slice(0, MAX_SHOWN)
    .map(({ name, sessions: all, failed, last_seen }) => [
      visible(name),
      formatCount(all).padStart(9),
      formatCount(failed).padStart(7),
      last_seen,
    ]);
  return [
    hanging(
      `${style.bold(domain)}: `,
      domain.length + 2,
      `${visible(verdict.text)}.`,
      style,
      paint,
    ),
    `${countOf(reports, 'report')} of ${countOf(reporters.length, 'reporter')} from ${from} to ${to}, ${countOf(sessions, 'session')}\n`,
    ...(failures.length === 0
      ? []
      : [
          formatTable(failures, style, {
            head: ['MX host', '   failed', 'why', 'policy', 'last seen'],
          }),
        ]),
    ...(rows.length === 0
      ? []
      : [formatTable(rows, style, { head: ['reporter', ' sessions', ' failed', 'last seen'] })]),
    ...list(file.length === 0 ? '' : `The policy to publish at ${verdict.file_url}`, file),
    ...list('Then the record', verdict.record === '' ? [] : [verdict.record]),
    ...list(
      'Why',
      verdict.reasons.map(({ text }) => visible(text)),
    ),
  ].join('\n');
}
