/** `whence dataset`, as it is typed. */
import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/diff-limit';
import type { Command } from 'commander';
import { defineExport } from './dataset-export.ts';
import type { Invocation } from './invocation.ts';
import { collect, jsonOption, positiveInteger } from './options.ts';

export function defineDataset(program: Command, invocation: Invocation): void {
  const { config, now, stdout, stderr, exitWith } = invocation;
  const dataset = program
    .command('dataset')
    .description('build, update, list, compare, select, publish and pull versions of the dataset');
  dataset
    .command('build')
    .description('compile the embedded default and publish it as the next version')
    .addOption(jsonOption())
    .action(async (options) => {
      const { datasetBuild } = await import('../commands/dataset/build.ts');
      const { afterBuild } = await import('../commands/dataset/replica.ts');
      exitWith(datasetBuild(config(), options, { now, stdout, stderr }));
      afterBuild(config(), stderr);
    });
  dataset
    .command('update')
    .description('fetch feeds that are due, compile and publish the next version')
    .option('--force', 'fetch every feed, even if its copy is fresh')
    .option('--accept <feed>', 'accept this feed although it has shrunk or grown; repeatable', collect)
    .option('--accept-changes', 'publish the result although it differs much from the version before')
    .addOption(jsonOption())
    .action(async (options) => {
      const { datasetUpdate } = await import('../commands/dataset/build.ts');
      const { afterBuild } = await import('../commands/dataset/replica.ts');
      exitWith(await datasetUpdate(config(), options, { now, stdout, stderr }));
      afterBuild(config(), stderr);
    });
  dataset
    .command('feeds')
    .description('show the feed catalogue and the state of each feed')
    .addOption(jsonOption())
    .action(async (options) => {
      const { datasetFeeds } = await import('../commands/dataset/feeds.ts');
      exitWith(await datasetFeeds(config(), options, stdout));
    });
  dataset
    .command('list')
    .description('show the published versions and the sources of the current one')
    .addOption(jsonOption())
    .action(async (options) => {
      const { datasetList } = await import('../commands/dataset/versions.ts');
      exitWith(datasetList(config().dataDir, options, stdout));
    });
  dataset
    .command('verify')
    .description('check published versions against their checksums')
    .argument('[version]', 'only this version', positiveInteger)
    .addOption(jsonOption())
    .action(async (version: number | undefined, options) => {
      const { datasetVerify } = await import('../commands/dataset/versions.ts');
      exitWith(datasetVerify(config().dataDir, version, options, stdout));
    });
  dataset
    .command('use')
    .description('make a published version the current one')
    .argument('<version>', 'version number', positiveInteger)
    .addOption(jsonOption())
    .action(async (version: number, options) => {
      const { datasetUse } = await import('../commands/dataset/versions.ts');
      const { warnOfNextPull } = await import('../commands/dataset/replica.ts');
      exitWith(datasetUse(config().dataDir, version, options, stdout));
      warnOfNextPull(config(), stderr);
    });
  dataset
    .command('publish')
    .description('write the current version to a folder that a static host serves to replicas')
    .requiredOption('--to <folder>', 'the folder; created if missing')
    .option('--keep <count>', 'versions to publish, including the current one', positiveInteger, 3)
    .addOption(jsonOption())
    .action(async (options) => {
      const { datasetPublish } = await import('../commands/dataset/replica.ts');
      exitWith(datasetPublish(config().dataDir, options, stdout, stderr));
    });
  dataset
    .command('pull')
    .description('pull the current version from the host at WHENCE_DATASET_URL')
    .addOption(jsonOption())
    .action(async (options) => {
      const { datasetPull } = await import('../commands/dataset/replica.ts');
      exitWith(await datasetPull(config(), options, now, stdout, stderr));
    });
  dataset
    .command('diff')
    .description('show what changed from one version to another, the largest changes first')
    .argument('<from>', 'version number, current or previous')
    .argument('<to>', 'version number, current or previous')
    .option('--limit <count>', `entries per list, at most ${MAX_DIFF_LIMIT}`, positiveInteger, DEFAULT_DIFF_LIMIT)
    .addOption(jsonOption())
    .action(async (from: string, to: string, options) => {
      const { datasetDiff } = await import('../commands/dataset/diff.ts');
      exitWith(datasetDiff(config().dataDir, from, to, options, stdout));
    });
  defineExport(dataset, invocation);
}
