/** The command line: which commands there are, how each is used, and what its outcome means to the shell. */

import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/diff';
import { DatasetError } from '@whence/dataset/format';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { asnCommand, asnSearchCommand } from './commands/asn.ts';
import { datasetList, datasetUse, datasetVerify } from './commands/dataset.ts';
import { datasetBuild, datasetUpdate } from './commands/dataset-build.ts';
import { datasetDiff } from './commands/dataset-diff.ts';
import { afterBuild, datasetPublish, datasetPull, warnOfNextPull } from './commands/dataset-replica.ts';
import { emailCommand } from './commands/email.ts';
import { enrichCommand } from './commands/enrich.ts';
import { EXPORT_FORMATS, exportCommand } from './commands/export.ts';
import { datasetFeeds } from './commands/feeds.ts';
import { ipCommand } from './commands/ip.ts';
import { keyCreate, keyList, keyRevoke } from './commands/key.ts';
import { serve } from './commands/serve.ts';
import { readConfig, settingsHelp } from './config.ts';
import { FIELDS } from './enrich/fields.ts';
import { FORMATS } from './enrich/format.ts';
import { PERMISSIONS, TIER_NAMES } from './keys/tiers.ts';
import { StorageUnavailable } from './storage/storage.ts';
import { type ExitCode, type Output, UsageError } from './terminal.ts';

const USED_WRONGLY = 2;

/** Runs one command and returns its exit code: 0 fine, 1 the answer is no, 2 used wrongly. */
export async function run(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  stdout: Output,
  stderr: Output,
): Promise<number> {
  let exitCode: ExitCode = 0;
  // Read when a command runs, so that a wrong setting does not keep anybody from the help.
  const config = () => readConfig(environment);
  const now = () => new Date();

  const program = new Command('whence')
    .description('Whence comes this address? Can this domain’s mail be trusted? Answers from your own machine.')
    .exitOverride()
    // Without it `asn search --json` would be read as an option of `asn`.
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError('(whence --help shows how it is used)')
    .addHelpText('after', () => settingsHelp())
    .addHelpText('after', 'Exit codes: 0 fine, 1 the answer is no, 2 used wrongly.');
  const json = () => new Option('--json', 'print JSON, for machines');

  program
    .command('serve')
    .description('answer over HTTP; on the first start, build or pull the dataset and make a key')
    .action(async () => {
      exitCode = await serve(config(), stdout, stderr);
    });

  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('make a key and print it, this once')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(new Option('--tier <tier>', 'limits of the key').choices(TIER_NAMES).default('free'))
    .option('--permissions <list>', `some of ${PERMISSIONS.join(',')} (default: all)`)
    .addOption(json())
    .action(async (options) => {
      exitCode = await keyCreate(config().dataDir, options, stdout);
    });
  key
    .command('list')
    .description('show all keys, also revoked ones')
    .addOption(json())
    .action(async (options) => {
      exitCode = await keyList(config().dataDir, options, stdout);
    });
  key
    .command('revoke')
    .description('end a key for good; when this returns, nobody accepts it')
    .argument('<id>', 'as whence key list shows it')
    .addOption(json())
    .action(async (id: string, options) => {
      exitCode = await keyRevoke(config().dataDir, id, options, stdout, stderr);
    });

  program
    .command('ip')
    .description('look addresses up in the local dataset')
    .argument('<address...>', 'IPv4 or IPv6 addresses')
    .option('--explain', 'say which source decided each field')
    .addOption(json())
    .action((addresses: string[], options) => {
      exitCode = ipCommand(config().dataDir, addresses, options, stdout);
    });

  const asn = program
    .command('asn')
    .description('look a network up by its AS number')
    .argument('<number>', '15169 or AS15169')
    .enablePositionalOptions()
    .option('--prefixes', 'list every prefix it announces')
    .addOption(json())
    .action((number: string, options) => {
      exitCode = asnCommand(config().dataDir, number, options, stdout);
    });
  asn
    .command('search')
    .description('find networks by name or handle')
    .argument('<text...>', 'part of a name, in any case')
    .option('--limit <count>', 'how many to show, at most 100', wholeNumber, 20)
    .addOption(json())
    .action((words: string[], options) => {
      exitCode = asnSearchCommand(config().dataDir, words.join(' '), options, stdout);
    });

  program
    .command('email')
    .description('check a domain’s MX, SPF, DKIM and DMARC records; exit code 0 for grades A and B')
    .argument('<domain>', 'example.com')
    .option('--selectors <list>', 'DKIM selectors to report on, separated by commas (default: the common ones)')
    .addOption(json())
    .action(async (domain: string, options) => {
      exitCode = await emailCommand(config().dnsServers, domain, options, stdout, stderr);
    });

  program
    .command('enrich')
    .description('add what is known of the addresses in a log to its lines, as a stream')
    .argument('[file]', 'the log, also gzipped (default: standard input, as -)')
    .addOption(new Option('--format <format>', 'how the log is written').choices(FORMATS).default('auto'))
    .option('--field <path>', 'ndjson: where the address stands, as client.ip; repeat for others', collect)
    .option('--column <name>', 'csv: the column with the address, by name or number')
    .option('--delimiter <character>', 'csv: between the columns (default: a comma, in .tsv a tab)')
    .option('--no-header', 'csv: the first row is not a header')
    .option('--as <name>', 'ndjson: name of the new member (default: whence); csv: put before the new columns')
    .option('--all', 'lines, ndjson: an array of all addresses, not the first alone')
    .option('--fields <list>', `what to add, some of ${FIELDS.join(',')}`)
    .option('--full', 'add the whole record')
    .option('--output <path>', 'write to a file, which appears when it is whole')
    .option('--json', 'print the summary as JSON')
    .action(async (file: string | undefined, options) => {
      // Standard input is opened by asking for it, so only the command that reads it asks.
      exitCode = await enrichCommand(config().dataDir, file, options, now, {
        stdin: () => process.stdin,
        stdout,
        stderr,
      });
    });

  const dataset = program
    .command('dataset')
    .description('build, update, list, compare, choose, publish and pull versions of the dataset');
  dataset
    .command('build')
    .description('compile the embedded default and publish it as the next version')
    .addOption(json())
    .action((options) => {
      exitCode = datasetBuild(config(), options, { now, stdout, stderr });
      afterBuild(config(), stderr);
    });
  dataset
    .command('update')
    .description('fetch the feeds that are due, compile and publish the next version')
    .option('--force', 'fetch every feed, also those that are fresh')
    .option('--accept <feed>', 'take this feed although it has shrunk; repeat for others', collect)
    .addOption(json())
    .action(async (options) => {
      exitCode = await datasetUpdate(config(), options, { now, stdout, stderr });
      afterBuild(config(), stderr);
    });
  dataset
    .command('feeds')
    .description('show the catalogue of feeds and how each is doing')
    .addOption(json())
    .action(async (options) => {
      const { dataDir, feeds } = config();
      exitCode = await datasetFeeds(dataDir, feeds, options, stdout);
    });
  dataset
    .command('list')
    .description('show the published versions and the sources of the current one')
    .addOption(json())
    .action((options) => {
      exitCode = datasetList(config().dataDir, options, stdout);
    });
  dataset
    .command('verify')
    .description('check published versions against their checksums')
    .argument('[version]', 'only this one', wholeNumber)
    .addOption(json())
    .action((version: number | undefined, options) => {
      exitCode = datasetVerify(config().dataDir, version, options, stdout);
    });
  dataset
    .command('use')
    .description('make a published version the current one')
    .argument('<version>', 'number of the version', wholeNumber)
    .addOption(json())
    .action((version: number, options) => {
      exitCode = datasetUse(config().dataDir, version, options, stdout);
      warnOfNextPull(config(), stderr);
    });
  dataset
    .command('publish')
    .description('write the current version into a folder that a static host serves to replicas')
    .requiredOption('--to <folder>', 'the folder; it is made when it is not there')
    .option('--keep <count>', 'versions to publish, the current one included', wholeNumber, 3)
    .addOption(json())
    .action((options) => {
      exitCode = datasetPublish(config().dataDir, options, stdout, stderr);
    });
  dataset
    .command('pull')
    .description('take the version that the host at WHENCE_DATASET_URL names as current')
    .addOption(json())
    .action(async (options) => {
      exitCode = await datasetPull(config(), options, now, stdout, stderr);
    });
  dataset
    .command('diff')
    .description('show what changed from one version to another, the largest changes first')
    .argument('<from>', 'number of a version, current or previous')
    .argument('<to>', 'number of a version, current or previous')
    .option('--limit <count>', `entries per list, at most ${MAX_DIFF_LIMIT}`, wholeNumber, DEFAULT_DIFF_LIMIT)
    .addOption(json())
    .action((from: string, to: string, options) => {
      exitCode = datasetDiff(config().dataDir, from, to, options, stdout);
    });
  dataset
    .command('export')
    .description('write the networks and their records in a form that other engines read')
    .addOption(new Option('--format <format>', 'which form').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--output <path>', 'a file, for clickhouse a folder (default: standard output, for text)')
    .option('--dataset-version <version>', 'not the current version but this one', wholeNumber)
    .option('--flag <flag...>', 'only networks with one of these flags, such as is_vpn')
    .option('--country <code...>', 'only networks in one of these countries, such as DE')
    .option('--asn <number...>', 'only these networks')
    .option('--min-score <score>', 'only networks with this threat score or more')
    .addOption(json())
    .action(async (options) => {
      exitCode = await exportCommand(config().dataDir, options, stdout, stderr);
    });

  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its own message, or the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USED_WRONGLY;
    if (error instanceof UsageError) {
      stderr.write(`error: ${error.message}\n`);
      return USED_WRONGLY;
    }
    if (error instanceof DatasetError || error instanceof StorageUnavailable || isAddressInUse(error)) {
      stderr.write(`error: ${error.message}\n`);
      return 1;
    }
    throw error;
  }
}

function isAddressInUse(error: unknown): error is Error {
  return (
    error instanceof Error &&
    ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')
  );
}

function wholeNumber(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
