// Tells why opening storage takes longer or may be wrong: a server is starting or full, one of
// several does not answer, or no server uses it. A channel, because all callers would only pass it
// on.
import { channel } from 'node:diagnostics_channel';

const waiting = channel('whence:storage-waiting');

export function tellWaiting(reason: string): void {
  waiting.publish(reason);
}

/** Returns how to stop listening. */
export function onWaiting(listener: (reason: string) => void): () => void {
  const forward = (reason: unknown) => listener(String(reason));
  waiting.subscribe(forward);
  return () => waiting.unsubscribe(forward);
}
