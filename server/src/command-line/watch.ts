/** Command-line definition of `wh watch add|list|remove|accept|run`. */
import type { Command } from 'commander';
import { commaList, type Invocation, newOption } from './command.ts';

const watching = () => import('../commands/watch/watch.ts');
const DOMAINS = 'example.com, files with one per line; - or a pipe: standard input';

export function defineWatch(program: Command, invocation: Invocation): void {
  const { exitWith } = invocation;
  const watch = program
    .command('watch')
    .description('domains that the server checks every day, and what has changed in them');
  watch
    .command('add')
    .description('watch domains from now on')
    .argument('[domain...]', DOMAINS)
    .option('--tags <list>', 'tags for all of them, comma-separated', commaList)
    .option('--note <text>', 'a note for all of them')
    .addOption(newOption())
    .action(async (domains: string[], options) =>
      exitWith((await watching()).watchAdd(domains, options, invocation)),
    );
  watch
    .command('list')
    .description('list watched domains, or their open events')
    .option('--events', 'list open events, with the ids for: wh watch accept')
    .option('--tag <tag>', 'only domains with this tag')
    .action(async (options) => exitWith((await watching()).watchList(options, invocation)));
  watch
    .command('remove')
    .description('stop watching domains, and end their events')
    .argument('[domain...]', DOMAINS)
    .action(async (domains: string[], options) =>
      exitWith((await watching()).watchRemove(domains, options, invocation)),
    );
  watch
    .command('accept')
    .description('expect from now on what the last check has found')
    .argument('<event>', 'id of an open event: wh watch list --events')
    .action(async (id: string, options) =>
      exitWith((await watching()).watchAccept(id, options, invocation)),
    );
  watch
    .command('run')
    .description(
      'check domains once, without a server, and print events that open or end as JSON lines; exit code 1 if one of high severity opens, 0 at the first run',
    )
    .argument('[domain...]', DOMAINS)
    .requiredOption('--state <path>', 'file that keeps what is expected from run to run')
    .action(async (domains: string[], options) => {
      const { watchRun } = await import('../commands/watch/run-watch.ts');
      const settings = invocation.config('read');
      await exitWith(watchRun(domains, options, settings, invocation, invocation.now));
    });
}
