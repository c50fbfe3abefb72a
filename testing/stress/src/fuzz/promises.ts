/** What a fuzz run promises, checked against its results. */
import { formatCount } from '@whence/testing/console-report';
import type { PromiseRow } from '../promise-table.ts';
import { type HttpResult, MAX_STALL_MS } from './http/run.ts';
import type { LibraryResult } from './libraries/runs.ts';

/** Growth of the server between the first tenth of the cases and the end. */
const MAX_MEMORY_GROWTH = 0.5;
/** A process that only parses small inputs. */
const MAX_LIBRARY_BYTES = 500e6;

export function checkFuzzPromises(
  http: HttpResult | undefined,
  libraries: ReadonlyMap<string, LibraryResult>,
): PromiseRow[] {
  return [
    ...[...libraries].flatMap(([domain, result]) => judgeLibrary(domain, result)),
    ...(http ? judgeServer(http) : []),
  ];
}

function judgeLibrary(
  domain: string,
  { cases, failed, crashes, slowestMs, peakBytes, endBytes }: LibraryResult,
): PromiseRow[] {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  return [
    {
      promise: `${domain}: no crash, no foreign error, no wrong result`,
      seen: `${formatCount(cases)} cases, ${formatCount(failed)} failed, ${crashes} crashes`,
      isKept: failed === 0 && crashes === 0,
    },
    {
      promise: `${domain}: no call over ${MAX_STALL_MS} ms, memory bounded`,
      seen: `slowest ${slowestMs.toFixed(0)} ms; peak ${megabytes(peakBytes)}, ${megabytes(endBytes)} at the end`,
      isKept: slowestMs <= MAX_STALL_MS && endBytes <= MAX_LIBRARY_BYTES,
    },
  ];
}

function judgeServer({
  cases,
  answers,
  failed,
  lost,
  crashes,
  worstLagMs,
  stalls,
  confirmedStalls,
  scrapes,
  memory,
  errorsInLog,
}: HttpResult): PromiseRow[] {
  const growth = memory.end / memory.early - 1;
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  const [stall] = confirmedStalls;
  const again =
    stall === undefined
      ? 'none when repeated'
      : `again with --first ${stall.first} --count ${stall.count}`;
  const errors = [...errorsInLog].map(([message, count]) => `${message} × ${count}`).join(', ');
  return [
    {
      promise: 'http: every answer is in the envelope, with a status of the contract',
      seen: `${formatCount(cases)} cases, ${formatCount(answers)} answers, ${formatCount(failed)} failed, ${lost} reset while sending`,
      isKept: failed === 0,
    },
    { promise: 'http: the server does not end', seen: `${crashes} times`, isKept: crashes === 0 },
    {
      promise: 'http: nothing in the log of level error',
      seen: errors || 'nothing',
      isKept: errors === '',
    },
    {
      promise: `http: the event loop is never more than ${MAX_STALL_MS} ms late`,
      seen: `${worstLagMs.toFixed(0)} ms at most in ${scrapes} scrapes; ${stalls} stalls, ${again}`,
      isKept: confirmedStalls.length === 0,
    },
    {
      promise: `http: memory grows by at most ${100 * MAX_MEMORY_GROWTH}% after the first tenth`,
      seen: `${megabytes(memory.early)} MB to ${megabytes(memory.end)} MB; peak ${megabytes(memory.peak)} MB`,
      isKept: growth <= MAX_MEMORY_GROWTH,
    },
  ];
}
