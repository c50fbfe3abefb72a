/**
 * `/healthz` says that the process lives and touches nothing; `/readyz` says whether it can answer, and how old the
 * data is.
 */
import { datedFlags, unknownFlags } from '@whence/dataset/flag-sources';
import type { FastifyRequest } from 'fastify';
import { envelope } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { KnownKeys } from '../keys/known-keys.ts';
import type { StorageState } from '../keys/vouching.ts';
import type { LiveDataset } from '../lookup/live-dataset.ts';
import type { WriteProbe } from '../storage/write-probe.ts';
import { stateOf, type UpdateReport } from '../updates/update-report.ts';

/**
 * The embedded default is built once; a live one is built daily. A month without a build is worth a look either way.
 */
const STALE_SECONDS = 30 * 86_400;

export type HealthParts = {
  readonly live: LiveDataset;
  readonly keys: KnownKeys;
  readonly writes: WriteProbe;
  readonly lastUpdate: () => UpdateReport | undefined;
  /** From the moment the server is told to stop, while it still answers. */
  readonly isStopping: () => boolean;
  readonly nowMs: () => number;
};

export function healthz(request: FastifyRequest) {
  return envelope(request, { status: 'ok' });
}

export function readyz({ live, keys, writes, lastUpdate, isStopping, nowMs }: HealthParts) {
  return async (request: FastifyRequest) => {
    const served = live.current;
    const age = served === undefined ? 0 : Math.max(0, Math.floor((nowMs() - served.builtAtMs) / 1000));
    const update = lastUpdate();
    const checks = {
      dataset: datasetCheck(live, age),
      storage: await storageCheck(keys, writes),
      // A failed update is no reason to send requests elsewhere: the version before it answers.
      ...(update && { update: stateOf(update, served?.builtAtMs ?? 0, nowMs()) }),
      ...(isStopping() && { shutdown: 'stopping' }),
    };
    if (served === undefined || checks.storage === 'unavailable' || isStopping())
      throw new ApiError('NOT_READY', { extra: { checks } });
    return envelope(request, {
      status: 'ready',
      checks,
      dataset_version: served.version,
      dataset_age_seconds: age,
      unknown_flags: unknownFlags(served.dataset.meta.flag_sources),
      dated_flags: datedFlags(served.dataset.meta.flag_sources),
      ...(update && { update: publicReport(update) }),
    });
  };
}

function datasetCheck({ current, isFallback }: LiveDataset, age: number): 'ok' | 'stale' | 'fallback' | 'missing' {
  if (current === undefined) return 'missing';
  if (isFallback) return 'fallback';
  return age > STALE_SECONDS ? 'stale' : 'ok';
}

/** Anybody may ask; paths and addresses that are in error messages stay in the log. */
function publicReport({ outcome, started_at, finished_at, succeeded_at, refused = [] }: UpdateReport) {
  return {
    outcome,
    started_at,
    ...(finished_at && { finished_at }),
    ...(succeeded_at && { succeeded_at }),
    feeds_refused: refused.map(({ id }) => id),
  };
}

/**
 * Storage that can be read but not written (a full disk), or that does not answer while the grace lasts, does not make
 * the server unready: keys without a limit are answered, and the others have what was leased to them. Taking the server
 * out of service would take that away too, and with several replicas on one database from all of them at once.
 */
async function storageCheck(keys: KnownKeys, writes: WriteProbe): Promise<StorageState | 'read-only'> {
  const state = await keys.checkStorage();
  return state === 'ok' && writes.isFailing() ? 'read-only' : state;
}
