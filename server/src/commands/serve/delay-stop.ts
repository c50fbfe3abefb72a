import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import type { StopSignals } from '../../stop-signals.ts';

/**
 * A load balancer sees in /readyz that the server stops, and sends requests elsewhere before the port is closed. Returns
 * whether a second signal ended the delay.
 */
export async function delayStop({ shutdownDelaySeconds }: Config, signals: StopSignals): Promise<boolean> {
  if (shutdownDelaySeconds === 0) return false;
  // The timer keeps the process alive: workers that had the signal earlier may be gone before it is over.
  const skipped = new AbortController();
  const delay = sleep(shutdownDelaySeconds * 1000, false, { signal: skipped.signal }).catch(() => true);
  const isSkipped = await Promise.race([delay, signals.nth(2).then(() => true)]);
  skipped.abort();
  return isSkipped;
}
