/** The dataset: what is served, what changed, going back to a version, updating now. */
import { DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT } from '@whence/dataset/diff-limit';
import { FeedCache } from '@whence/dataset/feed-cache';
import { DatasetError } from '@whence/dataset/format';
import { useVersion, type VersionEntry, verifyInThread } from '@whence/dataset/publish';
import { elapsedMs, sendJson } from '../../http/envelope.ts';
import { ApiError } from '../../http/errors.ts';
import { datasetReport } from '../../lookup/dataset-report.ts';
import { usageIdOf } from '../look-up/lookup-limits.ts';
import type { RouteParts } from '../parts.ts';
import type { Rows } from '../requests/ask.ts';
import { parseCount } from '../requests/parameters.ts';
import { DashboardRefusal } from '../requests/refusal.ts';
import { object, positiveInteger } from '../requests/schemas.ts';
import type { FeedState } from '../wire.ts';
import { updateState } from './update-state.ts';

type Names = 'getDataset' | 'getDatasetDiff' | 'useVersion' | 'startUpdate' | 'getUpdate';

export function datasetRoutes(parts: RouteParts): Rows<Names> {
  const { live, datasetDiffs, audit, settings } = parts;
  const { dataDir, updates } = settings;

  const findVersion = (text: string | undefined): VersionEntry => {
    if (text === undefined || !/^[0-9]{1,15}$/.test(text)) throw new ApiError('INVALID_VERSION');
    const entry = live.versions.find(({ version }) => version === Number(text));
    if (entry === undefined) throw new ApiError('VERSION_NOT_FOUND');
    return entry;
  };

  return {
    getDataset: {
      access: 'viewer',
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
          update: updateState(parts, role),
        };
      },
    },
    getDatasetDiff: {
      access: 'viewer',
      handler: async ({ query, session, request, reply }) => {
        const [from, to] = [findVersion(query.from), findVersion(query.to)];
        const limit = Math.max(1, parseCount('/limit', query.limit, DEFAULT_DIFF_LIMIT, MAX_DIFF_LIMIT));
        const outcome = await datasetDiffs.diff(from, to, limit, usageIdOf(session.account.id));
        if (outcome.kind === 'refused') throw new ApiError('OVERLOADED', { headers: { 'Retry-After': '5' } });
        if (outcome.kind === 'failed') throw new ApiError('DATASET_UNAVAILABLE', { headers: { 'Retry-After': '60' } });
        const meta = `,"meta":{"processing_time_ms":${elapsedMs(request)}}}`;
        return sendJson(reply, Buffer.concat([Buffer.from('{"data":'), outcome.json, Buffer.from(meta)]));
      },
    },
    useVersion: {
      access: 'admin',
      bodySchema: object({ version: positiveInteger }),
      handler: async ({ body, actor, now }) => {
        const entry = findVersion(String(body.version));
        const { version } = entry;
        const from = live.current?.version;
        try {
          // Here and not in useVersion: that would stop the event loop.
          await verifyInThread(dataDir, entry);
          useVersion(dataDir, entry.version, { isVerified: true });
        } catch (error) {
          throw error instanceof DatasetError ? new ApiError('VERSION_NOT_FOUND') : error;
        }
        // This process follows now, the others within half a second.
        await live.poll();
        const details = from === undefined ? undefined : { from: String(from) };
        await audit.record(actor, 'dataset.version_used', { kind: 'dataset', name: String(version) }, now, details);
        return { version };
      },
    },
    startUpdate: {
      access: 'admin',
      handler: async ({ actor, now }) => {
        const state = updateState(parts, 'admin');
        if (!state.schedule.can_start) throw new DashboardRefusal('UPDATE_UNAVAILABLE');
        if (state.outcome === 'running') throw new DashboardRefusal('UPDATE_RUNNING', { details: state });
        updates.start();
        await audit.record(actor, 'dataset.update_started', { kind: 'dataset' }, now);
        return { ...state, outcome: 'running', started_at: now.toISOString(), step: 'starting' };
      },
    },
    getUpdate: { access: 'viewer', handler: ({ session }) => updateState(parts, session.account.role) },
  };
}

/** Of feeds that a source of the dataset came from. Errors may name addresses of this machine's network. */
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
