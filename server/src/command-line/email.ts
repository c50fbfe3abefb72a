/** Command-line definition of `wh email`. */
import type { Command } from 'commander';
import { INCLUDABLE_SECTIONS } from '../vocabulary.ts';
import { type Invocation, namesAmong, newOption } from './command.ts';

export function defineEmail(program: Command, invocation: Invocation): void {
  const email = program
    .command('email')
    .description(
      'check MX, SPF, DKIM and DMARC records of domains; exit code 0 if all have grade A or B, or are set up to send no mail',
    )
    .argument('[domain...]', 'example.com, user@example.com or https://example.com/; - reads standard input')
    .option('--file <path>', 'check the domains in a file, one per line (- for standard input)')
    .option('--selectors <list>', 'DKIM selectors to try beside the common ones, comma-separated')
    .option('--only-selectors <list>', 'DKIM selectors to report instead of the common ones')
    .option(
      '--include <list>',
      'show more, comma-separated: transport (MTA-STS, TLS-RPT, DANE, BIMI, DNSSEC), networks (who carries the mail), smtp (connects to the MX hosts on port 25)',
      namesAmong(INCLUDABLE_SECTIONS),
    )
    .option(
      '--try <path>',
      'try the records of a zone file: what they would change and break; exit code 0 if nothing breaks',
    )
    .option('--csv', 'print CSV')
    .option('--diff <path>', 'print what changed since reports were saved; exit code 0 if nothing has')
    .option('--save <path>', 'also save the reports as JSON, for --diff')
    .action(async (domains: string[], options) => {
      const { emailCommand } = await import('../commands/email/email.ts');
      await invocation.exitWith(emailCommand(domains, options, invocation.config('read'), invocation));
    });
  const reports = email
    .command('reports')
    .description(
      'who sends as a domain, by its DMARC reports, and whether a stricter policy is safe; exit code 0 yes, 1 no, 4 not enough reports',
    )
    .argument('<domain>', 'example.com')
    .option('--days <days>', 'up to today, 1 to 400', '35')
    .option('--policy <policy>', 'reject, quarantine, or the same of another tag: sp=reject, np=reject', 'reject')
    .option(
      '--decide <service=decision>',
      'record what a sender is: ours, not-ours, expected-forwarder, or undecided; then judge again',
    )
    .option('--csv', 'print CSV')
    .action(async (domain: string, options) => {
      const { sendersCommand } = await import('../commands/email/senders.ts');
      await invocation.exitWith(sendersCommand(domain, options, invocation.storage, invocation));
    });
  reports
    .command('import')
    .description('import DMARC aggregate reports; exit code 0 if only old and other reports were left out')
    .argument('<path...>', 'files, folders or mailboxes; - reads a message from standard input')
    .addOption(newOption())
    .action(async (paths: string[], options) => {
      const { importReports } = await import('../commands/email/import-reports.ts');
      await invocation.exitWith(importReports(await invocation.storage(), paths, options, invocation));
    });
}
