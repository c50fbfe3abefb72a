/** Kills a server process: `process.exit` waits for all threads, and one that is blocked in a read never ends. */
import type { Log } from '../log/log.ts';

/** After everything has been stopped, before what still keeps the process alive is given up. */
const END_MS = 5_000;

export function killProcess({ logger, flush }: Log, reason: string, error?: Error): void {
  logger.fatal(error === undefined ? {} : { err: error }, `${reason}: the process ends`);
  flush();
  process.kill(process.pid, 'SIGKILL');
  // The first process of a container gets no signals from itself.
  process.abort();
}

/** To be called when everything has been stopped. The timer does not keep the process alive. */
export function endSoon(log: Log): void {
  setTimeout(() => killProcess(log, 'a thread or a read does not end'), END_MS).unref();
}
