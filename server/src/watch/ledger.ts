/** Events of a list that is kept in a file, as storage keeps those of a server. */
import { present } from '../present.ts';
import type { EventChanges, WatchEvent } from '../storage/stores/watch-event-store.ts';

export type LedgerLine = {
  readonly kind: 'opened' | 'reopened' | 'resolved';
  readonly event: WatchEvent;
};

/** The events after the changes, and a line for each that opened or ended. */
export function applyChanges(
  events: readonly WatchEvent[],
  { opened, reopened, resolved, seen }: EventChanges,
  domain: string,
  now: Date,
): { readonly events: WatchEvent[]; readonly lines: LedgerLine[] } {
  const lines: LedgerLine[] = [];
  const kept = events.map((event): WatchEvent => {
    const update = seen.find(({ id }) => id === event.id);
    if (update !== undefined) return { ...event, ...present(update), lastSeenAt: now };
    if (resolved.includes(event.id)) {
      const ended = { ...event, resolvedAt: now };
      lines.push({ kind: 'resolved', event: ended });
      return ended;
    }
    if (!reopened.includes(event.id)) return event;
    const { resolvedAt: _, ...open } = event;
    const again = { ...open, reopenedAt: now, lastSeenAt: now };
    lines.push({ kind: 'reopened', event: again });
    return again;
  });
  const added = opened.map(
    (event): WatchEvent => ({
      ...present(event),
      id: `${domain} ${event.code} ${event.subject} ${now.toISOString()}`,
      domain,
      lastSeenAt: now,
    }),
  );
  lines.push(...added.map((event) => ({ kind: 'opened', event }) as const));
  return { events: [...kept, ...added], lines };
}
