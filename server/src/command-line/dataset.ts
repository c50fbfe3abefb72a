/** Command-line definitions of `wh dataset` and `wh sync`. */
import { type Command, Option } from 'commander';
import { EXPORT_FORMATS } from '../export/options.ts';
import type { ExitCode } from '../terminal/exit.ts';
import { EXPORTABLE_SECTIONS } from '../vocabulary.ts';
import { commaList, type Invocation, namesAmong, positiveInteger } from './command.ts';

const builds = () => import('../commands/dataset/build.ts');
const audits = () => import('../commands/dataset/version-audit.ts');
const feedStates = () => import('../commands/dataset/feeds.ts');
const versions = () => import('../commands/dataset/versions.ts');
const replicas = () => import('../commands/dataset/replica.ts');
const exports = () => import('../commands/dataset/export.ts');

export function defineDataset(program: Command, invocation: Invocation): void {
  const { config, now, stderr, exitWith } = invocation;
  /** Records which version became the current one, and removes those that are no longer kept. */
  const publishing = async (
    work: (module: Awaited<ReturnType<typeof builds>>) => ExitCode | Promise<ExitCode>,
  ) => {
    const module = await builds();
    const { recordingVersion } = await audits();
    await exitWith(recordingVersion(config('update'), stderr, () => work(module)));
    (await replicas()).afterBuild(config('update'), now(), stderr);
  };
  const dataset = program
    .command('dataset')
    .description('build, update, list, select, publish, pull and export versions of the dataset');
  dataset
    .command('build')
    .description('compile the embedded default and publish it as the next version')
    .action((options) =>
      publishing(({ datasetBuild }) => datasetBuild(config('update'), options, invocation)),
    );
  dataset
    .command('update')
    .description('fetch feeds that are due, compile and publish the next version')
    .option(
      '--refetch',
      'fetch every feed, even if its copy is fresh or it has just failed, unless its server asked to wait',
    )
    .option(
      '--accept-changes [feeds]',
      'use feeds that have shrunk or grown, and publish the result although it differs too much from the previous version; with feeds, comma-separated: only what they have changed',
      commaList,
    )
    .action((options) =>
      publishing(({ datasetUpdate }) => datasetUpdate(config('update'), options, invocation)),
    );
  dataset
    .command('feeds')
    .description('show the feed catalogue and the state of each feed')
    .action(async (options) =>
      exitWith((await feedStates()).datasetFeeds(config('update'), options, invocation)),
    );
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
      exitWith(
        (await versions()).datasetVerify(config('read').dataDir, version, options, invocation),
      ),
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
      const { datasetPull } = await replicas();
      const { recordingVersion } = await audits();
      await exitWith(
        recordingVersion(config('update'), stderr, () =>
          datasetPull(config('update'), options, now, invocation),
        ),
      );
    });
  defineExport(dataset, invocation);
}

function defineExport(dataset: Command, invocation: Invocation): void {
  const { config, exitWith } = invocation;
  dataset
    .command('export')
    .description('export the networks and their records for other engines')
    .addOption(
      new Option('--format <format>', 'export format')
        .choices(EXPORT_FORMATS)
        .makeOptionMandatory(),
    )
    .option('--output <path>', 'file (default: standard output, text formats only)')
    .option(
      '--dataset-version <version>',
      'export this version instead of the current one',
      positiveInteger,
    )
    .option(
      '--flag <list>',
      'only networks with one of these flags, such as vpn,tor_exit',
      commaList,
    )
    .option('--country <list>', 'only networks in one of these countries, such as DE,AT', commaList)
    .option('--asn <list>', 'only these networks', commaList)
    .option('--cloud <list>', 'only networks of these cloud providers, such as AWS', commaList)
    .option('--company <list>', 'only AI crawlers of these companies, such as OpenAI', commaList)
    .option(
      '--connection-type <list>',
      'only networks of these types, such as residential',
      commaList,
    )
    .option('--min-score <score>', 'only networks with at least this threat score')
    .option(
      '--include <list>',
      `mmdb, csv and ndjson: also export ${EXPORTABLE_SECTIONS.join(', ')}`,
      namesAmong(EXPORTABLE_SECTIONS),
    )
    .option(
      '--name <name>',
      'name of the nftables or ipset sets, or of the nginx variable (default: whence)',
    )
    .option('--table <name>', 'nftables table of the sets (default: whence)')
    .option('--value <field>', 'haproxy and nginx-geo: map networks to this field, such as country')
    .option(
      '--compatible [type]',
      'mmdb: in the form of GeoIP2 country (default), city, asn, anonymous-ip, connection-type, enterprise',
    )
    .action(async (options) =>
      exitWith((await exports()).exportCommand(config('read'), options, invocation)),
    );
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
