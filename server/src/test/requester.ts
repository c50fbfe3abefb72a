/** A client that waits in queues and does not disconnect. */
import type { Requester } from '../limits/cost-classes.ts';

export function requesterAs(fairnessKey: string): Requester {
  return { fairnessKey, signal: new AbortController().signal };
}
