/** `whence storage migrate|check`: moves keys, counts and accounts between SQLite and PostgreSQL; looks at them. */
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { parseDatabaseUrl } from '../config.ts';
import { CopyMismatch, copyStorage, foreignKeys, processesUsing } from '../storage/copy-storage.ts';
import type { Engine } from '../storage/engine.ts';
import { type Examination, examineStorage } from '../storage/examine-storage.ts';
import { isPostgresUrl, openEngine } from '../storage/open-storage.ts';
import { withDataDirErrors } from '../terminal/data-dir-errors.ts';
import { CommandError, type ExitCode, UsageError } from '../terminal/exit.ts';
import type { Output } from '../terminal/output.ts';
import { formatCount, formatTable } from '../terminal/table.ts';

type Options = { json?: boolean };
type Place = Pick<Config, 'storageLocation'>;

/** Copies the storage that the settings name. Servers of both must be stopped; the source stays as it is. */
export async function storageMigrate(
  { storageLocation }: Place,
  { to, replace, json }: Options & { to: string; replace?: boolean },
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

/** 1 if something is wrong. */
export async function storageCheck({ storageLocation }: Place, { json }: Options, stdout: Output): Promise<ExitCode> {
  return withEngine(storageLocation, { mustExist: true }, async (engine) => {
    const found = await examineStorage(engine, () => Date.now());
    stdout.write(json === true ? `${JSON.stringify(asJson(found))}\n` : asText(found));
    return found.problems.length === 0 ? 0 : 1;
  });
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

function asJson({ newerSteps, answerMs, clockDifferenceMs, expiredLeases, ...rest }: Examination) {
  return {
    ...rest,
    newer_steps: newerSteps,
    answer_ms: Math.round(answerMs * 1000) / 1000,
    clock_difference_ms: Math.round(clockDifferenceMs),
    expired_leases: expiredLeases,
  };
}

function asText(found: Examination): string {
  const rows = Object.entries(found.rows).map(([table, count]) => [table, formatCount(count)]);
  const lines = [
    `${found.engine}: ${found.place}`,
    `answers in ${found.answerMs.toFixed(2)} ms; its clock differs by ${Math.round(found.clockDifferenceMs)} ms`,
    `used by ${found.processes.length === 0 ? 'no process' : found.processes.join('; ')}`,
    ...(found.newerSteps.length === 0
      ? []
      : [`its schema has steps of a newer version: ${found.newerSteps.join(', ')}`]),
    ...(found.expiredLeases === 0
      ? []
      : [`${formatCount(found.expiredLeases)} leases of dead processes to be returned`]),
    ...(found.problems.length === 0 ? ['no problems'] : found.problems.map((problem) => `problem: ${problem}`)),
  ];
  return `${formatTable([['table', 'rows'], ...rows])}${lines.join('\n')}\n`;
}

async function withEngine(
  location: string,
  options: { mustExist: boolean },
  work: (engine: Engine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      if (!options.mustExist && !isPostgresUrl(location)) mkdirSync(location, { recursive: true, mode: 0o700 });
      const engine = await openEngine(location, options);
      try {
        return await work(engine);
      } finally {
        await engine.db.destroy();
      }
    },
    'keys',
  );
}
