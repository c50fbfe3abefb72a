/** The list of watched domains of a database, or of the server of `--url`. */
import type { Client } from '@whence/client';
import { AuditLog } from '../../audit/audit-log.ts';
import { ApiError } from '../../http/errors.ts';
import type { Config } from '../../settings/config.ts';
import type { Environment } from '../../settings/settings.ts';
import { CommandError, type ExitCode, NegativeAnswer, UsageError } from '../../terminal/exit.ts';
import { WatchList } from '../../watch/watch-list.ts';
import {
  type AddedDomains,
  MAX_AT_ONCE,
  type ShownDomain,
  type ShownEvent,
} from '../../watch/watch-schema.ts';
import { withStorage } from '../command-storage.ts';
import { operator } from '../operator.ts';
import { openSource, type RemoteOptions } from '../remote/open-source.ts';
import { asking } from '../remote/remote-server.ts';

type Page = { readonly limit: number; readonly cursor?: string };
type Paged<Field extends string, Entry> = Promise<
  { [Name in Field]: Entry[] } & { readonly next_cursor?: string }
>;

/** At most 1,000 domains, or entries of a page, at once. */
type WatchSource = {
  add(
    domains: readonly string[],
    more: { readonly tags?: readonly string[]; readonly note?: string },
  ): Promise<AddedDomains>;
  remove(domains: readonly string[]): Promise<{ readonly removed: readonly string[] }>;
  domains(page: Page & { readonly tag?: string }): Paged<'domains', ShownDomain>;
  openEvents(page: Page): Paged<'events', ShownEvent>;
  accept(id: string): Promise<ShownEvent>;
};

export async function withWatchSource(
  options: RemoteOptions & { readonly new?: boolean },
  { config, environment }: { config: () => Promise<Config>; environment: Environment },
  work: (source: WatchSource) => Promise<ExitCode>,
): Promise<ExitCode> {
  return openSource<ExitCode>(options, environment, {
    local: async () =>
      withStorage((await config()).storageLocation, options.new, async (storage) => {
        const list = new WatchList(storage.watch, new AuditLog(storage.audit));
        const now = () => new Date(storage.nowMs() ?? Date.now());
        return work(localSource(list, now)).catch(explain);
      }),
    remote: ({ url, client }) => asking(url, () => work(remoteSource(client()))),
  });
}

/** Anyone who can read the database may see and change all of it. */
function localSource(list: WatchList, now: () => Date): WatchSource {
  const all = { allowedDomains: undefined, mayReadReports: true };
  const writer = { ...all, actor: operator() };
  const asText = ({ limit, ...rest }: Page) => ({ ...rest, limit: String(limit) });
  return {
    add: (domains, more) => list.add(writer, { domains, ...more }, now()),
    remove: (domains) => list.remove(writer, domains, now()),
    domains: (page) => list.list(all, { ...page, ...asText(page) }),
    openEvents: (page) => list.events(all, { ...asText(page), state: 'open' }, now()),
    accept: (id) => list.accept(writer, id, now()),
  };
}

function remoteSource(client: Client): WatchSource {
  return {
    add: async (domains, more) => (await client.watchDomains(domains, more)).data,
    remove: async (domains) => (await client.unwatchDomains(domains)).data,
    domains: async (page) => (await client.watchedDomains(page)).data,
    openEvents: async (page) => (await client.events({ ...page, state: 'open' })).data,
    accept: async (id) => (await client.acceptEvent(id)).data,
  };
}

/** Every page of a list. */
export async function allOf<Field extends string, Entry>(
  field: Field,
  read: (page: Page) => Paged<Field, Entry>,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: MAX_AT_ONCE, ...(cursor !== undefined && { cursor }) });
    entries.push(...page[field]);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return entries;
}

/** With the exit code that the refusal of a server has. */
function explain(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const { details } = error.extra as { details?: { expected?: string } };
  const message = `${error.message}${details?.expected === undefined ? '' : `: expected ${details.expected}`}`;
  if (error.row.status === 404) throw new NegativeAnswer(message);
  throw new (error.row.status === 400 ? UsageError : CommandError)(message);
}
