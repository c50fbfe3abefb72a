/** The dataset: the version in use, differences, switching versions, updates. */
import { DatasetError } from '@whence/dataset/dataset-error';
import { FeedCache } from '@whence/dataset/internal/feeds/feed-cache';
import type { Source } from '@whence/dataset/record';
import { sendJsonData } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { present } from '../../present.ts';
import { datasetReport } from '../../versions/dataset-report.ts';
import { diffVersions, requireVersion } from '../../versions/diff-request.ts';
import { switchVersion } from '../../versions/switch-version.ts';
import type { Role } from '../../vocabulary.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { forAdmins, forViewers, type Rows, route } from '../requests/ask.ts';
import { DashboardRefusal, parseChoice } from '../requests/refusal.ts';
import type { FeedState, UpdateState } from '../wire/dataset.ts';
import { UPDATE_RETRIES } from '../wire/requests.ts';

export function datasetRoutes(dependencies: DashboardDependencies) {
  const { live, datasetDiffs, audit, settings } = dependencies;
  const { dataDir, updates } = settings;

  return {
    getDataset: forViewers(({ session, now }) => {
      const served = live.current;
      const { role } = session.account;
      return {
        ...(served && { report: datasetReport(served, live.versions, now.getTime()) }),
        feeds: feedStates(dataDir, served?.dataset.meta.sources ?? [], role === 'admin'),
        update: updateState(dependencies, role),
      };
    }),
    getDatasetDiff: route(
      'viewer',
      { counts: 'nothing', costs: ['comparison'] },
      async ({ query, requester, request, reply }) =>
        sendJsonData(request, reply, await diffVersions(live, datasetDiffs, query, requester)),
    ),
    useVersion: forAdmins(async ({ body, actor, now }) => {
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
    }),
    startUpdate: forAdmins(async ({ query, actor, now }) => {
      const retry = parseChoice('/retry', query.retry, UPDATE_RETRIES) ?? 'failed';
      const state = updateState(dependencies, 'admin');
      if (!state.schedule.can_start) throw new DashboardRefusal('UPDATE_UNAVAILABLE');
      if (state.outcome === 'running') throw new DashboardRefusal('UPDATE_RUNNING', { details: state });
      updates.start(retry);
      await audit.record(actor, 'dataset.update_started', { kind: 'dataset' }, now);
      return updateState(dependencies, 'admin');
    }),
    getUpdate: forViewers(({ session }) => updateState(dependencies, session.account.role)),
  } satisfies Rows;
}

/** States of the feeds behind the dataset's sources. Errors may name addresses of the local network. */
function feedStates(dataDir: string, sources: readonly Source[], isWhole: boolean): FeedState[] {
  const cache = new FeedCache(dataDir);
  return sources.flatMap(({ id }) => {
    const state = cache.state(id);
    if (state === undefined) return [];
    const { fetched_at, failures, error } = state;
    return [present({ id, fetched_at, failures, error: isWhole ? error : undefined })];
  });
}

/** The last update, or the running one. Error messages may contain paths and addresses of this machine, so only administrators see them. */
export function updateState(
  { lastUpdate, settings }: Pick<DashboardDependencies, 'lastUpdate' | 'settings'>,
  role: Role,
): UpdateState {
  const { kind, intervalSeconds } = settings.updates;
  const { error, refused = [], paused = [], ...report } = lastUpdate() ?? { outcome: 'never' as const };
  return {
    ...report,
    refused: [...refused],
    ...(paused.length === 0 ? {} : { paused: [...paused] }),
    ...(error !== undefined && role === 'admin' ? { error } : {}),
    schedule: present({ kind, can_start: kind === 'build', interval_seconds: intervalSeconds }),
  };
}
