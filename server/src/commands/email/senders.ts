/**
 * `wh email reports DOMAIN`: who sends as the domain, and whether a stricter policy may be
 * published. Exit code 0 for yes, 1 for no, 4 if not enough is known.
 */
import { readManifest } from '@whence/dataset/versions';
import { normalizeDomain } from '@whence/email/domain-name';
import { ASKED_POLICIES, type AskedPolicy } from '@whence/email/reports/asked-policy';
import { classText } from '@whence/email/reports/verdict-text';
import { AuditLog } from '../../audit/audit-log.ts';
import { EmailChecks } from '../../email-checks/email-checks.ts';
import {
  DECISION_CHOICES,
  type DecisionChoice,
  decideSender,
} from '../../email-reports/decisions.ts';
import type { SendersAnswer } from '../../email-reports/judgement.ts';
import { Senders } from '../../email-reports/senders.ts';
import { sendersForRequest } from '../../email-reports/senders-request.ts';
import { ApiError } from '../../http/errors.ts';
import type { Config } from '../../settings/config.ts';
import { CommandError, type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { jsonLine } from '../../terminal/printable.ts';
import { fit, hanging, type Style } from '../../terminal/style.ts';
import { countOf, formatCount, formatTable } from '../../terminal/table.ts';
import { withStorage } from '../command-storage.ts';
import { openOverridden } from '../local-dataset.ts';
import { operator } from '../operator.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { asking } from '../remote/remote-server.ts';
import { printableCell } from './report-csv.ts';

export type SendersOptions = RemoteOptions & {
  readonly days: string;
  readonly policy: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly tls?: boolean;
  /** `SERVICE=DECISION`. */
  readonly decide?: string;
};

export const VERDICT_EXIT_CODES = { yes: 0, no: 1, not_enough: 4 } as const;

export async function sendersCommand(
  domainText: string,
  options: SendersOptions,
  config: () => Promise<Config>,
  streams: CommandStreams,
): Promise<ExitCode> {
  if (options.csv === true && options.json === true)
    throw new UsageError('--csv and --json cannot be combined');
  const domain = requireDomain(domainText);
  const policy = parsePolicy(options.policy);
  const print = (answer: SendersAnswer): ExitCode => {
    if (options.json) streams.stdout.write(jsonLine(answer));
    else if (options.csv) streams.stdout.write(sendersCsv(answer));
    else streams.stdout.write(sendersText(answer, fit(streams)));
    return VERDICT_EXIT_CODES[answer.verdict.answer];
  };
  return openSource<ExitCode>(options, streams.environment, {
    local: async () => fromStorage(domain, { ...options, policy }, await config(), print),
    remote: async (server) => {
      if (options.decide !== undefined)
        throw new UsageError('decide on the machine of the server, or in its dashboard');
      const days = Number(options.days);
      const ask = () => server.client().emailSenders(domain, { days, policy });
      return print((await asking(server.url, ask)).data);
    },
  });
}

export function requireDomain(text: string): string {
  const domain = normalizeDomain(text);
  if (domain === undefined) throw new UsageError(`${text} is not a domain`);
  return domain;
}

function parsePolicy(text: string): AskedPolicy {
  const policy = ASKED_POLICIES.find((asked) => asked === text);
  if (policy === undefined) throw new UsageError(`--policy must be ${ASKED_POLICIES.join(', ')}`);
  return policy;
}

/** What an API would have answered, in the words of options. */
export function tellRefusal(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const { parameter, allowed } = (error.extra['details'] ?? {}) as {
    parameter?: string;
    allowed?: readonly string[];
  };
  throw allowed === undefined
    ? new CommandError(error.message)
    : new UsageError(`--${parameter} must be ${allowed.join(', ')}`);
}

function fromStorage(
  domain: string,
  { days, policy, decide }: SendersOptions & { readonly policy: AskedPolicy },
  config: Config,
  print: (answer: SendersAnswer) => ExitCode,
): Promise<ExitCode> {
  return withStorage(config.storageLocation, false, async (storage) => {
    const emailChecks = new EmailChecks(config.dnsServers);
    const dataset =
      readManifest(config.dataDir) === undefined ? undefined : await openOverridden(config);
    const senders = new Senders(
      storage.reports,
      () => storage.nowMs() ?? Date.now(),
      (name, resolving) => emailChecks.dnsClient().forCheck(name, resolving),
    );
    const requester = () => ({ fairnessKey: 'command line', signal: new AbortController().signal });
    const ask = () =>
      sendersForRequest({ emailChecks, dataset, senders }, domain, { days, policy }, requester());
    try {
      const answer = await ask();
      if (decide === undefined) return print(answer);
      const decided = parseDecision(decide);
      const stores = { reports: storage.reports, audit: new AuditLog(storage.audit) };
      if (!(await decideSender(stores, operator(), answer, decided, new Date())))
        throw new NegativeAnswer(
          `no mail of ${decided.service} in these reports; the table names the senders`,
        );
      print(await ask());
      // The command has recorded a decision; the verdict is that of the report.
      return 0;
    } catch (error) {
      return tellRefusal(error);
    } finally {
      emailChecks.close();
    }
  });
}

function parseDecision(text: string): { service: string; decision: DecisionChoice } {
  const [, service = '', written = ''] = /^(.+)=([a-z_-]+)$/i.exec(text) ?? [];
  const decision = DECISION_CHOICES.find(
    (choice) => choice === written.toLowerCase().replaceAll('-', '_'),
  );
  if (decision === undefined)
    throw new UsageError(`--decide: expected SERVICE=${DECISION_CHOICES.join('|')}`);
  return { service, decision };
}

const MAX_SHOWN = 20;
const percent = (part: number, whole: number) =>
  `${Math.floor((part / Math.max(1, whole)) * 1_000) / 10}%`;

function sendersText(answer: SendersAnswer, style: Style): string {
  const { domain, verdict, services, services_left_out, reports, messages, from, to } = answer;
  const reporters = answer.reporters.length + answer.reporters_left_out;
  const paint = { yes: style.green, no: style.red, not_enough: style.yellow }[verdict.answer];
  const list = (title: string, texts: readonly string[]) =>
    texts.length === 0
      ? []
      : [`${style.bold(title)}\n${texts.map((text) => hanging('  ', 2, text, style)).join('')}`];
  const isForged = (service: SendersAnswer['services'][number]) =>
    service.class === 'not_ours' && service.passed === 0;
  const named = services.filter((service) => !isForged(service));
  const forged = services.filter(isForged);
  const rows = named
    .slice(0, MAX_SHOWN)
    .map((service) => [
      service.name,
      formatCount(service.messages).padStart(9),
      percent(service.passed, service.messages).padStart(7),
      percent(service.spf_passed, service.messages).padStart(7),
      percent(service.dkim_passed, service.messages).padStart(7),
      (service.class === 'passes' ? 'nothing' : classText(service.class)) +
        (service.decision === undefined
          ? ''
          : ` (decided: ${service.decision.replaceAll('_', ' ')})`),
      service.last_seen,
    ]);
  if (verdict.totals.not_ours > 0)
    rows.push([
      `${countOf(forged.length + services_left_out, 'other sender')}`,
      formatCount(verdict.totals.not_ours).padStart(9),
      ...['', '', ''],
      classText('not_ours'),
      '',
    ]);
  const hidden = Math.max(0, named.length - MAX_SHOWN);
  const head = [
    'sender',
    ' messages',
    ' passed',
    '    SPF',
    '   DKIM',
    'what fails is',
    'last seen',
  ];
  return [
    hanging(`${style.bold(domain)}: `, domain.length + 2, `${verdict.text}.`, style, paint),
    `${countOf(reports, 'report')} of ${countOf(reporters, 'reporter')} from ${from} to ${to}, ${countOf(messages, 'message')}\n`,
    ...(rows.length === 0
      ? []
      : [
          formatTable(rows, style, { head }) +
            (hidden > 0 ? `and ${countOf(hidden, 'sender')} more\n` : ''),
        ]),
    ...list('The record to publish', verdict.record === '' ? [] : [verdict.record]),
    ...list(
      `What ${verdict.policy} would have ${verdict.policy.endsWith('reject') ? 'refused' : 'quarantined'}`,
      verdict.refused
        .slice(0, MAX_SHOWN)
        .map(
          (sender) =>
            `${formatCount(sender.messages)} from ${sender.service}: ${classText(sender.class)}`,
        ),
    ),
    ...list(
      'Why',
      verdict.reasons.map(({ text }) => text),
    ),
  ].join('\n');
}

const CSV_FIELDS = [
  'messages',
  'passed',
  'spf_passed',
  'dkim_passed',
  'forwarded',
  'first_seen',
  'last_seen',
] as const;

function sendersCsv({ domain, verdict, services }: SendersAnswer): string {
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
    verdict.refused
      .filter(({ service }) => service === name)
      .reduce((sum, refused) => sum + refused.messages, 0);
  const rows = services.map((service) => [
    ...[domain, verdict.policy, verdict.answer, service.name, service.id, service.class],
    ...CSV_FIELDS.map((field) => service[field]),
    refusedOf(service.name),
    service.decision ?? '',
    service.networks.join('; '),
    service.evidence.map(({ text }) => text).join('; '),
  ]);
  return [head, ...rows].map((cells) => `${cells.map(printableCell).join(',')}\n`).join('');
}
