/**
 * Logs: JSON for machines, readable on a terminal. Requests are logged when they fail; a key, a cookie or a body never
 * is. Logging neither blocks (`log-output`) nor repeats itself without limit (`log-repetition`).
 */
import { createRequire } from 'node:module';
import { type LogFn, type Logger, pino } from 'pino';
import type * as Pretty from 'pino-pretty';
import { LogOutput } from './log-output.ts';
import { RepeatedLines } from './log-repetition.ts';

export type { Logger };

/** pino's number for it. */
const INFO = 30;

export type Log = {
  readonly logger: Logger;
  /** Writes a line of another process. */
  forward(line: string): void;
  /** For the metrics. */
  counters(): Record<string, number>;
  /** Writes what waits, for the end of the process. */
  flush(): void;
};

export function openLog(level: string, isTerminal: boolean, output: LogOutput = new LogOutput()): Log {
  const repeated = new RepeatedLines();
  const destination = isTerminal ? forTerminal(output) : output;
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
      hooks: { logMethod: writeUnlessRepeated(repeated) },
    },
    destination,
  );
  output.onRecovery = (dropped) => logger.warn({ dropped }, 'log lines were dropped: standard error was not read');
  return {
    logger,
    forward: (line) => destination.write(`${line}\n`),
    counters: () => ({
      whence_log_lines_dropped_total: output.dropped,
      whence_log_lines_repeated_total: repeated.skipped,
    }),
    flush() {
      repeated.flush();
      output.flushSync();
    },
  };
}

export function createLogger(level: string, isTerminal: boolean): Logger {
  return openLog(level, isTerminal).logger;
}

function forTerminal(output: LogOutput) {
  // Loaded for a terminal alone: a service starts 30 ms earlier without it.
  const { prettyFactory }: typeof Pretty = createRequire(import.meta.url)('pino-pretty');
  const format = prettyFactory({ colorize: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid' });
  return { write: (line: string) => output.write(format(line)), flushSync: () => output.flushSync() };
}

/** Lines of `debug` and `trace` are all written: who turns them on wants to see each. */
function writeUnlessRepeated(repeated: RepeatedLines) {
  return function logMethod(this: Logger, args: Parameters<LogFn>, write: LogFn, level: number): void {
    const [first, second] = args as [unknown, unknown];
    const text = typeof first === 'string' ? first : second;
    const kind = `${level} ${text} ${errorName(first)}`;
    const isWritten =
      level < INFO || repeated.admits(kind, (count) => write.call(this, { repeated: count }, String(text)));
    if (isWritten) write.apply(this, args);
  };
}

function errorName(fields: unknown): string {
  const { err } = (fields ?? {}) as { err?: unknown };
  return err instanceof Error ? err.name : '';
}
