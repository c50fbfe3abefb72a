/** `/healthz` says that the process runs, without touching anything else; `/readyz` says whether it can answer requests. */
import { ageOfDay, dataAsOf, dayOfMs } from '@whence/dataset/internal/data-age';
import { flagKnowledge } from '@whence/dataset/internal/flag-sources';
import type { FastifyRequest } from 'fastify';
import type { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import { envelope } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import type { KnownKeys } from '../keys/known-keys.ts';
import { MAX_ROUND_TRIP_MS, type StorageState } from '../keys/vouching.ts';
import type { LiveDataset, ServedDataset } from '../lookup/live-dataset.ts';
import type { Storage } from '../storage/storage.ts';
import type { WriteProbe } from '../storage/write-probe.ts';
import { datasetState } from '../versions/dataset-report.ts';
import { stateOf, type UpdateReport } from '../versions/update-report.ts';

export type HealthDependencies = {
  readonly storage: Pick<Storage, 'engine' | 'isStatisticsAway'>;
  readonly live: LiveDataset;
  readonly keys: KnownKeys;
  readonly writes: WriteProbe;
  readonly lastUpdate: () => UpdateReport | undefined;
  /** The server was told to stop, and still answers. */
  readonly isStopping: () => boolean;
  /** By how much the clock is wrong; 0 if it may be used. */
  readonly clock: { readonly differenceMs: number };
  readonly rules: FileState | undefined;
  readonly overrides: FileState;
  readonly checksums: () => Checksums;
  readonly databases: Pick<LiveGeoipFiles, 'lists'>;
  readonly nowMs: () => number;
};

/** `isUnavailable`: the file is refused, and none before it was used. */
type FileState = { readonly refusal: string | undefined; readonly isUnavailable: boolean };

/** By which replicas are compared; empty for what is not there. */
export type Checksums = Readonly<Record<'rules' | 'overrides' | 'settings', string>>;

export const ALIVE = { status: 'ok' };
export const healthz = (request: FastifyRequest) => envelope(request, ALIVE);

export function readyz(dependencies: HealthDependencies) {
  const ready = readiness(dependencies);
  return async (request: FastifyRequest) => envelope(request, ready(await dependencies.keys.checkStorage()));
}

/** Whether the server can answer requests, for `/readyz` and the gauge `whence_ready`. */
export function isReady(
  { live, isStopping, rules, overrides }: Pick<HealthDependencies, 'live' | 'isStopping' | 'rules' | 'overrides'>,
  storage: StorageState | 'read-only',
): boolean {
  // Such a process must not take the place of one that has them.
  const isUndecided = rules?.isUnavailable === true || overrides.isUnavailable;
  return live.current !== undefined && storage !== 'unavailable' && !isUndecided && !isStopping();
}

/** What `/readyz` says while storage is in a state. Throws an ApiError if the server cannot answer requests. */
export function readiness(dependencies: HealthDependencies): (answering: StorageState) => object {
  const { storage, live, keys, writes, lastUpdate, isStopping, clock, rules, overrides, checksums, databases, nowMs } =
    dependencies;
  let known: { readonly served: ServedDataset; readonly second: number; readonly about: object } | undefined;
  /** The same for a second: it takes as long as the rest of an answer. */
  const aboutData = (served: ServedDataset, now: number): object => {
    const second = Math.floor(now / 1000);
    if (known?.served !== served || known.second !== second) {
      const { unknown, dated } = flagKnowledge(served.dataset.meta, dayOfMs(now));
      known = { served, second, about: { ...dataAge(served, now), unknown_flags: unknown, dated_flags: dated } };
    }
    return known.about;
  };
  return (answering) => {
    const served = live.current;
    const now = nowMs();
    const update = lastUpdate();
    const heldLists = databases.lists?.lists.filter(({ heldFrom }) => heldFrom !== undefined) ?? [];
    const checks = {
      dataset: datasetState(live, now),
      storage: storageCheck(answering, writes),
      // On SQLite it says nothing: the file is on this machine.
      ...(storage.engine === 'PostgreSQL' && roundTripCheck(keys)),
      ...(storage.isStatisticsAway() !== undefined && {
        statistics: storage.isStatisticsAway() === true ? 'unavailable' : 'ok',
      }),
      ...(rules && { rules: rules.refusal === undefined ? 'ok' : 'refused' }),
      ...(overrides.refusal !== undefined && { overrides: 'refused' }),
      ...(heldLists.length > 0 && { lists: 'held' }),
      ...(clock.differenceMs !== 0 && { clock: 'wrong' }),
      // A failed update is no reason to send requests elsewhere: the previous version is still served.
      ...(update && { update: stateOf(update, served?.builtAtMs ?? 0, now) }),
      ...(isStopping() && { shutdown: 'stopping' }),
    };
    if (served === undefined || !isReady(dependencies, checks.storage))
      throw new ApiError('NOT_READY', { extra: { checks, checksums: checksums() } });
    return {
      status: 'ready',
      checks,
      checksums: checksums(),
      dataset_version: served.version,
      dataset_age_seconds: served.ageSeconds(now),
      ...aboutData(served, now),
      ...(heldLists.length > 0 && { held_lists: heldLists.map(({ name }) => name) }),
      ...(update && { update: publicReport(update) }),
    };
  };
}

/** The age of the data, which may be far above that of the build. */
function dataAge({ dataset: { meta } }: ServedDataset, nowMs: number) {
  const data_as_of = dataAsOf(meta);
  const data_age_seconds = ageOfDay(data_as_of, nowMs);
  return data_as_of === undefined || data_age_seconds === undefined ? {} : { data_as_of, data_age_seconds };
}

/** Without error messages, which may contain paths and addresses: `/readyz` needs no key. */
function publicReport(report: UpdateReport) {
  const { outcome, started_at, finished_at, succeeded_at, refused = [], refused_format } = report;
  return {
    outcome,
    started_at,
    ...(finished_at && { finished_at }),
    ...(succeeded_at && { succeeded_at }),
    feeds_refused: refused.map(({ id }) => id),
    ...(refused_format !== undefined && { refused_format }),
  };
}

/**
 * Storage that can be read but not written (a full disk), or that does not answer during the grace period, does not make
 * the server unready: keys without a limit work, and the others can spend their leases. Taking the server out of service
 * would end that too, and all replicas that share the database would go at the same time.
 */
function storageCheck(state: StorageState, writes: WriteProbe): StorageState | 'read-only' {
  return state === 'ok' && writes.isFailing() ? 'read-only' : state;
}

/** `slow`: nothing fails, but requests wait for the database in turn. */
function roundTripCheck({ storageRoundTripMs: ms }: KnownKeys): { storage_round_trip?: 'ok' | 'slow' } {
  return ms === undefined ? {} : { storage_round_trip: ms > MAX_ROUND_TRIP_MS ? 'slow' : 'ok' };
}
