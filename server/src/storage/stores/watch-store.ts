/** Watched domains, their checks and their events in storage. */
import type { Engine } from '../engine.ts';
import { watchCheckStore } from './watch-check-store.ts';
import { watchEventStore } from './watch-event-store.ts';
import { watchedDomainStore } from './watched-domain-store.ts';

export function watchStore(engine: Engine) {
  return { ...watchedDomainStore(engine), ...watchCheckStore(engine), ...watchEventStore(engine) };
}

export type WatchStore = ReturnType<typeof watchStore>;
