/** When a delivery is tried again, and its id. */
import { createHash } from 'node:crypto';
import { DAY_MS, HOUR_MS } from '../day.ts';
import type { StoredDelivery } from '../storage/stores/alert-store.ts';
import type { DeliveryKind } from '../vocabulary.ts';

const MINUTE_MS = 60_000;
/** After the first attempt, the second, and so on; the last one repeats. */
const BACKOFF_MS = [
  10_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
];
const GIVE_UP_MS = DAY_MS;

/** When a delivery whose attempt failed is due again; undefined if it has failed for good. */
export function retryAt(
  { createdAt, attempts }: Pick<StoredDelivery, 'createdAt' | 'attempts'>,
  now: Date,
): Date | undefined {
  const afterMs = BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length) - 1] ?? BACKOFF_MS[0] ?? 0;
  const at = now.getTime() + afterMs;
  const endMs = createdAt.getTime() + GIVE_UP_MS;
  if (now.getTime() >= endMs) return undefined;
  return new Date(Math.min(at, endMs));
}

/** `subject`: the event, or the time of a summary. */
export function newDelivery(
  channelId: string,
  kind: DeliveryKind,
  subject: string,
  now: Date,
): StoredDelivery {
  return {
    id: deliveryId(channelId, kind, subject),
    channelId,
    kind,
    ...((kind === 'opened' || kind === 'resolved') && { eventId: subject }),
    createdAt: now,
    state: 'waiting',
    attempts: 0,
    dueAt: now,
  };
}

/**
 * The same whichever process makes it, and the `webhook-id` by which receivers know a repetition.
 */
export function deliveryId(channelId: string, kind: DeliveryKind, subject: string): string {
  const hash = createHash('sha256').update(`${channelId} ${kind} ${subject}`);
  return `msg_${hash.digest('hex').slice(0, 32)}`;
}
