/**
 * Runs the cases of a domain in child processes. If one ends or does not come back, the case is
 * found by running the last stretch again, one report per case, and the rest goes on in a new
 * process.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { caseRandom } from '../case-random.ts';
import type { FuzzFailure } from '../fuzz-failure.ts';
import { LIBRARY_DOMAINS } from './domains.ts';
import type { LibraryReport, LibraryTask } from './protocol.ts';

export type LibraryResult = {
  readonly cases: number;
  readonly failed: number;
  readonly failures: readonly FuzzFailure[];
  readonly crashes: number;
  readonly slowestMs: number;
  /** Largest and last resident memory of its processes. */
  readonly peakBytes: number;
  readonly endBytes: number;
};

/** No case takes nearly as long. */
const HANG_MS = 30_000;
/** Reports come after a quarter of a second: a stretch has at most this many cases. */
const STRETCH = 100_000;
const MAX_CRASHES = 5;

type Ending = { readonly last: LibraryReport; readonly how: 'finished' | string };

export async function runLibraryDomain(
  task: Omit<LibraryTask, 'isCareful'>,
  signal: AbortSignal,
): Promise<LibraryResult> {
  const failures: FuzzFailure[] = [];
  const total = { failed: 0, crashes: 0, slowestMs: 0, peakBytes: 0, endBytes: 0 };
  const note = (report: LibraryReport) => {
    failures.push(...report.failures);
    total.slowestMs = Math.max(total.slowestMs, report.slowestMs);
    total.peakBytes = Math.max(total.peakBytes, report.residentBytes);
    total.endBytes = report.residentBytes;
  };
  let next = task.first;
  const end = task.first + task.count;
  while (next < end && total.crashes < MAX_CRASHES && !signal.aborted) {
    const { last, how } = await runProcess(
      { ...task, first: next, count: end - next, isCareful: false },
      note,
      signal,
    );
    total.failed += last.failed;
    next += last.done;
    if (how === 'finished') break;
    total.crashes++;
    const stretch = Math.min(STRETCH, end - next);
    const careful = await runProcess(
      { ...task, first: next, count: stretch, isCareful: true },
      () => {},
      signal,
    );
    const isRepeated = careful.how !== 'finished';
    const index = isRepeated ? next + careful.last.done : next;
    const what = isRepeated ? how : `${how}, in this case or soon after it, but not a second time`;
    failures.push({ ...(await describeCase(task, index)), index, what });
    if (isRepeated) next = index + 1;
  }
  return { cases: next - task.first, failures, ...total };
}

function runProcess(
  task: LibraryTask,
  note: (report: LibraryReport) => void,
  signal: AbortSignal,
): Promise<Ending> {
  const script = fileURLToPath(import.meta.resolve('./process.js'));
  const child = fork(script, [], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  return new Promise((resolve) => {
    let last: LibraryReport = {
      done: 0,
      failures: [],
      failed: 0,
      slowestMs: 0,
      residentBytes: 0,
      isLast: false,
    };
    let stderr = '';
    let isHung = false;
    const hang = () => {
      isHung = true;
      stop();
    };
    let timer = setTimeout(hang, HANG_MS);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-2_000);
    });
    child.on('message', (report: LibraryReport) => {
      clearTimeout(timer);
      timer = setTimeout(hang, HANG_MS);
      last = report;
      note(report);
    });
    child.on('exit', (code, exitSignal) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      const why = isHung
        ? `did not return within ${HANG_MS / 1000} s`
        : `ended the process with ${code ?? exitSignal}: ${stderr.trim().split('\n').slice(0, 6).join(' | ')}`;
      resolve({ last, how: last.isLast ? 'finished' : why });
    });
    child.send(task);
  });
}

async function describeCase({ seed, domain }: Omit<LibraryTask, 'isCareful'>, index: number) {
  const subject = await LIBRARY_DOMAINS.find(({ name }) => name === domain)?.open();
  const input = subject?.make(caseRandom(seed, domain, index), index);
  await subject?.close?.();
  return {
    domain,
    about: input?.about ?? '',
    input: input?.shown ?? input?.bytes.toString('latin1') ?? '',
  };
}
