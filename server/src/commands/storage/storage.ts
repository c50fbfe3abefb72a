/**
 * `wh storage check|migrate`: examines the storage, or copies keys, counts and accounts between
 * SQLite and PostgreSQL.
 */
import { resolve } from 'node:path';
import { makeFolder } from '@whence/dataset/io/files';
import { MAX_ROUND_TRIP_MS } from '../../keys/vouching.ts';
import type { Config } from '../../settings/config.ts';
import { parseDatabaseUrl } from '../../settings/parsers.ts';
import {
  CopyMismatch,
  type CopyProgress,
  copyStorage,
  foreignKeys,
  processesUsing,
} from '../../storage/copy-storage.ts';
import type { Engine } from '../../storage/engine.ts';
import { countRows, type Examination, examineStorage } from '../../storage/examine-storage.ts';
import { isPostgresUrl, openEngine } from '../../storage/open-storage.ts';
import { describeReplication } from '../../storage/postgres/replication.ts';
import { TABLE_NAMES } from '../../storage/tables.ts';
import { CommandError, type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import type { CommandStreams } from '../../terminal/output.ts';
import { ProgressBar } from '../../terminal/progress-bar.ts';
import { withDataDirErrors } from '../../terminal/setting-errors.ts';
import { hanging, type Paint, print, type Style, type Terminal } from '../../terminal/style.ts';
import { countIn, countOf, formatCount, formatTable } from '../../terminal/table.ts';

/** The exit code is 1 if there is a problem. */
export async function storageCheck(
  { storageLocation }: Pick<Config, 'storageLocation'>,
  options: { json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  return withEngine(storageLocation, { mustExist: true }, async (engine) => {
    const examination = await examineStorage(engine, () => Date.now());
    print(terminal, options, examination, (style) => asText(examination, style));
    return examination.problems.length === 0 ? 0 : 1;
  });
}

function asText(examination: Examination, style: Style): string {
  const rows = Object.entries(examination.rows).map(([table, count]) => [
    table,
    `${examination.estimated.includes(table) ? 'about ' : ''}${formatCount(count)}`,
  ]);
  const lines = [
    `${examination.engine}: ${examination.place}`,
    `response time ${examination.answer_ms.toFixed(2)} ms; clock difference ${examination.clock_difference_ms} ms`,
    `used by ${examination.processes.length === 0 ? 'no process' : examination.processes.join('; ')}`,
    ...(examination.replication === undefined
      ? []
      : [`replication: ${describeReplication(examination.replication)}`]),
    ...(isSlow(examination)
      ? [`a round trip of more than ${MAX_ROUND_TRIP_MS} ms: requests wait for the database`]
      : []),
    ...(examination.newer_steps.length === 0
      ? []
      : [`schema steps of a newer version: ${examination.newer_steps.join(', ')}`]),
    ...(examination.expired_leases === 0
      ? []
      : [
          `${countIn(style, examination.expired_leases, 'expired lease')} of dead processes, to be returned`,
        ]),
  ];
  const line = (text: string, paint?: Paint) => hanging('', 2, text, style, paint);
  return (
    formatTable(rows, style, { head: ['table', 'rows'] }) +
    lines.map((text) => line(text)).join('') +
    (examination.problems.length === 0
      ? line('no problems', style.green)
      : examination.problems.map((problem) => line(`problem: ${problem}`, style.red)).join(''))
  );
}

function isSlow({ replication, answer_ms }: Examination): boolean {
  return replication !== undefined && answer_ms > MAX_ROUND_TRIP_MS;
}

/** Copies the configured storage, which is not changed. Servers of both must be stopped. */
export async function storageMigrate(
  { storageLocation }: Pick<Config, 'storageLocation'>,
  options: { to: string; replace?: boolean; json?: boolean },
  streams: CommandStreams,
): Promise<ExitCode> {
  const { to, replace } = options;
  const target = parseTarget(to);
  if (isSame(storageLocation, target))
    throw new UsageError('--to is the storage that the settings already use: name another one');
  return withEngine(storageLocation, { mustExist: true, isBulk: true }, async (from) =>
    withEngine(target, { mustExist: false, isBulk: true }, async (into) => {
      await refuseIfUsed(from, into);
      const foreign = replace === true ? [] : await foreignKeys(from, into);
      if (foreign.length > 0)
        throw new NegativeAnswer(
          `${into.place} has ${countOf(foreign.length, 'key')} that ${from.place} does not have; --replace removes ${foreign.length === 1 ? 'it' : 'them'}`,
        );
      const bar = new ProgressBar(streams.stderr);
      const copied = await copyStorage(from, into, await shownOn(bar, from))
        .catch((error) => {
          throw error instanceof CopyMismatch
            ? new CommandError(
                `the copy differs from its source: ${error.message}. Stop all servers and run it again`,
              )
            : error;
        })
        .finally(() => bar.finish());
      return print(streams, options, { from: from.place, to: into.place, copied }, (style) => {
        const rows = copied.map(({ table, rows: count }) => [table, formatCount(count)]);
        const outcome = `${from.place} was copied to ${into.place}, and the copy was verified. ${nextStep(target)}`;
        return (
          formatTable(rows, style, { head: ['table', 'rows'] }) + hanging('', 2, outcome, style)
        );
      });
    }),
  );
}

/** Every row is copied, then compared. */
async function shownOn(bar: ProgressBar, source: Engine): Promise<CopyProgress> {
  const totals = new Map<string, number>();
  for (const table of TABLE_NAMES) totals.set(table, (await countRows(source, table)).count);
  const done = { copying: new Map<string, number>(), comparing: new Map<string, number>() };
  const sum = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((a, b) => a + b, 0);
  return (step, table, rows) => {
    done[step].set(table, rows);
    const total = totals.get(table) ?? 0;
    const text = `${step} ${table}${total > 0 ? ` (${countOf(total, 'row')})` : ''}`;
    bar.show(text, (sum(done.copying) + sum(done.comparing)) / Math.max(1, 2 * sum(totals)));
  };
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

/** Opens the database of a storage while `work` runs. */
async function withEngine(
  location: string,
  options: { mustExist: boolean; isBulk?: boolean },
  work: (engine: Engine) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withDataDirErrors(
    location,
    async () => {
      if (!options.mustExist && !isPostgresUrl(location)) makeFolder(location, 0o700);
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
