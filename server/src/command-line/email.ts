/** Command-line definition of `wh email`. */
import type { Command } from 'commander';
import { UsageError } from '../terminal/exit.ts';
import { INCLUDABLE_SECTIONS, REPORT_DAYS } from '../vocabulary.ts';
import { type Invocation, namesAmong, newOption } from './command.ts';

export function defineEmail(program: Command, invocation: Invocation): void {
  const email = program
    .command('email')
    .description(
      'check MX, SPF, DKIM and DMARC records of domains; exit code 0 if all have grade A or B, or are set up to send no mail',
    )
    .argument(
      '[domain...]',
      'example.com, user@example.com or https://example.com/, files with one per line; - or a pipe: standard input',
    )
    .option('--selectors <list>', 'DKIM selectors to try beside the common ones, comma-separated')
    .option('--only-selectors <list>', 'DKIM selectors to report instead of the common ones')
    .option(
      '--include <list>',
      'show more, comma-separated: transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail), smtp (connects to the MX hosts on port 25)',
      namesAmong(INCLUDABLE_SECTIONS),
    )
    .option(
      '--try <path>',
      'try the records of a file, one per line as dig prints them: what they would change and break; exit code 0 if nothing breaks',
    )
    .option('--csv', 'print CSV')
    .action(async (domains: string[], options) => {
      const { emailCommand } = await import('../commands/email/email.ts');
      await invocation.exitWith(
        emailCommand(domains, options, invocation.config('read'), invocation),
      );
    });
  const reports = email
    .command('reports')
    .description(
      'who sends as a domain, by its DMARC reports, and whether a stricter policy is safe; exit code 0 yes, 1 no, 4 not enough reports',
    )
    .argument('[domain]', 'example.com')
    .option('--days <days>', 'up to today, 1 to 400', String(REPORT_DAYS))
    .option(
      '--policy <policy>',
      'reject, quarantine, or the same of another tag: sp=reject, np=reject',
      'reject',
    )
    .option(
      '--decide <service=decision>',
      'record what a sender is: ours, not-ours, expected-forwarder, or undecided; then judge again',
    )
    .option(
      '--tls',
      'answer from TLS reports instead: whether MTA-STS may be set to enforce, or DANE be kept',
    )
    .option('--csv', 'print CSV')
    .option('--example', 'answer for an invented domain, whose reports and DNS are built in')
    .option('--serve', 'with --example: serve its page too, until the command is stopped')
    .action(async (domain: string | undefined, options) => {
      if (options.example === true) {
        if (domain !== undefined || options.tls === true || options.decide !== undefined)
          throw new UsageError('--example takes --policy, --serve, --json and --csv');
        const { exampleCommand } = await import('../commands/email/example.ts');
        const serve: Parameters<typeof exampleCommand>[3] = async (config, streams) =>
          (await import('../commands/serve/serve.ts')).serve(config, streams);
        await invocation.exitWith(
          exampleCommand(options, invocation, invocation.now().getTime(), serve),
        );
        return;
      }
      if (domain === undefined || options.serve === true)
        throw new UsageError('name a domain, or ask for --example; --serve is for the example');
      if (options.tls === true) {
        const { tlsReportsCommand } = await import('../commands/email/tls-reports.ts');
        await invocation.exitWith(
          tlsReportsCommand(domain, options, invocation.storage, invocation),
        );
        return;
      }
      const { sendersCommand } = await import('../commands/email/senders.ts');
      await invocation.exitWith(sendersCommand(domain, options, invocation.storage, invocation));
    });
  reports
    .command('import')
    .description(
      'import DMARC aggregate reports and TLS reports; exit code 0 if only old and other reports were left out',
    )
    .argument('<path...>', 'files, folders or mailboxes; - reads a message from standard input')
    .addOption(newOption())
    .action(async (paths: string[], options) => {
      const { importReports } = await import('../commands/email/import-reports.ts');
      await invocation.exitWith(
        importReports(await invocation.storage(), paths, options, invocation),
      );
    });
  reports
    .command('fetch')
    .description(
      'fetch reports from the mailbox of WHENCE_REPORTS_IMAP once, as the server does every ten minutes',
    )
    .addOption(newOption())
    .action(async (options) => {
      const { fetchReports } = await import('../commands/email/fetch-reports.ts');
      await invocation.exitWith(fetchReports(await invocation.storage(), options, invocation));
    });
}
