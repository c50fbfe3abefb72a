/**
 * Tells what does not end an attempt to open storage: its server is starting or has no free connection, one of several does
 * not answer, or no server of the deployment uses it. A person who runs a command, and the log of a server, should know. Few callers open storage, and all of them would pass this on.
 */
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
