/** How the deployment is doing, and the settings it runs with. For administrators. */

import { dataAsOf } from '@whence/dataset/internal/data-age';
import { packageVersion } from '../../version.ts';
import { datasetState } from '../../versions/dataset-report.ts';
import { updateState } from '../data/dataset-routes.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { forAdmins, type Rows } from '../requests/ask.ts';

export function operationRoutes(dependencies: DashboardDependencies) {
  const { storage, live, settings, reporter } = dependencies;
  return {
    getHealth: forAdmins(async ({ now }) => {
      await reporter.report();
      const processes = await reporter.processes();
      const served = live.current;
      const dataDay = served && dataAsOf(served.dataset.meta);
      return {
        server_version: packageVersion(),
        node_version: process.versions.node,
        // The session of this request was found there a moment ago.
        storage: { engine: storage.engine, state: 'ok' },
        dataset: {
          state: datasetState(live, now.getTime()),
          ...(served && { version: served.version, built_at: served.dataset.meta.built_at }),
          ...(dataDay && { data_as_of: dataDay }),
        },
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
        update: updateState(dependencies, 'admin'),
      };
    }),
    getSettings: forAdmins(() => ({ settings: [...settings.inForce] })),
  } satisfies Rows;
}
