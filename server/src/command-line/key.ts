/** Command-line definition of `wh key`. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PERMISSIONS, TIER_NAMES } from '../vocabulary.ts';
import { type Invocation, newOption } from './command.ts';

const keys = () => import('../commands/key/key.ts');
const keyFacts = () => import('../commands/key/show-key.ts');
const keyChanges = () => import('../commands/key/change-key.ts');

const WHICH = 'id, or the key itself';
const MAX_DAYS = 400;

export function defineKey(program: Command, invocation: Invocation): void {
  const { storage, exitWith } = invocation;
  const key = program.command('key').description('create, change and revoke API keys');
  const ofKey = (name: string, description: string) =>
    key.command(name).description(description).argument('<key>', WHICH);
  withAttributes(
    key
      .command('create')
      .description('create a key and print it; it is not shown again')
      .requiredOption('--name <name>', 'what it is for')
      .addOption(
        new Option('--tier <tier>', 'limits of the key').choices(TIER_NAMES).default('free'),
      )
      .option(
        '--permissions <list>',
        `some of ${PERMISSIONS.join(', ')} (default: all but those of databases and reports)`,
      )
      .addOption(newOption()),
  ).action(async (options) =>
    exitWith((await keys()).keyCreate((await storage()).storageLocation, options, invocation)),
  );
  key
    .command('list')
    .description('list all keys, including revoked ones')
    .action(async (options) =>
      exitWith((await keys()).keyList((await storage()).storageLocation, options, invocation)),
    );
  key
    .command('find')
    .description('find the key with a secret that has leaked; reads standard input')
    .argument('<input>', '- for standard input')
    .action(async (source: string, options) =>
      exitWith(
        (await keyFacts()).keyFind((await storage()).storageLocation, source, options, invocation),
      ),
    );
  ofKey('show', 'show a key with all its attributes').action(async (name: string, options) =>
    exitWith(
      (await keyFacts()).keyShow((await storage()).storageLocation, name, options, invocation),
    ),
  );
  ofKey('usage', 'show the requests of a key by day, endpoint and status')
    .option('--days <days>', `the last days, 1 to ${MAX_DAYS}`, parseDays, 30)
    .action(async (name: string, options) =>
      exitWith(
        (await keyFacts()).keyUsage((await storage()).storageLocation, name, options, invocation),
      ),
    );
  withAttributes(
    ofKey('set', 'change a key; when this returns, every process uses it like that')
      .option('--name <name>', 'what it is for')
      .addOption(new Option('--tier <tier>', 'limits of the key').choices(TIER_NAMES))
      .option('--permissions <list>', `some of ${PERMISSIONS.join(', ')}`)
      .addOption(
        new Option('--state <state>', 'paused: requests are refused until it is active').choices([
          'active',
          'paused',
        ]),
      )
      .option('--revoke <when>', 'revoke it then: a time, a period such as 24h, or never'),
  ).action(async (name: string, options) =>
    exitWith(
      (await keyChanges()).keySet((await storage()).storageLocation, name, options, invocation),
    ),
  );
  ofKey(
    'rotate',
    'create a successor with the same attributes and print it; the old key stays active',
  )
    .option('--name <name>', 'of the successor (default: the same)')
    .option('--revoke-old-in <period>', 'revoke the old key after 30m, 24h, 7d, or at a time')
    .action(async (name: string, options) =>
      exitWith(
        (await keyChanges()).keyRotate(
          (await storage()).storageLocation,
          name,
          options,
          invocation,
        ),
      ),
    );
  ofKey('revoke', 'revoke a key permanently; when this returns, no process accepts it').action(
    async (name: string, options) =>
      exitWith(
        (await keys()).keyRevoke((await storage()).storageLocation, name, options, invocation),
      ),
  );
}

function withAttributes(command: Command): Command {
  return command
    .option('--note <text>', 'a note for people; empty for none')
    .option('--expires <when>', 'a day or time (UTC), a period such as 90d, or never')
    .option(
      '--networks <list>',
      'client addresses and prefixes that may use it, separated by commas, or any',
    )
    .option(
      '--domains <list>',
      'domains whose reports it may use: example.com with all below, *.example.com only below; or all',
    )
    .option('--requests-per-second <number>', 'per process of the server, or unlimited')
    .option('--daily-limit <number>', 'requests a day instead of the number of the tier, or tier');
}

function parseDays(text: string): number {
  const days = Number(text);
  if (!/^[0-9]+$/.test(text) || days < 1 || days > MAX_DAYS)
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_DAYS}.`);
  return days;
}
