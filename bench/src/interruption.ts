/** Ctrl-C as an error, so that what was started ends and what was written goes, also then. */
import { once } from 'node:events';

export async function untilInterrupted(): Promise<never> {
  const signals = ['SIGINT', 'SIGTERM'].map(async (signal) => {
    await once(process, signal);
    return signal;
  });
  throw new Error(`stopped by ${await Promise.race(signals)}`);
}
