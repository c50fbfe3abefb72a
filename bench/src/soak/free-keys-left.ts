/** What is left of each Free key when the load has ended. */
import { FREE_LIMIT, type FreeKeyEnd } from './judge.ts';
import type { FreeKeyUse } from './load/protocol.ts';

/** Leases are returned after two seconds without requests, and that is looked after once a second. */
export const LEASES_RETURNED_MS = 4_000;

/** Asks once with each key; the answer counts too. */
export async function askWhatIsLeft(
  url: string,
  keys: readonly string[],
  uses: readonly FreeKeyUse[],
  isSameDay: () => boolean,
): Promise<FreeKeyEnd[]> {
  const ends: FreeKeyEnd[] = [];
  for (const [i, key] of keys.entries()) {
    const { counted, cut } = uses[i] ?? { counted: 0, cut: 0 };
    const response = await fetch(url, { headers: { 'X-API-Key': key } });
    await response.arrayBuffer();
    const remaining = response.headers.get('X-RateLimit-Remaining');
    if (remaining === null || Number(response.headers.get('X-RateLimit-Limit')) !== FREE_LIMIT)
      throw new Error(`status ${response.status} without the headers of a Free key`);
    const isCounted = response.status !== 429;
    // Past midnight the day begins with all of the limit.
    ends.push({ counted: counted + (isCounted ? 1 : 0), cut, remaining: isSameDay() ? Number(remaining) : undefined });
  }
  return ends;
}
