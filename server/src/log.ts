/** Logs: JSON for machines, readable on a terminal. Requests are logged when they fail; a key, a cookie or a body never is. */
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export function createLogger(level: string, isTerminal: boolean): Logger {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return isTerminal
    ? pino(
        options,
        pretty({ colorize: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid', destination: 2, sync: true }),
      )
    : pino(options, pino.destination({ dest: 2, sync: true }));
}
