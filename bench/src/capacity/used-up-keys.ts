/** Some keys on all replicas at once, until their limits are reached: how many requests were admitted of each. */
import { setTimeout as sleep } from 'node:timers/promises';

/** For a machine that is too slow to use them up. */
const MAX_MS = 40_000;
/** A replica whose key is used up asks others to return what they hold, and asks again after they had the time. */
const PATIENCE_MS = 6_000;
const CLIENTS_PER_KEY = 20;
/** A replica asks storage at most ten times a second for a key that is used up; more than that is not worth the time. */
const REFUSED_MS = 200;

export function useUp(
  secrets: readonly string[],
  replicaCount: number,
  send: (secret: string, replica: number) => boolean | Promise<boolean>,
): Promise<number[]> {
  return Promise.all(
    secrets.map(async (secret) => {
      let admitted = 0;
      let lastMs = performance.now();
      let turn = 0;
      const startMs = lastMs;
      const client = async () => {
        while (performance.now() - lastMs < PATIENCE_MS && performance.now() - startMs < MAX_MS) {
          if (await send(secret, turn++ % replicaCount)) {
            admitted++;
            lastMs = performance.now();
          } else await sleep(REFUSED_MS);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS_PER_KEY }, client));
      return admitted;
    }),
  );
}
