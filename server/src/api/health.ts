/** `/healthz` says that the process lives and touches nothing; `/readyz` says whether it can answer, and how old the data is. */
import type { FastifyRequest } from 'fastify';
import type { LiveDataset } from '../live-dataset.ts';
import type { Storage } from '../storage/storage.ts';
import type { UpdateReport } from '../update-report.ts';
import { envelope } from './envelope.ts';
import { ApiError } from './errors.ts';

/** The embedded default is built once; a live one is built daily. A month without a build is worth a look either way. */
const STALE_SECONDS = 30 * 86_400;

export function healthz(request: FastifyRequest) {
  return envelope(request, { status: 'ok' });
}

export function readyz(
  live: LiveDataset,
  storage: Storage,
  lastUpdate: () => UpdateReport | undefined,
  nowMs: () => number,
) {
  return async (request: FastifyRequest) => {
    const served = live.current;
    const age = served === undefined ? 0 : Math.max(0, Math.floor((nowMs() - served.builtAtMs) / 1000));
    const update = lastUpdate();
    const checks = {
      dataset: served === undefined ? 'missing' : age > STALE_SECONDS ? 'stale' : 'ok',
      storage: await storageCheck(storage),
      ...(update && { update: updateCheck(update) }),
    };
    if (served === undefined || checks.storage !== 'ok') throw new ApiError('NOT_READY', { extra: { checks } });
    return envelope(request, {
      status: 'ready',
      checks,
      dataset_version: served.version,
      dataset_age_seconds: age,
      ...(update && { update: publicReport(update) }),
    });
  };
}

/** A failed update is no reason to send requests elsewhere: the version before it answers. */
function updateCheck({ outcome }: UpdateReport): 'ok' | 'running' | 'failing' {
  if (outcome === 'running') return 'running';
  return outcome === 'failed' ? 'failing' : 'ok';
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

async function storageCheck(storage: Storage): Promise<'ok' | 'unavailable'> {
  try {
    await storage.check();
    return 'ok';
  } catch {
    return 'unavailable';
  }
}
