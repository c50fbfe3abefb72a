/**
 * The dataset in use and what is derived from it: files for other programs, lookups in earlier
 * versions, and the configured files that change or add to its answers.
 */
import { dayOfMs } from '../day.ts';
import { ownedByAnother } from '../file-ownership.ts';
import { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import type { Logger } from '../log/log.ts';
import { LiveDataset, type OpenedVersion } from '../lookup/live-dataset.ts';
import type { Config } from '../settings/config.ts';
import { PastLookups } from '../versions/past-lookups.ts';
import { laterReport, type UpdateReport, updateReports } from '../versions/update-report.ts';
import { openConfiguredFiles } from './configured-files.ts';

export async function openServedData(
  config: Config,
  log: Logger,
  { isWorker, machineMs }: { isWorker: boolean; machineMs: () => number },
) {
  const { dataDir, datasetUrl, checksum: settingsChecksum } = config;
  const written = updateReports(dataDir);
  let told: UpdateReport | undefined;
  const lastUpdate = () => laterReport(written(), told);
  const today = () => dayOfMs(machineMs());
  const live = new LiveDataset(
    dataDir,
    {
      loaded: (version) => log.info({ version }, 'dataset loaded'),
      failed: (error) =>
        log.error(
          { err: error, ...ownerOf(error, dataDir) },
          'the current dataset could not be loaded; retrying',
        ),
      fellBack: (version) =>
        log.warn({ version }, 'serving another version of the dataset instead'),
    },
    {
      isWorker,
      today,
      isPulled: () => datasetUrl === undefined || lastUpdate()?.succeeded_at !== undefined,
    },
  );
  const configured = await openConfiguredFiles(config, live, log);
  const { rpki, rules, overrides, locations } = configured;
  const databases = new LiveGeoipFiles(dataDir, today);
  const past = new PastLookups(dataDir, {
    failed: (reason) =>
      log.error({ reason }, 'an earlier version of the dataset could not be read'),
    tookTooLong: () =>
      log.warn('a lookup in earlier versions of the dataset took too long and was ended'),
  });
  return {
    live,
    lastUpdate,
    /** The report of an update that could not be written. */
    updated: (report: UpdateReport) => {
      told = report;
    },
    databases,
    past,
    rpki,
    rules,
    overrides,
    locations,
    checksums: () => ({
      rules: rules?.checksum ?? '',
      overrides: overrides.checksum,
      settings: settingsChecksum,
    }),
    start: async (opened: OpenedVersion | undefined) => {
      live.start(opened);
      await databases.start();
      rpki?.start();
    },
    stop: async () => {
      live.stop();
      await databases.stop();
      await configured.stop();
    },
  };
}

/** Whose the file is, if that is why it cannot be read. */
function ownerOf(error: unknown, dataDir: string): { reason?: string } {
  const { path } = error as NodeJS.ErrnoException;
  const reason = path === undefined ? undefined : ownedByAnother(path, dataDir);
  return reason === undefined ? {} : { reason };
}
