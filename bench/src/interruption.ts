/** Turns SIGINT and SIGTERM into an error, so that processes and files are cleaned up. */
import { once } from 'node:events';

export async function untilInterrupted(): Promise<never> {
  const signals = ['SIGINT', 'SIGTERM'].map(async (signal) => {
    await once(process, signal);
    return signal;
  });
  throw new Error(`stopped by ${await Promise.race(signals)}`);
}
