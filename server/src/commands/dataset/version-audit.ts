// The audit log for dataset commands. While the database is down they work, and print that nothing
// was recorded.
import { readManifest } from '@whence/dataset/versions';
import { AuditLog } from '../../audit/audit-log.ts';
import type { Config } from '../../settings/config.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { NoDatabase } from '../../storage/storage-unavailable.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { recordVersionChange } from '../../versions/switch-version.ts';
import { operator } from '../operator.ts';

type Place = Pick<Config, 'dataDir' | 'storageLocation'>;

export function commandAudit({ storageLocation }: Place, stderr: Output): Pick<AuditLog, 'record'> {
  return {
    async record(...entry) {
      try {
        const storage = await openStorage(storageLocation, { mustExist: true });
        try {
          await new AuditLog(storage.audit).record(...entry);
        } finally {
          await storage.close();
        }
      } catch (error) {
        // A machine that only builds datasets has no database, and no audit log.
        if (error instanceof NoDatabase) return;
        stderr.write(`warning: the change is not in the audit log: ${(error as Error).message}\n`);
      }
    },
  };
}

/**
 * Runs a command that may publish a version, and records which version it has made the current one.
 */
export async function recordingVersion(
  place: Place,
  stderr: Output,
  work: () => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const current = () =>
    withDataDirErrors(place.dataDir, () => readManifest(place.dataDir)?.current);
  const from = current();
  const exitCode = await work();
  const to = current();
  if (to !== undefined && to !== from) {
    await recordVersionChange({ from, to }, commandAudit(place, stderr), operator(), new Date());
  }
  return exitCode;
}
