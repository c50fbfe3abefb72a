/** The dataset: the version in use, differences, switching versions, updates. */

import { DatasetError } from '@whence/dataset/dataset-error';
import { FeedCache } from '@whence/dataset/internal/feeds/feed-cache';
import { sendJsonData } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { datasetReport } from '../../versions/dataset-report.ts';
import { diffVersions, requireVersion } from '../../versions/diff-request.ts';
import { switchVersion } from '../../versions/switch-version.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { QUERY, type Rows } from '../requests/ask.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import type { FeedState } from '../wire/dataset.ts';
import { updateState } from './update-state.ts';

type Names = 'getDataset' | 'getDatasetDiff' | 'useVersion' | 'startUpdate' | 'getUpdate';

export function datasetRoutes(dependencies: DashboardDependencies): Rows<Names> {
  const { live, datasetDiffs, audit, settings } = dependencies;
  const { dataDir, updates } = settings;

  return {
    getDataset: {
      access: 'viewer',
      charge: QUERY,
      handler: ({ session, now }) => {
        const served = live.current;
        const sources = served?.dataset.meta.sources ?? [];
        const { role } = session.account;
        return {
          ...(served === undefined ? {} : { report: datasetReport(served, live.versions, now.getTime()) }),
          feeds: feedStates(
            dataDir,
            sources.map(({ id }) => id),
            role === 'admin',
          ),
          update: updateState(dependencies, role),
        };
      },
    },
    getDatasetDiff: {
      access: 'viewer',
      charge: { counts: 'nothing', costs: ['comparison'] },
      handler: async ({ query, requester, request, reply }) =>
        sendJsonData(request, reply, await diffVersions(live, datasetDiffs, query, requester)),
    },
    useVersion: {
      access: 'admin',
      charge: QUERY,
      handler: async ({ body, actor, now }) => {
        const entry = requireVersion(live, body.version);
        const { version } = entry;
        try {
          await switchVersion(dataDir, entry, audit, actor, now);
        } catch (error) {
          throw error instanceof DatasetError ? new ApiError('VERSION_NOT_FOUND') : error;
        }
        // This process switches now, the others within half a second.
        await live.poll();
        return { version };
      },
    },
    startUpdate: {
      access: 'admin',
      charge: QUERY,
      handler: async ({ actor, now }) => {
        const state = updateState(dependencies, 'admin');
        if (!state.schedule.can_start) throw new DashboardRefusal('UPDATE_UNAVAILABLE');
        if (state.outcome === 'running') throw new DashboardRefusal('UPDATE_RUNNING', { details: state });
        updates.start();
        await audit.record(actor, 'dataset.update_started', { kind: 'dataset' }, now);
        return updateState(dependencies, 'admin');
      },
    },
    getUpdate: {
      access: 'viewer',
      charge: QUERY,
      handler: ({ session }) => updateState(dependencies, session.account.role),
    },
  };
}

/** States of the feeds behind the dataset's sources. Errors may name addresses of the local network. */
function feedStates(dataDir: string, ids: readonly string[], isWhole: boolean): FeedState[] {
  const cache = new FeedCache(dataDir);
  return ids.flatMap((id) => {
    const state = cache.state(id);
    if (state === undefined) return [];
    const { attempted_at, fetched_at, failures, error } = state;
    return [
      {
        id,
        attempted_at,
        failures,
        ...(fetched_at === undefined ? {} : { fetched_at }),
        ...(error === undefined || !isWhole ? {} : { error }),
      },
    ];
  });
}
