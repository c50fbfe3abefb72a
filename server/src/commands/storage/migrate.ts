/** `whence storage migrate`: copies keys, counts and accounts between SQLite and PostgreSQL. */
import { resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { parseDatabaseUrl } from '../../settings/parsers.ts';
import { CopyMismatch, copyStorage, foreignKeys, processesUsing } from '../../storage/copy-storage.ts';
import type { Engine } from '../../storage/engine.ts';
import { isPostgresUrl } from '../../storage/open-storage.ts';
import { CommandError, type ExitCode, UsageError } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { formatCount, formatTable } from '../../terminal/table.ts';
import { withEngine } from './with-engine.ts';

/** Copies the storage that the settings name. Servers of both must be stopped; the source stays as it is. */
export async function storageMigrate(
  { storageLocation }: Pick<Config, 'storageLocation'>,
  { to, replace, json }: { to: string; replace?: boolean; json?: boolean },
  stdout: Output,
): Promise<ExitCode> {
  const target = parseTarget(to);
  if (isSame(storageLocation, target)) throw new UsageError('--to names the storage that the settings name');
  return withEngine(storageLocation, { mustExist: true }, async (from) =>
    withEngine(target, { mustExist: false }, async (into) => {
      await refuseIfUsed(from, into);
      const foreign = replace === true ? [] : await foreignKeys(from, into);
      if (foreign.length > 0)
        throw new CommandError(
          `${into.place} has ${foreign.length} keys that ${from.place} does not have; --replace removes them`,
        );
      const copied = await copyStorage(from, into).catch((error) => {
        throw error instanceof CopyMismatch
          ? new CommandError(`the copy differs from its source: ${error.message}. Stop all servers and run it again`)
          : error;
      });
      if (json === true) stdout.write(`${JSON.stringify({ from: from.place, to: into.place, copied })}\n`);
      else {
        stdout.write(formatTable([['table', 'rows'], ...copied.map(({ table, rows }) => [table, formatCount(rows)])]));
        stdout.write(`${from.place} is copied to ${into.place}, and the copy was compared. ${nextStep(target)}\n`);
      }
      return 0;
    }),
  );
}

function parseTarget(to: string): string {
  if (!to.includes('://')) return to;
  try {
    return parseDatabaseUrl(to) ?? '';
  } catch (error) {
    throw new UsageError(`--to must be a data directory or ${(error as Error).message}`);
  }
}

function isSame(a: string, b: string): boolean {
  if (isPostgresUrl(a) !== isPostgresUrl(b)) return false;
  return isPostgresUrl(a) ? a === b : resolve(a) === resolve(b);
}

async function refuseIfUsed(...engines: Engine[]): Promise<void> {
  for (const engine of engines) {
    const [first, ...others] = await processesUsing(engine);
    if (first === undefined) continue;
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    throw new CommandError(
      `${engine.place} is in use by ${first}${more}: stop the servers first, or wait 30 s after they were killed`,
    );
  }
}

function nextStep(target: string): string {
  return isPostgresUrl(target)
    ? 'Start the servers with WHENCE_DATABASE_URL.'
    : `Start the server without WHENCE_DATABASE_URL and with WHENCE_DATA_DIR=${resolve(target)}.`;
}
