/**
 * `wh email reports fetch`: reads the mailbox of WHENCE_REPORTS_IMAP once, as a server does every
 * ten minutes. Exit code 0 if all its messages are read.
 */

import { sumCounts } from '../../email-reports/mailbox/fetch-messages.ts';
import { ReportMailbox, type Round } from '../../email-reports/mailbox/report-mailbox.ts';
import { ReportImports } from '../../email-reports/report-imports.ts';
import type { Config } from '../../settings/config.ts';
import type { Storage } from '../../storage/storage.ts';
import type { MailboxCounts } from '../../storage/stores/mailbox-store.ts';
import { CommandError, type ExitCode, NegativeAnswer, SettingError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { hanging, print, type Style } from '../../terminal/style.ts';
import { countIn, formatCount } from '../../terminal/table.ts';
import { withStorage } from '../command-storage.ts';

type Settings = Pick<
  Config,
  'storageLocation' | 'dnsServers' | 'reportsKeepDays' | 'reportMailbox'
>;
type Options = { readonly json?: boolean; readonly new?: boolean };

export async function fetchReports(
  { storageLocation, dnsServers, reportsKeepDays: keepDays, reportMailbox: settings }: Settings,
  options: Options,
  streams: CommandStreams,
): Promise<ExitCode> {
  if (settings === undefined)
    throw new SettingError(
      'WHENCE_REPORTS_IMAP is not set: it is the imaps:// URL of a mailbox, as in docs/reports.md',
    );
  const fetchInto = async (storage: Storage): Promise<ExitCode> => {
    const nowMs = () => storage.nowMs() ?? Date.now();
    const imports = new ReportImports(storage, { dnsServers, keepDays }, nowMs);
    const parts = { store: storage.mailboxes, imports, mayRun: () => true, nowMs, log: SILENT };
    const counts = await fetchAll(new ReportMailbox({ settings, ...parts }));
    return print(streams, options, asJson(counts), (style) => asText(counts, style));
  };
  return withStorage(storageLocation, options.new, fetchInto);
}

/** The outcome is printed. */
const SILENT = { info: () => {}, warn: () => {} };

async function fetchAll(mailbox: ReportMailbox): Promise<MailboxCounts> {
  let round = await mailbox.round(true);
  let counts = countsOf(round);
  while (round.kind === 'read' && !round.isAll && round.counts.messages > 0) {
    round = await mailbox.round(true);
    counts = sumCounts(counts, countsOf(round));
  }
  return counts;
}

function countsOf(round: Round): MailboxCounts {
  if (round.kind === 'failed') throw new CommandError(round.failure);
  if (round.kind === 'read') return round.counts;
  throw new NegativeAnswer('a server fetches reports from this mailbox at the moment');
}

function asJson({ messages, read, repeated, notRead, withoutReport, tooLarge }: MailboxCounts) {
  return {
    messages,
    read,
    repeated,
    not_read: notRead,
    without_report: withoutReport,
    too_large: tooLarge,
  };
}

function asText(counts: MailboxCounts, style: Style): string {
  const { messages, read, repeated, notRead, withoutReport, tooLarge } = counts;
  const line = (text: string) => hanging('', 2, text, style);
  const left = (count: number, what: string) =>
    count === 0 ? '' : line(`  ${formatCount(count)} ${what}: left as they are`);
  return [
    line(
      `${countIn(style, messages, 'message')}: ${countIn(style, read, 'report')} read, ${formatCount(repeated)} repeated, ${formatCount(notRead)} not read`,
    ),
    left(withoutReport, 'messages without a report'),
    left(tooLarge, 'messages of more than 16 MiB'),
  ].join('');
}
