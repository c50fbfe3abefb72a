/** Command-line definitions of `wh dataset` and `wh sync`. */
import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/internal/diff/limit';
import { type Command, Option } from 'commander';
import { EXPORT_FORMATS } from '../export/options.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { LOCAL_ADDRESS_SECTIONS } from '../vocabulary.ts';
import { commaList, type Invocation, namesAmong, positiveInteger } from './command.ts';

const builds = () => import('../commands/dataset/build.ts');
const audits = () => import('../commands/dataset/version-audit.ts');
const feedStates = () => import('../commands/dataset/feeds.ts');
const versions = () => import('../commands/dataset/versions.ts');
const replicas = () => import('../commands/dataset/replica.ts');
const diffs = () => import('../commands/dataset/diff.ts');
const checks = () => import('../commands/dataset/check.ts');
const exports = () => import('../commands/dataset/export.ts');

const qualityOption = () => new Option('--quality', 'print how complete and how right the new version is');

export function defineDataset(program: Command, invocation: Invocation): void {
  const { config, now, stderr, exitWith } = invocation;
  /** Records which version became the current one, and removes those that are no longer kept. */
  const publishing = async (work: (module: Awaited<ReturnType<typeof builds>>) => ExitCode | Promise<ExitCode>) => {
    const [module, { recordingVersion }] = [await builds(), await audits()];
    await exitWith(recordingVersion(config('update'), stderr, () => work(module)));
    (await replicas()).afterBuild(config('update'), now(), stderr);
  };
  const dataset = program
    .command('dataset')
    .description('build, update, list, compare, check, select, publish, pull and export versions of the dataset');
  dataset
    .command('build')
    .description('compile the embedded default and publish it as the next version')
    .addOption(qualityOption())
    .action((options) => publishing(({ datasetBuild }) => datasetBuild(config('update'), options, invocation)));
  dataset
    .command('update')
    .description('fetch feeds that are due, compile and publish the next version')
    .option('--force', 'fetch every feed, even if its copy is fresh')
    .option('--retry', 'fetch feeds that failed without waiting, unless their server asked to wait')
    .option('--retry-now', 'fetch feeds that failed even if their server asked to wait')
    .option('--accept <list>', 'accept these feeds although they have shrunk or grown, comma-separated', commaList)
    .option('--accept-changes', 'publish the result although it differs too much from the previous version')
    .addOption(qualityOption())
    .action((options) => publishing(({ datasetUpdate }) => datasetUpdate(config('update'), options, invocation)));
  dataset
    .command('feeds')
    .description('show the feed catalogue and the state of each feed')
    .action(async (options) => exitWith((await feedStates()).datasetFeeds(config('update'), options, invocation)));
  dataset
    .command('list')
    .description('show the published versions and the sources of the current one')
    .action(async (options) =>
      exitWith((await versions()).datasetList(config('read').dataFolder, options, invocation)),
    );
  dataset
    .command('verify')
    .description('check published versions against their checksums')
    .argument('[version]', 'only this version', positiveInteger)
    .action(async (version: number | undefined, options) =>
      exitWith((await versions()).datasetVerify(config('read').dataDir, version, options, invocation)),
    );
  dataset
    .command('use')
    .description('make a published version the current one')
    .argument('<version>', 'version number', positiveInteger)
    .action(async (version: number, options) => {
      await exitWith((await versions()).datasetUse(config('update'), version, options, invocation));
      (await replicas()).warnOfNextPull(config('update'), stderr);
    });
  dataset
    .command('publish')
    .description('write the current version to a folder that a static host serves to replicas')
    .requiredOption('--to <folder>', 'the folder; created if missing')
    .option('--keep <count>', 'versions to publish, including the current one', positiveInteger, 3)
    .action(async (options) =>
      exitWith((await replicas()).datasetPublish(config('update').dataDir, options, invocation)),
    );
  dataset
    .command('pull')
    .description('pull the current version from the host at WHENCE_DATASET_URL')
    .action(async (options) => {
      const [{ datasetPull }, { recordingVersion }] = [await replicas(), await audits()];
      await exitWith(
        recordingVersion(config('update'), stderr, () => datasetPull(config('update'), options, now, invocation)),
      );
    });
  dataset
    .command('diff')
    .description('show what changed from one version to another, the largest changes first')
    .argument('[from]', 'version number, current or previous', 'previous')
    .argument('[to]', 'version number, current or previous', 'current')
    .option('--limit <count>', `entries per list, at most ${MAX_DIFF_LIMIT}`, positiveInteger, DEFAULT_DIFF_LIMIT)
    .action(async (from: string, to: string, options) =>
      exitWith((await diffs()).datasetDiff(config('read').dataDir, from, to, options, invocation)),
    );
  dataset
    .command('check')
    .description('compare the answers with a CSV file of labels: confusion, precision, recall, worst networks')
    .requiredOption('--labels <file>', 'header with address or prefix, and fields of the record')
    .option('--min <share>', 'exit with 1 if an accuracy, precision or recall is below, such as 0.95')
    .option('--dataset-version <version>', 'check this version instead of the current one', positiveInteger)
    .option('--limit <count>', 'networks to list', positiveInteger, 20)
    .action(async (options) => exitWith((await checks()).datasetCheck(config('read').dataDir, options, invocation)));
  defineExport(dataset, invocation);
}

function defineExport(dataset: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  dataset
    .command('export')
    .description('export the networks and their records for other engines')
    .addOption(new Option('--format <format>', 'export format').choices(EXPORT_FORMATS).makeOptionMandatory())
    .option('--output <path>', 'file, or folder for clickhouse (default: standard output, text formats only)')
    .option('--dataset-version <version>', 'export this version instead of the current one', positiveInteger)
    .option('--flag <list>', 'only networks with one of these flags, such as vpn,tor_exit', commaList)
    .option('--country <list>', 'only networks in one of these countries, such as DE,AT', commaList)
    .option('--asn <list>', 'only these networks', commaList)
    .option('--cloud <list>', 'only networks of these cloud providers, such as AWS', commaList)
    .option('--company <list>', 'only AI crawlers of these companies, such as OpenAI', commaList)
    .option('--connection-type <list>', 'only networks of these types, such as residential', commaList)
    .option('--min-score <score>', 'only networks with at least this threat score')
    .option(
      '--include <list>',
      `mmdb, csv, parquet and ndjson: also export ${LOCAL_ADDRESS_SECTIONS.join(', ')}`,
      namesAmong(LOCAL_ADDRESS_SECTIONS),
    )
    .option('--name <name>', 'name of the nftables or ipset sets, or of the nginx variable (default: whence)')
    .option('--table <name>', 'nftables table of the sets (default: whence)')
    .option('--value <field>', 'haproxy and nginx-geo: map networks to this field, such as country')
    .option(
      '--compatible [type]',
      'mmdb: in the form of GeoIP2 country (default), city, asn, anonymous-ip, connection-type, enterprise',
    )
    .action(async (options) => exitWith((await exports()).exportCommand(config('read'), options, invocation)));
}

export function defineSync(program: Command, invocation: Invocation): void {
  program
    .command('sync')
    .description('keep databases and lists of a server in a folder')
    .argument('<folder>', 'created if missing')
    .argument('<file...>', 'such as country.mmdb, tor.nft')
    .option('--on-change <command>', 'run this in the folder after files have changed')
    .option('--once', 'end after one run (default: a run every 5 to 15 minutes)')
    .action(async (folder: string, files: string[], options) => {
      const { syncCommand } = await import('../commands/remote/sync.ts');
      await invocation.exitWith(syncCommand(folder, files, options, invocation));
    });
}
