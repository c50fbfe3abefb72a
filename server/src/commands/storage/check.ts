/** `whence storage check`: what is in the storage, how fast it answers and what is wrong with it. */
import type { Config } from '../../config.ts';
import { type Examination, examineStorage } from '../../storage/examine-storage.ts';
import type { ExitCode } from '../../terminal/exit.ts';
import type { Output } from '../../terminal/output.ts';
import { formatCount, formatTable } from '../../terminal/table.ts';
import { withEngine } from './with-engine.ts';

/** 1 if something is wrong. */
export async function storageCheck(
  { storageLocation }: Pick<Config, 'storageLocation'>,
  { json }: { json?: boolean },
  stdout: Output,
): Promise<ExitCode> {
  return withEngine(storageLocation, { mustExist: true }, async (engine) => {
    const found = await examineStorage(engine, () => Date.now());
    stdout.write(json === true ? `${JSON.stringify(asJson(found))}\n` : asText(found));
    return found.problems.length === 0 ? 0 : 1;
  });
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
