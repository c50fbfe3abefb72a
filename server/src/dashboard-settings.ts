/** What the dashboard needs of the configuration: where its pages are, and how an update is started. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import type { DashboardSettings } from './dashboard/parts.ts';
import type { Logger } from './log.ts';
import { startUpdate } from './updates/update-now.ts';
import { updateCommand } from './updates/updater.ts';

/** Where the build of the dashboard puts its files, in a clone and in the published package. */
const PAGES = fileURLToPath(new URL('../dashboard-dist/', import.meta.url));

export function dashboardSettings(config: Config, log: Logger): DashboardSettings {
  const { publicUrl, dataDir, inForce, datasetUrl, updateSeconds, hasPublicLookUps, provider } = config;
  return {
    publicUrl,
    dataDir,
    inForce,
    hasPublicLookUps,
    provider,
    pagesFolder: existsSync(join(PAGES, 'index.html')) ? PAGES : undefined,
    updates: {
      kind: datasetUrl === undefined ? 'build' : 'pull',
      intervalSeconds: updateSeconds,
      start: () => startUpdate(updateCommand(fileURLToPath(new URL('./bin.js', import.meta.url))), dataDir, log),
    },
  };
}
