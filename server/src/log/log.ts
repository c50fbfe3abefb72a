// The log: JSON lines, or text on a terminal. Never a key, a cookie, a body or the query of a URL,
// which libraries quote in errors. It neither blocks (`log-output`) nor repeats itself without
// limit.
import { type LogFn, type Logger, pino } from 'pino';
import { LogOutput } from './log-output.ts';
import { maskText } from './masking.ts';

export type { Logger };

/** The number of level `info` in pino. */
const INFO = 30;

export type Log = {
  readonly logger: Logger;
  forward(line: string): void;
  /** For the metrics. */
  counters(): Record<string, number>;
  /** Writes pending lines before the process exits. */
  flush(): void;
};

/**
 * `format` is for a terminal. `mask` is applied to whole lines: secrets may be in any of their
 * fields.
 */
export function openLog(
  level: string,
  format: (line: string) => string = (line) => line,
  output: LogOutput = new LogOutput(),
  mask: (text: string) => string = maskText,
): Log {
  const repeated = new RepeatedLines();
  const destination = {
    write: (line: string) => output.write(format(mask(line))),
    flushSync: () => output.flushSync(),
  };
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ level: name }) },
      serializers: { err: describeError, req: describeRequest },
      hooks: { logMethod: writeUnlessRepeated(repeated) },
    },
    destination,
  );
  output.onRecovery = (dropped) =>
    logger.warn({ dropped }, 'log lines were dropped: standard error was not read');
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

/** `debug` and `trace` lines are never suppressed: these levels are turned on to see every line. */
function writeUnlessRepeated(repeated: RepeatedLines) {
  return function logMethod(
    this: Logger,
    args: Parameters<LogFn>,
    write: LogFn,
    level: number,
  ): void {
    const [first, second, ...values] = args as [unknown, unknown, ...unknown[]];
    const error = errorOf(first);
    const given = typeof first === 'string' ? first : second;
    // Libraries log errors without a text of their own.
    const text = withoutQueries(
      typeof given === 'string' ? given : (error?.message ?? 'a line without text'),
    );
    const kind = `${level} ${typeof given === 'string' ? text : ''} ${error === undefined ? '' : kindOf(error)}`;
    const isWritten =
      level < INFO || repeated.admits(kind, (count) => write.call(this, { repeated: count }, text));
    if (!isWritten) return;
    if (typeof first === 'string')
      write.apply(this, [text, ...args.slice(1)] as unknown as Parameters<LogFn>);
    else
      write.apply(this, [
        error === first ? { err: error } : first,
        text,
        ...values,
      ] as Parameters<LogFn>);
  };
}

function errorOf(first: unknown): Error | undefined {
  const error =
    first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err;
  return error instanceof Error ? error : undefined;
}

const kindOf = ({ name, code }: Error & { code?: unknown }) =>
  typeof code === 'string' ? `${name} ${code}` : name;

function describeError(error: Error): object {
  const { message, stack, ...described } = pino.stdSerializers.err(error);
  return { ...described, message: withoutQueries(message), stack: withoutQueries(stack) };
}

/** For lines of the HTTP framework. The path shows which resource it was; the query is left out. */
function describeRequest({ method, url }: { method?: string; url?: string }): object {
  return { method, path: withoutQueries(url ?? '').split('?', 1)[0] };
}

/** Queries of paths are removed too: requests have no host. */
function withoutQueries(text: string): string {
  return text.replace(/(\/[^\s"'`?]*)\?[^\s"'`]*/g, '$1');
}

const WINDOW_MS = 10_000;
/** On average one line per second and kind, so that a kind takes less than 100 MB a day. */
export const MAX_LINES = 10;
/** Log texts are constants, so there are few; this is a bound in case one is not. */
const MAX_KINDS = 500;

type Kind = { lines: number; skipped: number; writeCount: (skipped: number) => void };

/**
 * Writes the first few lines of a kind in each window, and then a count. Client-caused lines have
 * few texts.
 */
class RepeatedLines {
  readonly #kinds = new Map<string, Kind>();
  #timer: NodeJS.Timeout | undefined;
  #skipped = 0;

  get skipped(): number {
    return this.#skipped;
  }

  /**
   * Whether the line is to be written. If not, `writeCount` writes the number of such lines later.
   */
  admits(name: string, writeCount: (skipped: number) => void): boolean {
    const kind = this.#find(name, writeCount);
    if (kind.lines++ < MAX_LINES) return true;
    kind.skipped++;
    this.#skipped++;
    return false;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const kinds = [...this.#kinds.values()];
    this.#kinds.clear();
    for (const { skipped, writeCount } of kinds) if (skipped > 0) writeCount(skipped);
  }

  #find(name: string, writeCount: (skipped: number) => void): Kind {
    const key = this.#kinds.size < MAX_KINDS || this.#kinds.has(name) ? name : '';
    let kind = this.#kinds.get(key);
    if (kind === undefined) {
      kind = { lines: 0, skipped: 0, writeCount };
      this.#kinds.set(key, kind);
    }
    this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    return kind;
  }
}
