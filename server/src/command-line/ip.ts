/** `whence ip`, as it is typed. */
import type { Command } from 'commander';
import type { Invocation } from './invocation.ts';
import { jsonOption } from './options.ts';

export function defineIp(program: Command, { config, stdout, exitWith }: Invocation): void {
  program
    .command('ip')
    .description('look up addresses in the local dataset')
    .argument('<address...>', 'IPv4 or IPv6 addresses')
    .option('--explain', 'show which source decided each field')
    .addOption(jsonOption())
    .action(async (addresses: string[], options) => {
      const { ipCommand } = await import('../commands/ip.ts');
      exitWith(ipCommand(config().dataDir, addresses, options, stdout));
    });
}
