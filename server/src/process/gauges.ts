/** The state of a process, as gauges of `/metrics`. */
import { ageOfDay, dataAsOf } from '@whence/dataset/data-age';
import { FLAG_SUBJECTS } from '@whence/dataset/record';
import type { RpkiFile } from '../address/routing/rpki-file.ts';
import type { Alerts } from '../alerts/alerts.ts';
import { type HealthDependencies, isReady } from '../api/health.ts';
import type { EmailChecks } from '../email-checks/email-checks.ts';
import type { ReportMailbox } from '../email-reports/mailbox/report-mailbox.ts';
import type { Senders } from '../email-reports/senders.ts';
import type { WrittenList } from '../geoip-files/file-index.ts';
import type { LiveGeoipFiles } from '../geoip-files/live-geoip-files.ts';
import type { AcceptWait } from '../http/server/accept-wait.ts';
import type { ReadMode } from '../http/server/paced-connections.ts';
import type { KnownKeys } from '../keys/known-keys.ts';
import { queueGauges } from '../limits/cost-classes.ts';
import type { Overload } from '../limits/overload.ts';
import type { Quota } from '../quota/quota.ts';
import { isOfflineByDesign, stateOf, type UpdateReport } from '../versions/update-report.ts';
import type { WatchChecks } from '../watch/watch-checks.ts';
import type { ReplicaVersions } from './process-reports.ts';

type GaugeSources = Omit<HealthDependencies, 'nowMs' | 'databases'> & {
  readonly keys: Pick<KnownKeys, 'storageState' | 'storageAgeSeconds'>;
  readonly databases: Pick<LiveGeoipFiles, 'lists'>;
  readonly quota: Quota;
  readonly emailChecks: EmailChecks;
  readonly watchChecks: Pick<WatchChecks, 'gauges'>;
  readonly senders: Pick<Senders, 'running' | 'waiting'>;
  readonly eventAlerts: Pick<Alerts, 'failingChannels'>;
  readonly reportMailbox: Pick<ReportMailbox, 'gauges' | 'isFailing'> | undefined;
  readonly acceptWait: Pick<AcceptWait, 'seconds'>;
  readonly overload: Overload;
  readonly replicas: ReplicaVersions;
  readonly readMode: ReadMode;
  readonly rpki: RpkiFile | undefined;
};

export function gaugesOf(sources: GaugeSources, nowMs: number): Record<string, number> {
  const { live, keys, writes, quota, emailChecks, overload, replicas, lastUpdate, readMode, rpki } =
    sources;
  const { current } = live;
  const isReachable = keys.storageState === 'ok';
  return {
    whence_ready: isReady(sources, keys.storageState) ? 1 : 0,
    whence_dataset_version: current?.version ?? 0,
    whence_dataset_age_seconds: current?.ageSeconds(nowMs) ?? 0,
    ...dataAgeGauges(current, nowMs),
    whence_dataset_fallback: live.isFallback ? 1 : 0,
    whence_storage_read_only: isReachable && writes.isFailing() ? 1 : 0,
    whence_storage_degraded: isReachable ? 0 : 1,
    whence_storage_last_answer_age_seconds: Math.round(keys.storageAgeSeconds * 1000) / 1000,
    whence_storage_round_trip_seconds:
      Math.round((keys.storageRoundTripMs ?? 0) * 1000) / 1_000_000,
    whence_clock_difference_seconds: Math.round(sources.clock.differenceMs / 1000),
    whence_leased_requests: quota.unspent,
    whence_email_checks: emailChecks.inFlight,
    whence_alert_channels_failing: sources.eventAlerts.failingChannels,
    whence_judgements_running: sources.senders.running,
    whence_judgements_waiting: sources.senders.waiting,
    whence_event_loop_lag_seconds: overload.lagSeconds,
    ...acceptGauges(sources.acceptWait),
    whence_resident_memory_bytes: process.memoryUsage.rss(),
    whence_read_fallback: readMode === 'shared-buffer' ? 0 : 1,
    whence_workers: 1,
    ...(sources.rules && { whence_rules_refused: sources.rules.refusal === undefined ? 0 : 1 }),
    whence_overrides_refused: sources.overrides.refusal === undefined ? 0 : 1,
    whence_location_database_refused: sources.locations.refusal === undefined ? 0 : 1,
    ...checksumGauges(sources.checksums()),
    ...heldGauges(sources.databases.lists?.lists),
    ...(rpki?.ageSeconds !== undefined && { whence_rpki_age_seconds: rpki.ageSeconds }),
    ...sources.watchChecks.gauges(),
    ...sources.reportMailbox?.gauges(),
    ...queueGauges(),
    ...replicas.gauges(),
    ...updateGauges(lastUpdate(), current?.builtAtMs ?? 0, nowMs),
  };
}

/** Absent where it cannot be measured: 0 would look as if connections were accepted at once. */
const acceptGauges = ({ seconds }: Pick<AcceptWait, 'seconds'>) =>
  seconds === undefined ? {} : { whence_accept_wait_seconds: Math.round(seconds * 1000) / 1000 };

const checksumGauges = (all: object) =>
  Object.fromEntries(
    Object.entries(all).map(([of, text]) => [`whence_checksum{of="${of}"}`, Number(`0x0${text}`)]),
  );

const heldGauges = (lists: readonly WrittenList[] = []) =>
  Object.fromEntries(
    lists.map(({ name, heldFrom }) => [
      `whence_list_held{list="${name}"}`,
      heldFrom === undefined ? 0 : 1,
    ]),
  );

/** Absent without a date: an age of 0 would look fresh. */
function dataAgeGauges(
  current: HealthDependencies['live']['current'],
  nowMs: number,
): Record<string, number> {
  if (current === undefined) return {};
  const { meta } = current.dataset;
  const days: [name: string, day: string | undefined][] = [
    ['whence_dataset_data_age_seconds', dataAsOf(meta)],
    ...FLAG_SUBJECTS.map((flag): [string, string | undefined] => [
      `whence_dataset_flag_age_seconds{flag="${flag}"}`,
      meta.flag_sources[flag].as_of,
    ]),
  ];
  return Object.fromEntries(
    days.flatMap(([name, day]) => {
      const age = ageOfDay(day, nowMs);
      return age === undefined ? [] : [[name, age]];
    }),
  );
}

function updateGauges(
  update: UpdateReport | undefined,
  builtAtMs: number,
  nowMs: number,
): Record<string, number> {
  if (update === undefined || isOfflineByDesign(update)) return {};
  const { succeeded_at, refused = [], refused_format = 0 } = update;
  const state = stateOf(update, builtAtMs, nowMs);
  return {
    whence_update_running: state === 'running' ? 1 : 0,
    whence_update_failed: state === 'failing' ? 1 : 0,
    whence_update_last_success_timestamp_seconds: Date.parse(succeeded_at ?? '') / 1000 || 0,
    whence_update_feeds_refused: refused.length,
    whence_update_refused_format: refused_format,
  };
}
