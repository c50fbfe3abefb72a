/**
 * The files that an operator configures or may place in the data folder. A process reads them at
 * the start and again when they change, and logs each reading.
 */
import type { RpkiFile } from '../address/routing/rpki-file.ts';
import type { Logger } from '../log/log.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import { LiveLocations, LOCATIONS_REFUSED } from '../lookup/live-locations.ts';
import { LiveOverrides } from '../lookup/live-overrides.ts';
import type { LiveRules } from '../rules/live-rules.ts';
import type { Config } from '../settings/config.ts';
import { defaultOverrides } from '../settings/data-folder.ts';

type ConfiguredFiles = {
  readonly rpki: RpkiFile | undefined;
  readonly rules: LiveRules | undefined;
  readonly overrides: LiveOverrides;
  readonly locations: LiveLocations;
  stop(): Promise<void>;
};

export async function openConfiguredFiles(
  config: Config,
  live: Pick<LiveDataset, 'override'>,
  log: Logger,
): Promise<ConfiguredFiles> {
  const rpki = await openRpkiFile(config, log);
  const rules = await openRules(config, log);
  const locations = await openLocations(config, log);
  const overrides = await openOverrides(config, live, log);
  return {
    rpki,
    rules,
    overrides,
    locations,
    stop: async () => {
      await rpki?.stop();
      await rules?.stop();
      await overrides.stop();
      await locations.stop();
    },
  };
}

/** Its module is loaded only where the file is configured. */
async function openRpkiFile(
  { rpkiSource, ...config }: Config,
  log: Logger,
): Promise<RpkiFile | undefined> {
  if (rpkiSource === undefined) return undefined;
  const { openRpki } = await import('../address/routing/rpki-file.ts');
  return openRpki(rpkiSource, config, {
    loaded: (roas, builtAtMs) =>
      log.info(
        { roas, built_at: new Date(builtAtMs).toISOString() },
        'validated ROA payloads loaded',
      ),
    failed: (reason) =>
      log.error({ reason }, 'validated ROA payloads (WHENCE_RPKI) could not be read'),
    expired: (builtAtMs) =>
      log.error(
        { built_at: new Date(builtAtMs).toISOString() },
        'validated ROA payloads are too old and not used',
      ),
  });
}

/** Its module is loaded only where the file is configured: it brings the YAML parser. */
async function openRules({ rules: path }: Config, log: Logger): Promise<LiveRules | undefined> {
  if (path === undefined) return undefined;
  const { LiveRules } = await import('../rules/live-rules.ts');
  const rules = new LiveRules(path, {
    loaded: ({ sets, lists }) =>
      log.info({ sets: [...sets.keys()], lists: [...lists.keys()] }, 'rules loaded'),
    refused: (reason) =>
      log.error(
        { reason },
        'the rules (WHENCE_RULES) were refused; the last valid ones, if any, stay in use',
      ),
  });
  await rules.start();
  return rules;
}

async function openOverrides(
  { overrides: path, dataDir }: Config,
  live: Pick<LiveDataset, 'override'>,
  log: Logger,
): Promise<LiveOverrides> {
  const overrides = new LiveOverrides(path ?? defaultOverrides(dataDir), path === undefined, {
    loaded: (content) => {
      live.override(content);
      if (content !== undefined) log.info({ entries: content.source.records }, 'overrides loaded');
    },
    refused: (reason) =>
      log.error({ reason }, 'the overrides were refused; the last valid ones, if any, stay in use'),
  });
  await overrides.start();
  return overrides;
}

async function openLocations(config: Config, log: Logger): Promise<LiveLocations> {
  const locations = new LiveLocations(config, {
    loaded: (database) =>
      log.info(
        database && { source: database.source, as_of: database.as_of, bytes: database.bytes },
        database === undefined ? 'location database removed' : 'location database loaded',
      ),
    refused: (reason) => log.error({ reason }, LOCATIONS_REFUSED),
  });
  await locations.start();
  return locations;
}
