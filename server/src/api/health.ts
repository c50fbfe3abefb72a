/**
 * `/healthz` says that the process runs, without touching anything else; `/readyz` says whether it
 * can answer requests.
 */
import { ageOfDay, dataAsOf, flagKnowledge } from '@whence/dataset/data-age';
import type { Meta } from '@whence/dataset/record';
import type { FastifyRequest } from 'fastify';
import { dayOfMs } from '../day.ts';
import { envelope } from '../http/envelope.ts';
import { ApiError } from '../http/errors.ts';
import { MAX_ROUND_TRIP_MS, type StorageState } from '../keys/vouching.ts';
import { datasetState } from '../versions/dataset-report.ts';
import { stateOf, type UpdateReport } from '../versions/update-report.ts';

export type HealthDependencies = {
  readonly storage: { readonly engine: string };
  readonly live: { readonly current: ServedVersion | undefined; readonly isFallback: boolean };
  readonly keys: RoundTrip & { checkStorage(): StorageState | Promise<StorageState> };
  readonly writes: Writes;
  readonly lastUpdate: () => UpdateReport | undefined;
  /** The server was told to stop, and still answers. */
  readonly isStopping: () => boolean;
  /** By how much the clock is wrong; 0 if it may be used. */
  readonly clock: { readonly differenceMs: number };
  readonly rules: FileState | undefined;
  readonly overrides: FileState;
  readonly locations: Pick<FileState, 'refusal'>;
  readonly checksums: () => Checksums;
  /** Lists that the rules name; undefined while none is written. */
  readonly databases: { readonly lists: { readonly lists: readonly ListState[] } | undefined };
  /** Undefined where no mailbox of reports is set. */
  readonly reportMailbox: { readonly isFailing: boolean } | undefined;
  readonly nowMs: () => number;
};

type ServedVersion = {
  readonly version: number;
  readonly builtAtMs: number;
  readonly dataset: { readonly meta: Meta };
  ageSeconds(nowMs: number): number;
};

type Writes = { isFailing(): boolean };
/** Milliseconds; undefined until one was measured. */
type RoundTrip = { readonly storageRoundTripMs: number | undefined };
type ListState = { readonly name: string; readonly heldFrom?: number | undefined };

/** `isUnavailable`: the file is refused, and none before it was used. */
type FileState = { readonly refusal: string | undefined; readonly isUnavailable: boolean };

/** By which replicas are compared; empty for what is not there. */
export type Checksums = Readonly<Record<'rules' | 'overrides' | 'settings', string>>;

export const healthz = (request: FastifyRequest) => envelope(request, { status: 'ok' });

export function readyz(dependencies: HealthDependencies) {
  return async (request: FastifyRequest) =>
    envelope(request, readiness(dependencies, await dependencies.keys.checkStorage()));
}

/** Whether the server can answer requests, for `/readyz` and the gauge `whence_ready`. */
export function isReady(
  {
    live,
    isStopping,
    rules,
    overrides,
  }: Pick<HealthDependencies, 'live' | 'isStopping' | 'rules' | 'overrides'>,
  storage: StorageState | 'read-only',
): boolean {
  // Such a process must not take the place of one that has them.
  const isUndecided = rules?.isUnavailable === true || overrides.isUnavailable;
  return live.current !== undefined && storage !== 'unavailable' && !isUndecided && !isStopping();
}

/**
 * What `/readyz` says while storage is in a state. Throws an ApiError if the server cannot answer
 * requests.
 */
function readiness(dependencies: HealthDependencies, answering: StorageState): object {
  const {
    storage,
    live,
    keys,
    writes,
    lastUpdate,
    isStopping,
    clock,
    rules,
    overrides,
    locations,
    checksums,
    databases,
    reportMailbox,
    nowMs,
  } = dependencies;
  const served = live.current;
  const now = nowMs();
  const update = lastUpdate();
  const heldLists = databases.lists?.lists.filter(({ heldFrom }) => heldFrom !== undefined) ?? [];
  const checks = {
    dataset: datasetState(live, now),
    storage: storageCheck(answering, writes),
    // On SQLite it says nothing: the file is on this machine.
    ...(storage.engine === 'PostgreSQL' && roundTripCheck(keys)),
    ...(rules && { rules: rules.refusal === undefined ? 'ok' : 'refused' }),
    ...(overrides.refusal !== undefined && { overrides: 'refused' }),
    // Answers without a city are better than none, so the server stays ready.
    ...(locations.refusal !== undefined && { locations: 'refused' }),
    ...(heldLists.length > 0 && { lists: 'held' }),
    ...(clock.differenceMs !== 0 && { clock: 'wrong' }),
    // A failed update is no reason to send requests elsewhere: the previous version is still
    // served.
    ...(update && { update: stateOf(update, served?.builtAtMs ?? 0, now) }),
    // Lookups and checks do not need it.
    ...(reportMailbox && { report_mailbox: reportMailbox.isFailing ? 'failing' : 'ok' }),
    ...(isStopping() && { shutdown: 'stopping' }),
  };
  if (served === undefined || !isReady(dependencies, checks.storage))
    throw new ApiError('NOT_READY', { extra: { checks, checksums: checksums() } });
  const { unknown, dated } = flagKnowledge(served.dataset.meta, dayOfMs(now));
  return {
    status: 'ready',
    checks,
    checksums: checksums(),
    dataset_version: served.version,
    dataset_age_seconds: served.ageSeconds(now),
    ...dataAge(served, now),
    unknown_flags: unknown,
    dated_flags: dated,
    ...(heldLists.length > 0 && { held_lists: heldLists.map(({ name }) => name) }),
    ...(update && { update: publicReport(update) }),
  };
}

/** The age of the data, which may be far above that of the build. */
function dataAge({ dataset: { meta } }: ServedVersion, nowMs: number) {
  const data_as_of = dataAsOf(meta);
  const data_age_seconds = ageOfDay(data_as_of, nowMs);
  return data_as_of === undefined || data_age_seconds === undefined
    ? {}
    : { data_as_of, data_age_seconds };
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
 * Storage that can be read but not written (a full disk), or that does not answer during the grace
 * period, does not make the server unready: keys without a limit work, and the others can spend
 * their leases. Taking the server out of service would end that too, and all replicas that share
 * the database would go at the same time.
 */
function storageCheck(state: StorageState, writes: Writes): StorageState | 'read-only' {
  return state === 'ok' && writes.isFailing() ? 'read-only' : state;
}

/** `slow`: nothing fails, but requests wait for the database in turn. */
function roundTripCheck({ storageRoundTripMs: ms }: RoundTrip): {
  storage_round_trip?: 'ok' | 'slow';
} {
  return ms === undefined ? {} : { storage_round_trip: ms > MAX_ROUND_TRIP_MS ? 'slow' : 'ok' };
}
