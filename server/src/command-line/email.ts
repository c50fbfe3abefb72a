/** Command-line definition of `whence email`. */
import type { Command } from 'commander';
import { DEFAULT_PARALLEL, MAX_PARALLEL } from '../commands/email/parallel.ts';
import { type Invocation, jsonOption, keyOption, positiveInteger, urlOption } from './command.ts';

export function defineEmail(
  program: Command,
  { config, stdin, stdout, stderr, environment, exitWith }: Invocation,
): void {
  program
    .command('email')
    .description(
      'check MX, SPF, DKIM and DMARC records of domains; exit code 0 if all have grade A or B, or are set up to send no mail',
    )
    .argument('[domain...]', 'example.com, user@example.com or https://example.com/; - reads standard input')
    .option('--file <path>', 'check the domains in a file, one per line (- for standard input)')
    .option('--selectors <list>', 'DKIM selectors to try beside the common ones, comma-separated')
    .option('--only-selectors <list>', 'DKIM selectors to report instead of the common ones')
    .option('--transport', 'check MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too')
    .option('--networks', 'show who carries the mail, from the local dataset')
    .option('--csv', 'print CSV')
    .addOption(jsonOption())
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--diff <path>', 'print what changed since reports were saved; exit code 0 if nothing has')
    .option('--save <path>', 'also save the reports as JSON, for --diff')
    .option('--parallel <count>', `checks at a time, at most ${MAX_PARALLEL}`, positiveInteger, DEFAULT_PARALLEL)
    .action(async (domains: string[], options) => {
      const { dnsServers, dataDir } = config();
      const { emailCommand } = await import('../commands/email/email.ts');
      const settings = { dnsServers, dataDir, environment };
      exitWith(await emailCommand(domains, options, settings, { stdin, stdout, stderr }));
    });
}
