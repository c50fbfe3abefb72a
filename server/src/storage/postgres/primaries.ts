// Recognises a primary that was replaced: after a failover it may come back and accept writes,
// which are lost. A process queries all hosts of its URL at the start, and repeatedly after: the
// new primary may have been unreachable then.
import { StorageUnavailable } from '../storage-unavailable.ts';
import { tellWaiting } from '../waiting.ts';
import { readDatabaseUrl } from './database-url.ts';
import { type Lineage, timelineOf } from './lineage.ts';
import { openPool } from './pool.ts';

/** Per host; they are queried at the same time. */
const ASK_MS = 2_000;
const ASK_TIMEOUTS = { connectMs: ASK_MS, statementMs: ASK_MS, lockMs: ASK_MS, queryMs: ASK_MS };

const INTERVAL_MS = 30_000;

/**
 * Two poolers in front of one primary give the same answer. Only `pg_control_system` may be
 * withheld from a role.
 */
const STARTED = `to_char(pg_postmaster_start_time() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const LAST_WRITE = `select to_char(to_timestamp(greatest((select max(seen_at) from processes),
  (select max(written_at) from writers), (select max(at) from audit)) / 1000) at time zone 'UTC',
  'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at`;

type Primary = {
  readonly url: string;
  readonly place: string | undefined;
  readonly started: string;
};

/**
 * Throws, before anything is changed, if several of the hosts are primaries. One that does not
 * answer is told.
 */
export async function refuseTwoPrimaries(url: string): Promise<void> {
  const { hosts, name } = readDatabaseUrl(url);
  if (hosts.length === 1) return;
  const primaries = new Map<string, Primary>();
  const tell = (host: string, reason: string) =>
    tellWaiting(`${host} cannot be asked whether it is a second primary: ${reason}`);
  for (const primary of await Promise.all(hosts.map((host) => askHost(host, tell))))
    if (primary !== undefined) primaries.set(`${primary.place} ${primary.started}`, primary);
  if (primaries.size < 2) return;
  const described = await Promise.all([...primaries.values()].map(describe));
  throw new StorageUnavailable(
    `${name} has ${primaries.size} primaries: ${described.join(' and ')}. Nothing was changed. Stop the one that was replaced`,
  );
}

export function watchPrimaries(url: string, lineage: Lineage): () => void {
  const { hosts } = readDatabaseUrl(url);
  if (hosts.length === 1) return () => {};
  const timer = setInterval(async () => {
    for (const primary of await Promise.all(hosts.map((host) => askHost(host))))
      lineage.learn(primary?.place);
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Undefined for a host that cannot be written to, or does not answer. */
async function askHost(
  url: string,
  tell?: (host: string, reason: string) => void,
): Promise<Primary | undefined> {
  const ask = () =>
    onHost(url, async (query, place, isReadOnly) =>
      isReadOnly
        ? undefined
        : { url, place, started: (await query(`select ${STARTED} as started`))['started'] ?? '' },
    );
  // Once more after a timeout: a process that starts may be busy for longer than that.
  return ask()
    .catch((error) => {
      if (!/timeout/.test(error.message)) throw error;
      return ask();
    })
    .catch((error) => {
      tell?.(new URL(url).host, error.message || error.code);
      return undefined;
    });
}

async function describe({ url, place = '', started }: Primary): Promise<string> {
  const { at } = await onHost(url, (query) => query(LAST_WRITE)).catch(() => ({ at: undefined }));
  const identity =
    place === '' ? [] : [`system ${place.split('/')[0]}`, `timeline ${timelineOf(place)}`];
  return `${new URL(url).host} (${[...identity, `started ${started}`, `last write ${at ?? 'not known'}`].join(', ')})`;
}

type Query = (sql: string) => Promise<Record<string, string | null>>;

async function onHost<T>(
  url: string,
  work: (query: Query, place: string | undefined, isReadOnly: boolean) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, { max: 1, timeouts: ASK_TIMEOUTS });
  try {
    const connection = await pool.connect();
    try {
      const query: Query = async (sql) =>
        (await connection.query<Record<string, string | null>>(sql, [])).rows[0] ?? {};
      return await work(query, connection.place, connection.isReadOnly);
    } finally {
      connection.release();
    }
  } finally {
    await pool.end();
  }
}
