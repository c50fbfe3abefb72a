/** How the deployment is doing, and the settings it runs with. For administrators. */

import type { LiveDataset } from '../../lookup/live-dataset.ts';
import type { ProcessReport } from '../../storage/stores/process-store.ts';
import { packageVersion } from '../../version.ts';
import { datasetState } from '../../versions/dataset-report.ts';
import { type UpdateSources, updateState } from '../data/dataset-routes.ts';
import { forAdmins, type Rows } from '../requests/ask.ts';
import type { SettingInForce } from '../wire/operation.ts';

type OperationSources = UpdateSources & {
  readonly storage: { readonly engine: string };
  readonly live: Pick<LiveDataset, 'current' | 'isFallback'>;
  readonly settings: { readonly inForce: readonly SettingInForce[] };
  readonly reporter: Reporter;
};

/** Reports the state of this process to storage, and reads the reports of all processes. */
type Reporter = {
  readonly id: string;
  report(): Promise<void>;
  processes(): Promise<readonly ProcessReport[]>;
};

export function operationRoutes(sources: OperationSources) {
  const { storage, live, settings, reporter } = sources;
  return {
    getHealth: forAdmins(async ({ now }) => {
      await reporter.report();
      const processes = await reporter.processes();
      const served = live.current;
      return {
        server_version: packageVersion(),
        node_version: process.versions.node,
        // The session of this request was found there a moment ago.
        storage: { engine: storage.engine, state: 'ok' },
        dataset: {
          state: datasetState(live, now.getTime()),
          ...(served && { version: served.version, built_at: served.dataset.meta.built_at }),
        },
        processes: processes.map((report) => ({
          id: report.id,
          host: report.host,
          pid: report.pid,
          is_this: report.id === reporter.id,
          started_at: report.startedAt.toISOString(),
          seen_at: report.seenAt.toISOString(),
          memory_bytes: report.memoryBytes,
          event_loop_lag_ms: report.lagMs,
          dataset_version: report.datasetVersion,
        })),
        update: await updateState(sources, 'admin'),
      };
    }),
    getSettings: forAdmins(() => ({ settings: [...settings.inForce] })),
  } satisfies Rows;
}
