/** Watched domains and their events: everyone sees those of the account, members change them. */
import type { WatchWriter } from '../../watch/watch-list.ts';
import type { DashboardDependencies } from '../dependencies.ts';
import { type Ask, forMembers, forViewers, type Rows } from '../requests/ask.ts';

export function watchRoutes({ watchList }: DashboardDependencies) {
  return {
    listWatched: forViewers((ask) => watchList.list(writerOf(ask), ask.query)),
    watchDomains: forMembers((ask) => watchList.add(writerOf(ask), ask.body, ask.now)),
    changeWatched: forMembers((ask) =>
      watchList.change(writerOf(ask), ask.params.domain, ask.body),
    ),
    unwatchDomains: forMembers((ask) => watchList.remove(writerOf(ask), ask.body.domains, ask.now)),
    checkWatched: forMembers((ask) => watchList.checkNow(writerOf(ask), ask.body.domains, ask.now)),
    listEvents: forViewers((ask) => watchList.events(writerOf(ask), ask.query, ask.now)),
    acceptEvent: forMembers((ask) => watchList.accept(writerOf(ask), ask.params.id, ask.now)),
  } satisfies Rows;
}

/** Every account may read reports of the domains that it may see. */
function writerOf({ session, actor }: Pick<Ask<'listWatched'>, 'session' | 'actor'>): WatchWriter {
  return { allowedDomains: session.account.allowedDomains, mayReadReports: true, actor };
}
