/** The dataset: the version in use, switching versions, updates. */
import { DatasetError } from '@whence/dataset/dataset-error';
import { FeedCache } from '@whence/dataset/feeds/cache';
import type { Source } from '@whence/dataset/record';
import type { Actor, AuditLog } from '../../audit/audit-log.ts';
import { ApiError } from '../../http/errors.ts';
import type { LiveDataset } from '../../lookup/live-dataset.ts';
import { present } from '../../present.ts';
import type { UpdateChoiceStore } from '../../storage/stores/update-choice-store.ts';
import { datasetReport } from '../../versions/dataset-report.ts';
import { switchVersion } from '../../versions/switch-version.ts';
import type { UpdateReport } from '../../versions/update-report.ts';
import {
  DAILY_SECONDS,
  type UpdateSetting,
  updateSchedule,
} from '../../versions/update-schedule.ts';
import type { Role } from '../../vocabulary.ts';
import { forAdmins, forViewers, type Rows } from '../requests/ask.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import type { FeedState, UpdateState } from '../wire/dataset.ts';

/** What `updateState` is made from. */
export type UpdateSources = {
  readonly lastUpdate: () => UpdateReport | undefined;
  readonly storage: { readonly updateChoice: UpdateChoiceStore };
  readonly settings: { readonly updates: UpdateSetting & { readonly kind: 'build' | 'pull' } };
};

type DatasetSources = UpdateSources & {
  readonly live: Pick<LiveDataset, 'current' | 'versions' | 'poll'>;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly settings: {
    readonly dataDir: string;
    /** Starts an update in a process of its own. */
    readonly updates: { readonly start: () => void };
  };
};

export function datasetRoutes(dependencies: DatasetSources) {
  const { live, storage, audit, settings } = dependencies;
  const { dataDir, updates } = settings;

  const start = async (actor: Actor, now: Date) => {
    updates.start();
    await audit.record(actor, 'dataset.update_started', { kind: 'dataset' }, now);
  };
  return {
    getDataset: forViewers(async ({ session, now }) => {
      const served = live.current;
      const { role } = session.account;
      return {
        ...(served && { report: datasetReport(served, live.versions, now.getTime()) }),
        feeds: feedStates(dataDir, served?.dataset.meta.sources ?? [], role === 'admin'),
        update: await updateState(dependencies, role),
      };
    }),
    useVersion: forAdmins(async ({ body, actor, now }) => {
      const entry = live.versions.find((candidate) => candidate.version === body.version);
      if (entry === undefined) throw new ApiError('VERSION_NOT_FOUND');
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
    startUpdate: forAdmins(async ({ actor, now }) => {
      const state = await updateState(dependencies, 'admin');
      if (!state.schedule.can_start) throw new DashboardRefusal('UPDATE_UNAVAILABLE');
      if (state.outcome === 'running')
        throw new DashboardRefusal('UPDATE_RUNNING', { details: state });
      await start(actor, now);
      return updateState(dependencies, 'admin');
    }),
    /** A yes fetches the lists now if they are not of the last day. */
    chooseUpdates: forAdmins(async ({ body, actor, now }) => {
      const { schedule, outcome, succeeded_at = '' } = await updateState(dependencies, 'admin');
      if (!schedule.can_start) throw new DashboardRefusal('UPDATE_UNAVAILABLE');
      if (schedule.decided_by === 'setting') throw new DashboardRefusal('UPDATE_SET');
      await storage.updateChoice.decide(body.daily, actor.name, now);
      const details = { daily: body.daily ? 'yes' : 'no' };
      await audit.record(actor, 'dataset.updates_chosen', { kind: 'dataset' }, now, details);
      const isFresh = now.getTime() - Date.parse(succeeded_at) < DAILY_SECONDS * 1000;
      if (body.daily && !isFresh && outcome !== 'running') await start(actor, now);
      return updateState(dependencies, 'admin');
    }),
    getUpdate: forViewers(({ session }) => updateState(dependencies, session.account.role)),
  } satisfies Rows;
}

/**
 * States of the feeds behind the dataset's sources. Errors may name addresses of the local network.
 */
function feedStates(dataDir: string, sources: readonly Source[], isWhole: boolean): FeedState[] {
  const cache = new FeedCache(dataDir);
  return sources.flatMap(({ id }) => {
    const state = cache.state(id);
    if (state === undefined) return [];
    const { fetched_at, failures, error } = state;
    return [present({ id, fetched_at, failures, error: isWhole ? error : undefined })];
  });
}

/**
 * The last update, or the running one. Error messages may contain paths and addresses of this
 * machine, so only administrators see them.
 */
export async function updateState(
  { lastUpdate, storage, settings }: UpdateSources,
  role: Role,
): Promise<UpdateState> {
  const { kind } = settings.updates;
  const { intervalSeconds, decidedBy } = updateSchedule(
    settings.updates,
    await storage.updateChoice.isDaily(),
  );
  const {
    error,
    refused = [],
    paused = [],
    ...report
  } = lastUpdate() ?? { outcome: 'never' as const };
  return {
    ...report,
    refused: [...refused],
    ...(paused.length === 0 ? {} : { paused: [...paused] }),
    ...(error !== undefined && role === 'admin' ? { error } : {}),
    schedule: present({
      kind,
      can_start: kind === 'build',
      interval_seconds: intervalSeconds,
      decided_by: decidedBy,
    }),
  };
}
