/** How the deployment is doing, and the settings it runs with. For administrators. */

import { packageVersion } from '../../version.ts';
import { updateState } from '../data/update-state.ts';
import type { RouteParts } from '../parts.ts';
import type { Rows } from '../requests/ask.ts';

/** A month without a build is worth a look: as `/readyz` has it. */
const STALE_SECONDS = 30 * 86_400;
/** Processes report every ten seconds. */
const SEEN_MS = 30_000;

export function operationRoutes(parts: RouteParts): Rows<'getHealth' | 'getSettings'> {
  const { storage, live, settings, reporter } = parts;
  return {
    getHealth: {
      access: 'admin',
      handler: async ({ now }) => {
        await reporter.report();
        const processes = await storage.processes.seenSince(new Date(now.getTime() - SEEN_MS));
        const served = live.current;
        const age = served === undefined ? 0 : Math.max(0, Math.floor((now.getTime() - served.builtAtMs) / 1000));
        return {
          server_version: packageVersion(),
          node_version: process.versions.node,
          // The session of this request was found there a moment ago.
          storage: { engine: storage.engine, state: 'ok' },
          dataset:
            served === undefined
              ? { state: 'missing' }
              : { state: age > STALE_SECONDS ? 'stale' : 'ok', version: served.version, age_seconds: age },
          processes: processes.map((one) => ({
            id: one.id,
            host: one.host,
            pid: one.pid,
            is_this: one.id === reporter.id,
            started_at: one.startedAt.toISOString(),
            seen_at: one.seenAt.toISOString(),
            memory_bytes: one.memoryBytes,
            event_loop_lag_ms: one.lagMs,
            dataset_version: one.datasetVersion,
          })),
          update: updateState(parts, 'admin'),
        };
      },
    },
    getSettings: { access: 'admin', handler: () => ({ settings: [...settings.inForce] }) },
  };
}
