/**
 * `wh email reports DOMAIN`: who sends as the domain, and whether a stricter policy may be published. Exit code 0 for yes,
 * 1 for no, 4 if not enough is known.
 */
import { readManifest } from '@whence/dataset/internal/versions/publish';
import { normalizeDomain } from '@whence/email/domain-name';
import { classText } from '@whence/email/internal/reports/verdict-text';
import { AuditLog } from '../../audit/audit-log.ts';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import { DECISION_CHOICES, type DecisionChoice, decideSender } from '../../email-reports/decisions.ts';
import { Senders, type SendersAnswer } from '../../email-reports/senders.ts';
import { sendersForRequest } from '../../email-reports/senders-request.ts';
import { ApiError } from '../../http/errors.ts';
import type { Config } from '../../settings/config.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { fit, hanging, type Style } from '../../terminal/style.ts';
import { countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { withStorage } from '../command-storage.ts';
import { openOverridden } from '../local-dataset.ts';
import { operator } from '../operator.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { asking } from '../remote/remote-server.ts';
import { csvCell } from './report-csv.ts';

export type SendersOptions = RemoteOptions & {
  readonly days: string;
  readonly policy: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  /** `SERVICE=DECISION`. */
  readonly decide?: string;
};

const EXIT_CODES = { yes: 0, no: 1, not_enough: 4 } as const;

export async function sendersCommand(
  domainText: string,
  options: SendersOptions,
  config: () => Promise<Config>,
  streams: CommandStreams,
): Promise<ExitCode> {
  if (options.csv === true && options.json === true) throw new UsageError('--csv and --json cannot be combined');
  const domain = normalizeDomain(domainText);
  if (domain === undefined) throw new UsageError(`${domainText} is not a domain`);
  const print = (answer: SendersAnswer): ExitCode => {
    const text = options.json
      ? jsonLine
      : options.csv
        ? sendersCsv
        : (one: SendersAnswer) => sendersText(one, fit(streams));
    streams.stdout.write(text(answer));
    return EXIT_CODES[answer.verdict.answer];
  };
  return openSource<ExitCode>(options, streams.environment, {
    local: async () => fromStorage(domain, options, await config(), print),
    remote: async (server) => {
      if (options.decide !== undefined)
        throw new UsageError('decide on the machine of the server, or in its dashboard');
      const { days, policy } = options;
      const ask = () => server.client().emailSenders(domain, { days: Number(days), policy: policy as 'reject' });
      return print((await asking(server.url, ask)).data);
    },
  });
}

function fromStorage(
  domain: string,
  { days, policy, decide }: SendersOptions,
  config: Config,
  print: (answer: SendersAnswer) => ExitCode,
): Promise<ExitCode> {
  return withStorage(config.storageLocation, false, async (storage) => {
    const emailChecks = new EmailChecks(config.dnsServers);
    const dataset = readManifest(config.dataDir) === undefined ? undefined : await openOverridden(config);
    const senders = new Senders(storage.reports, () => storage.nowMs() ?? Date.now());
    const requester = () => ({ fairnessKey: 'command line', signal: new AbortController().signal });
    const ask = () => sendersForRequest({ emailChecks, dataset, senders }, domain, { days, policy }, requester());
    try {
      const answer = await ask();
      if (decide === undefined) return print(answer);
      const decided = parseDecision(decide);
      const stores = { reports: storage.reports, audit: new AuditLog(storage.audit) };
      if (!(await decideSender(stores, operator(), answer, decided, new Date())))
        throw new CommandError(`no mail of ${decided.service} in these reports; the table names the senders`);
      return print(await ask());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { path, expected } = (error.extra['details'] ?? {}) as { path?: string; expected?: string };
      throw expected === undefined
        ? new CommandError(error.message)
        : new UsageError(`--${path?.slice(1)}: expected ${expected}`);
    } finally {
      emailChecks.close();
    }
  });
}

function parseDecision(text: string): { service: string; decision: DecisionChoice } {
  const [, service = '', written = ''] = /^(.+)=([a-z_-]+)$/i.exec(text) ?? [];
  const decision = DECISION_CHOICES.find((one) => one === written.toLowerCase().replaceAll('-', '_'));
  if (decision === undefined) throw new UsageError(`--decide: expected SERVICE=${DECISION_CHOICES.join('|')}`);
  return { service, decision };
}

const MAX_SHOWN = 20;
const percent = (part: number, whole: number) => `${Math.floor((part / Math.max(1, whole)) * 1_000) / 10} %`;

export function sendersText(answer: SendersAnswer, style: Style): string {
  const { domain, verdict, services, services_left_out, reports, reporters, messages, from, to } = answer;
  const paint = { yes: style.green, no: style.red, not_enough: style.yellow }[verdict.answer];
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`${style.bold(title)}\n${texts.map((text) => hanging('  ', 2, text, style)).join('')}`];
  const rows = services
    .slice(0, MAX_SHOWN)
    .map((one) => [
      one.name,
      formatCount(one.messages).padStart(9),
      percent(one.passed, one.messages).padStart(7),
      percent(one.spf_passed, one.messages).padStart(7),
      percent(one.dkim_passed, one.messages).padStart(7),
      (one.class === 'passes' ? 'nothing' : classText(one.class)) +
        (one.decision === undefined ? '' : ` (decided: ${one.decision.replaceAll('_', ' ')})`),
      one.last_seen,
    ]);
  const hidden = services_left_out + Math.max(0, services.length - MAX_SHOWN);
  const head = ['sender', ' messages', ' passed', '    SPF', '   DKIM', 'what fails is', 'last seen'];
  return [
    hanging(`${style.bold(domain)}: `, domain.length + 2, `${verdict.text}.`, style, paint),
    `${countOf(reports, 'report')} of ${countOf(reporters.length, 'reporter')} from ${from} to ${to}, ${countOf(messages, 'message')}\n`,
    ...(rows.length === 0
      ? []
      : [formatTable(rows, style, { head }) + (hidden > 0 ? `and ${countOf(hidden, 'sender')} more\n` : '')]),
    ...list(
      `What ${verdict.policy} would have ${verdict.policy.endsWith('reject') ? 'refused' : 'quarantined'}`,
      verdict.refused
        .slice(0, MAX_SHOWN)
        .map((one) => `${formatCount(one.messages)} from ${one.service}: ${classText(one.class)}`),
    ),
    ...list(
      'Why',
      verdict.reasons.map(({ text }) => text),
    ),
  ].join('\n');
}

const CSV_FIELDS = ['messages', 'passed', 'spf_passed', 'dkim_passed', 'forwarded', 'first_seen', 'last_seen'] as const;

export function sendersCsv({ domain, verdict, services }: SendersAnswer): string {
  const head = [
    'domain',
    'policy',
    'answer',
    'service',
    'id',
    'class',
    ...CSV_FIELDS,
    'refused',
    'decision',
    'networks',
    'evidence',
  ];
  const refusedOf = (name: string) =>
    verdict.refused.filter(({ service }) => service === name).reduce((sum, one) => sum + one.messages, 0);
  const rows = services.map((one) => [
    ...[domain, verdict.policy, verdict.answer, one.name, one.id, one.class],
    ...CSV_FIELDS.map((field) => one[field]),
    refusedOf(one.name),
    one.decision ?? '',
    one.networks.join('; '),
    one.evidence.map(({ text }) => text).join('; '),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
}
