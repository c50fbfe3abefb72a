/** Command-line definition of `wh email`. */
import type { Command } from 'commander';
import { INCLUDABLE_SECTIONS } from '../vocabulary.ts';
import { type Invocation, jsonOption, keyOption, namesAmong, urlOption } from './command.ts';

export function defineEmail(program: Command, invocation: Invocation): void {
  program
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
    .addOption(jsonOption())
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--diff <path>', 'print what changed since reports were saved; exit code 0 if nothing has')
    .option('--save <path>', 'also save the reports as JSON, for --diff')
    .action(async (domains: string[], options) => {
      const { emailCommand } = await import('../commands/email/email.ts');
      await invocation.exitWith(emailCommand(domains, options, invocation.config('read'), invocation));
    });
}
