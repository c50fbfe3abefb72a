/**
 * `wh dataset publish|pull`: one machine builds and publishes to a static host, replicas pull from
 * there.
 */
import { DatasetError } from '@whence/dataset/dataset-error';
import { prune } from '@whence/dataset/versions';
import { publishTo } from '@whence/dataset/versions/publish-to';
import { pull } from '@whence/dataset/versions/pull';
import type { Config } from '../../settings/config.ts';
import { type ExitCode, SettingError } from '../../terminal/exit.ts';
import { withFileErrors } from '../../terminal/file-errors.ts';
import type { CommandStreams, Output } from '../../terminal/output.ts';
import { print } from '../../terminal/style.ts';
import { countOf } from '../../terminal/table.ts';
import { reportPull } from '../../versions/update-report.ts';

type Versions = Pick<Config, 'dataDir' | 'datasetUrl' | 'keepVersions'>;
type PullSettings = Versions & Pick<Config, 'proxies' | 'mask'>;

export function datasetPublish(
  dataDir: string,
  options: { to: string; keep: number; json?: boolean },
  streams: CommandStreams,
): ExitCode {
  // The manifest is written last, so a failure leaves what was published before.
  const result = withFileErrors(
    () => publishTo(dataDir, options.to, options),
    ({ message }) =>
      new DatasetError(
        `cannot publish to ${options.to}: ${message}. The published versions are unchanged.`,
      ),
  );
  const { current, versions, written, removed, left_out } = result;
  return print(streams, options, result, () => {
    for (const { version, reason } of left_out)
      streams.stderr.write(`version ${version} was not published: ${reason}\n`);
    return (
      `${options.to}: version ${current} is current, ${countOf(versions.length, 'version')} published, ` +
      `${countOf(written.length, 'file')} written, ${removed.length} removed\n`
    );
  });
}

export async function datasetPull(
  { dataDir, datasetUrl, keepVersions, proxies, mask }: PullSettings,
  options: { json?: boolean },
  now: () => Date,
  streams: CommandStreams,
): Promise<ExitCode> {
  const { stderr } = streams;
  if (datasetUrl === undefined)
    throw new SettingError(
      'WHENCE_DATASET_URL is not set: set it to the URL of the published datasets',
    );
  const outcome = await pull(datasetUrl, dataDir, { now, network: { proxies } });
  tryOrNote(
    () => reportPull(dataDir, outcome, now(), mask),
    'this pull is not shown by servers',
    stderr,
  );
  if (outcome.kind === 'failed')
    throw new DatasetError(`${outcome.reason}. The version in use is unchanged.`);
  const { version } = outcome;
  const isNew = outcome.kind === 'adopted';
  if (isNew) pruneOrNote({ dataDir, keepVersions }, now(), stderr);
  const text = () => `${isNew ? '' : 'no change: '}version ${version} is current\n`;
  return print(streams, options, { version, is_new: isNew }, text);
}

/**
 * After `dataset build`: removes old versions, and warns on a replica, where the next pull undoes
 * the build.
 */
export function afterBuild(versions: Versions, now: Date, stderr: Output): void {
  pruneOrNote(versions, now, stderr);
  warnOfNextPull(versions, stderr);
}

/** After a version was selected by hand. */
export function warnOfNextPull({ datasetUrl }: Pick<Versions, 'datasetUrl'>, stderr: Output): void {
  if (datasetUrl !== undefined)
    stderr.write(
      'note: WHENCE_DATASET_URL is set: the next pull makes the published version current again\n',
    );
}

/** A failure is only noted: the new version is in place, and the next build does it again. */
function pruneOrNote(
  { dataDir, keepVersions }: Pick<Versions, 'dataDir' | 'keepVersions'>,
  now: Date,
  stderr: Output,
): void {
  tryOrNote(() => prune(dataDir, keepVersions, now), 'old versions were not removed', stderr);
}

/** For follow-up work, whose failure is noted but does not fail the command. */
function tryOrNote(work: () => void, consequence: string, stderr: Output): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && ('errno' in error || error instanceof DatasetError)))
      throw error;
    stderr.write(`note: ${consequence}: ${error.message}\n`);
  }
}
