/**
 * Making another published version the current one: going back after a bad build, or forward again.
 */
import {
  readManifest,
  useVersion,
  type VersionEntry,
  verifyInThread,
} from '@whence/dataset/versions';
import type { Actor, AuditLog } from '../audit/audit-log.ts';

/**
 * Throws a DatasetError for a missing or damaged file, verified on a thread. Processes follow in
 * half a second.
 */
export async function switchVersion(
  dataDir: string,
  entry: VersionEntry,
  audit: Pick<AuditLog, 'record'>,
  actor: Actor,
  now: Date,
): Promise<void> {
  const from = readManifest(dataDir)?.current;
  await verifyInThread(dataDir, entry);
  useVersion(dataDir, entry.version, { isVerified: true });
  await recordVersionChange({ from, to: entry.version }, audit, actor, now);
}

/** Also for a version that a build, an update or a pull has made the current one. */
export function recordVersionChange(
  { from, to }: { from: number | undefined; to: number },
  audit: Pick<AuditLog, 'record'>,
  actor: Actor,
  now: Date,
): Promise<void> {
  const details = from === undefined ? undefined : { from: String(from) };
  return audit.record(
    actor,
    'dataset.version_used',
    { kind: 'dataset', name: String(to) },
    now,
    details,
  );
}
