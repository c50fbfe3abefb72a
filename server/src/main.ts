/**
 * The command line: commands, options, and exit codes. A command is loaded when it runs: all of them together take a
 * second.
 */

import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/diff-limit';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { ROLES, type Role } from './accounts/role.ts';
import { DEFAULT_PARALLEL, MAX_PARALLEL } from './commands/email/parallel.ts';
import { readConfig, settingsHelp } from './config.ts';
import { FIELDS } from './enrich/fields.ts';
import { FORMATS } from './enrich/format.ts';
import { EXPORT_FORMATS } from './export/formats.ts';
import { maskSecrets } from './keys/secret.ts';
import { PERMISSIONS, TIER_NAMES } from './keys/tiers.ts';
import type { ExitCode } from './terminal/exit.ts';
import { failureOf } from './terminal/failure.ts';
import type { Output } from './terminal/output.ts';
import { printableLines } from './terminal/printable.ts';
import { packageVersion } from './version.ts';

const USAGE_ERROR = 2;

/** Runs one command and returns its exit code: 0 success, 1 failure or a negative answer, 2 usage error. */
export async function run(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  stdout: Output,
  stderr: Output,
): Promise<number> {
  let exitCode: ExitCode = 0;
  // Read when a command runs, so that --help works with an invalid setting.
  const config = () => readConfig(environment);
  const now = () => new Date();
  // Messages may quote feeds, files and arguments, which may be secrets.
  const printError = (text: string) => stderr.write(printableLines(maskSecrets(text)));

  const program = new Command('whence')
    .description('IP, ASN and email-domain intelligence from your own machine')
    .version(packageVersion())
    .exitOverride()
    // Otherwise `asn search --json` would set the option of `asn`.
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => printError(text) })
    .configureHelp({ showGlobalOptions: false })
    .showHelpAfterError('(run whence --help for usage)')
    .addHelpText('after', () => settingsHelp())
    .addHelpText('after', 'Exit codes: 0 success, 1 failure or a negative answer, 2 usage error.');
  const json = () => new Option('--json', 'print JSON');

  program
    .command('serve')
    .description('serve the HTTP API; the first start builds or pulls the dataset and creates a key')
    .action(async () => {
      const { serve } = await import('./commands/serve.ts');
      exitCode = await serve(config(), stdout, stderr);
    });

  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(new Option('--tier <tier>', 'limits of the key').choices(TIER_NAMES).default('free'))
    .option('--permissions <list>', `some of ${PERMISSIONS.join(',')} (default: all)`)
    .addOption(json())
    .action(async (options) => {
      const { keyCreate } = await import('./commands/key.ts');
      exitCode = await keyCreate(config().storageLocation, options, stdout, stderr);
    });
  key
    .command('list')
    .description('list all keys, including revoked ones')
    .addOption(json())
    .action(async (options) => {
      const { keyList } = await import('./commands/key.ts');
      exitCode = await keyList(config().storageLocation, options, stdout);
    });
  key
    .command('revoke')
    .description('revoke a key permanently; when this returns, no process accepts it')
    .argument('<key>', 'id from whence key list, or the key itself')
    .addOption(json())
    .action(async (name: string, options) => {
      const { keyRevoke } = await import('./commands/key.ts');
      exitCode = await keyRevoke(config().storageLocation, name, options, stdout);
    });

  const storage = program.command('storage').description('move and check the storage of keys, counts and accounts');
  storage
    .command('migrate')
    .description('copy the storage to another database and compare the copy; stop all servers first')
    .requiredOption('--to <place>', 'postgres:// URL (PGPASSWORD for its password), or a data directory for SQLite')
    .option('--replace', 'also if the target has keys that this storage does not have')
    .addOption(json())
    .action(async (options) => {
      const { storageMigrate } = await import('./commands/storage.ts');
      exitCode = await storageMigrate(config(), options, stdout);
    });
  storage
    .command('check')
    .description('show what is in the storage, how fast it answers and what is wrong with it')
    .addOption(json())
    .action(async (options) => {
      const { storageCheck } = await import('./commands/storage.ts');
      exitCode = await storageCheck(config(), options, stdout);
    });

  const user = program.command('user').description('manage accounts of the dashboard');
  user
    .command('create')
    .description('create an account and print the one-time link with which its password is set')
    .argument('<name>', 'name to sign in with')
    .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES).default('member'))
    .addOption(json())
    .action(async (name: string, options) => {
      const { userCreate } = await import('./commands/user.ts');
      exitCode = await userCreate(config(), name, options, stdout);
    });
  user
    .command('list')
    .description('list all accounts')
    .addOption(json())
    .action(async (options) => {
      const { userList } = await import('./commands/user.ts');
      exitCode = await userList(config(), options, stdout);
    });
  user
    .command('reset-password')
    .description('print a one-time link with which a new password is set')
    .argument('<name>', 'name or id of the account')
    .addOption(json())
    .action(async (name: string, options) => {
      const { userResetPassword } = await import('./commands/user.ts');
      exitCode = await userResetPassword(config(), name, options, stdout);
    });
  user
    .command('set-role')
    .description('change what an account may do')
    .argument('<name>', 'name or id of the account')
    .addArgument(new Argument('<role>', 'new role').choices(ROLES))
    .addOption(json())
    .action(async (name: string, role: Role, options) => {
      const { userChange } = await import('./commands/user.ts');
      exitCode = await userChange(config(), name, { role }, options, stdout, stderr);
    });
  user
    .command('disable')
    .description('end all sessions of an account and let it sign in no more; its keys stay')
    .argument('<name>', 'name or id of the account')
    .option('--undo', 'let it sign in again')
    .addOption(json())
    .action(async (name: string, options) => {
      const { userChange } = await import('./commands/user.ts');
      exitCode = await userChange(config(), name, { isDisabled: options.undo !== true }, options, stdout, stderr);
    });
  user
    .command('setup-link')
    .description('print a one-time link with which an administrator account is made')
    .addOption(json())
    .action(async (options) => {
      const { userSetupLink } = await import('./commands/user.ts');
      exitCode = await userSetupLink(config(), options, stdout);
    });

  program
    .command('ip')
    .description('look up addresses in the local dataset')
    .argument('<address...>', 'IPv4 or IPv6 addresses')
    .option('--explain', 'show which source decided each field')
    .addOption(json())
    .action(async (addresses: string[], options) => {
      const { ipCommand } = await import('./commands/ip.ts');
      exitCode = ipCommand(config().dataDir, addresses, options, stdout);
    });

  const asn = program
    .command('asn')
    .description('look up a network by its AS number')
    .argument('<number>', '15169 or AS15169')
    .enablePositionalOptions()
    .option('--prefixes', 'list every prefix it announces')
    .addOption(json())
    .action(async (number: string, options) => {
      const { asnCommand } = await import('./commands/asn.ts');
      exitCode = asnCommand(config().dataDir, number, options, stdout);
    });
  asn
    .command('search')
    .description('find networks by name or handle')
    .argument('<text...>', 'part of a name, case-insensitive')
    .option('--limit <count>', 'number of results, at most 100', positiveInteger, 20)
    .addOption(json())
    .action(async (words: string[], options) => {
      const { asnSearchCommand } = await import('./commands/asn.ts');
      exitCode = asnSearchCommand(config().dataDir, words.join(' '), options, stdout);
    });

  program
    .command('email')
    .description('check MX, SPF, DKIM and DMARC records of domains; exit code 0 if all have grade A or B')
    .argument('[domain...]', 'example.com, user@example.com or https://example.com/; - reads standard input')
    .option('--file <path>', 'check the domains in a file, one per line (- for standard input)')
    .option('--selectors <list>', 'DKIM selectors to report, comma-separated (default: common ones)')
    .option('--transport', 'check MTA-STS, TLS-RPT, DANE, BIMI and DNSSEC too')
    .option('--networks', 'show who carries the mail, from the local dataset')
    .option('--csv', 'print CSV')
    .addOption(json())
    .option('--diff <path>', 'print what changed since reports were saved; exit code 0 if nothing has')
    .option('--save <path>', 'also save the reports as JSON, for --diff')
    .option('--parallel <count>', `checks at a time, at most ${MAX_PARALLEL}`, positiveInteger, DEFAULT_PARALLEL)
    .action(async (domains: string[], options) => {
      const { dnsServers, dataDir } = config();
      const { emailCommand } = await import('./commands/email/email.ts');
      exitCode = await emailCommand(
        domains,
        options,
        { dnsServers, dataDir, environment },
        { stdin: () => process.stdin, stdout, stderr },
      );
    });

  program
    .command('enrich')
    .description('add network data to the addresses in a log, as a stream')
    .argument('[file]', 'the log, plain or gzip (default: standard input, also as -)')
    .addOption(new Option('--format <format>', 'format of the log').choices(FORMATS).default('auto'))
    .option('--field <path>', 'ndjson: path of the address, such as client.ip; repeatable', collect)
    .option('--column <name>', 'csv: column of the address, by name or number')
    .option('--delimiter <character>', 'csv: column delimiter (default: detected among comma, semicolon, tab)')
    .option('--no-header', 'csv: the first row is not a header')
    .option('--as <name>', 'ndjson: name of the new member (default: whence); csv: prefix of the new columns')
    .option('--all', 'lines, ndjson: add an array for all addresses, not only the first')
    .option('--fields <list>', `fields to add, from ${FIELDS.join(',')}`)
    .option('--full', 'add the whole record')
    .option('--output <path>', 'write to a file, which appears when it is complete')
    .option('--jobs <count>', 'threads that work on the log; the order of lines is kept', positiveInteger, 1)
    .option('--json', 'print the summary as JSON')
    .action(async (file: string | undefined, options) => {
      const { enrichCommand } = await import('./commands/enrich.ts');
      // Accessing process.stdin opens it, so only the command that reads it does.
      exitCode = await enrichCommand(config().dataDir, file, options, now, {
        stdin: () => process.stdin,
        stdout,
        stderr,
      });
    });

  const dataset = program
    .command('dataset')
    .description('build, update, list, compare, select, publish and pull versions of the dataset');
  dataset
    .command('build')
    .description('compile the embedded default and publish it as the next version')
    .addOption(json())
    .action(async (options) => {
      const { datasetBuild } = await import('./commands/dataset-build.ts');
      const { afterBuild } = await import('./commands/dataset-replica.ts');
      exitCode = datasetBuild(config(), options, { now, stdout, stderr });
      afterBuild(config(), stderr);
    });
  dataset
    .command('update')
    .description('fetch feeds that are due, compile and publish the next version')
    .option('--force', 'fetch every feed, even if its copy is fresh')
    .option('--accept <feed>', 'accept this feed although it has shrunk or grown; repeatable', collect)
    .option('--accept-changes', 'publish the result although it differs much from the version before')
    .addOption(json())
    .action(async (options) => {
      const { datasetUpdate } = await import('./commands/dataset-build.ts');
      const { afterBuild } = await import('./commands/dataset-replica.ts');
      exitCode = await datasetUpdate(config(), options, { now, stdout, stderr });
      afterBuild(config(), stderr);
    });
  dataset
    .command('feeds')
    .description('show the feed catalogue and the state of each feed')
    .addOption(json())
    .action(async (options) => {
      const { datasetFeeds } = await import('./commands/feeds.ts');
      exitCode = await datasetFeeds(config(), options, stdout);
    });
  dataset
    .command('list')
    .description('show the published versions and the sources of the current one')
    .addOption(json())
    .action(async (options) => {
      const { datasetList } = await import('./commands/dataset.ts');
      exitCode = datasetList(config().dataDir, options, stdout);
    });
  dataset
    .command('verify')
    .description('check published versions against their checksums')
    .argument('[version]', 'only this version', positiveInteger)
    .addOption(json())
    .action(async (version: number | undefined, options) => {
      const { datasetVerify } = await import('./commands/dataset.ts');
      exitCode = datasetVerify(config().dataDir, version, options, stdout);
    });
  dataset
    .command('use')
    .description('make a published version the current one')
    .argument('<version>', 'version number', positiveInteger)
    .addOption(json())
    .action(async (version: number, options) => {
      const { datasetUse } = await import('./commands/dataset.ts');
      const { warnOfNextPull } = await import('./commands/dataset-replica.ts');
      exitCode = datasetUse(config().dataDir, version, options, stdout);
      warnOfNextPull(config(), stderr);
    });
  dataset
    .command('publish')
    .description('write the current version to a folder that a static host serves to replicas')
    .requiredOption('--to <folder>', 'the folder; created if missing')
    .option('--keep <count>', 'versions to publish, including the current one', positiveInteger, 3)
    .addOption(json())
    .action(async (options) => {
      const { datasetPublish } = await import('./commands/dataset-replica.ts');
      exitCode = datasetPublish(config().dataDir, options, stdout, stderr);
    });
  dataset
    .command('pull')
    .description('pull the current version from the host at WHENCE_DATASET_URL')
    .addOption(json())
    .action(async (options) => {
      const { datasetPull } = await import('./commands/dataset-replica.ts');
      exitCode = await datasetPull(config(), options, now, stdout, stderr);
    });
  dataset
    .command('diff')
    .description('show what changed from one version to another, the largest changes first')
    .argument('<from>', 'version number, current or previous')
    .argument('<to>', 'version number, current or previous')
    .option('--limit <count>', `entries per list, at most ${MAX_DIFF_LIMIT}`, positiveInteger, DEFAULT_DIFF_LIMIT)
    .addOption(json())
    .action(async (from: string, to: string, options) => {
      const { datasetDiff } = await import('./commands/dataset-diff.ts');
      exitCode = datasetDiff(config().dataDir, from, to, options, stdout);
    });
  dataset
    .command('export')
    .description('export the networks and their records for other engines')
    .addOption(new Option('--format <format>', 'export format').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--output <path>', 'file, or folder for clickhouse (default: standard output, text formats only)')
    .option('--dataset-version <version>', 'export this version instead of the current one', positiveInteger)
    .option('--flag <flag...>', 'only networks with one of these flags, such as is_vpn')
    .option('--country <code...>', 'only networks in one of these countries, such as DE')
    .option('--asn <number...>', 'only these networks')
    .option('--cloud <name...>', 'only networks of these cloud providers, such as AWS')
    .option('--company <name...>', 'only AI crawlers of these companies, such as OpenAI')
    .option('--connection-type <type...>', 'only networks of these types, such as residential')
    .option('--min-score <score>', 'only networks with at least this threat score')
    .option('--name <name>', 'name of the nftables or ipset sets, or of the nginx variable (default: whence)')
    .option('--table <name>', 'nftables table of the sets (default: whence)')
    .option('--value <field>', 'haproxy and nginx-geo: map networks to this field, such as country')
    .addOption(json())
    .action(async (options) => {
      const { exportCommand } = await import('./commands/export.ts');
      exitCode = await exportCommand(config().dataDir, options, stdout, stderr);
    });

  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message or the help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    printError(`error: ${failure.message}\n`);
    return failure.exitCode;
  }
}

function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a positive integer.');
  return Number(text);
}

function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}
