/**
 * DMARC reports of a domain, on SQLite and PostgreSQL: their import, and who sends as the domain,
 * asked of servers that have just started. One domain has a million rows, the other 4.57 million
 * from 200,000 invented addresses. Then small files, whose number must not change the memory of an
 * import. Times of the import are processor time.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { ANY_CORE, PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { seededRandom } from '@whence/testing/seeded-random';
import { PostgresServer } from '@whence/testing/servers/postgres-server';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import { median } from '@whence/testing/statistics';
import { buildDataset, type Server, startWhence } from '@whence/testing/whence-program';
import { measureCommand } from './fresh-process.ts';
import { formatRows, limitRow, type Row } from './report.ts';
import {
  DOMAIN,
  inventedAddresses,
  REPORTS,
  writeReports,
  writeSmallReports,
  ZONE,
} from './reports/files.ts';

const SEED = 20261118;
const ROUNDS = 3;
const WARM_ROUNDS = 20;
const AT_ONCE = 6;
const SMALL_FILES = [10_000, 100_000] as const;
const GOALS = {
  importSeconds: 60,
  againMs: 50,
  othersP99Ms: 20,
  memoryMb: 150,
  rowBytes: 80,
  growthPercent: 10,
};
const DOMAINS = [
  { name: 'a million rows', rows: 1_000_000, isFlood: false, firstMs: 1_500 },
  { name: '4.57 million rows', rows: 4_570_000, isFlood: true, firstMs: 5_000 },
] as const;

/** Where reports are stored: the settings of the program, and the bytes that they take. */
type Engine = {
  readonly name: string;
  readonly settings: NodeJS.ProcessEnv;
  bytes(): Promise<number>;
};
type Bench = {
  readonly processes: PinnedProcesses;
  readonly folder: string;
  readonly postgres: PostgresServer;
  readonly dns: ScriptedDnsServer;
};

/** `million`: only the domain with a million rows. */
export async function reports(args: readonly string[] = []): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  const postgres = await PostgresServer.start();
  const dns = await startScriptedDnsServer(ZONE);
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const bench = { processes, folder, postgres, dns };
    const rows = await Promise.race([
      measureAll(bench, args.includes('million')),
      untilInterrupted(),
    ]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    await dns.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(bench: Bench, isShort: boolean): Promise<Row[]> {
  const rows: Row[] = [];
  for (const domain of DOMAINS) {
    if (isShort && domain.isFlood) continue;
    const files = join(bench.folder, `files-${domain.rows}`);
    const random = seededRandom(SEED);
    writeReports(files, domain.rows, random, domain.isFlood ? inventedAddresses(random) : []);
    print(`${formatCount(domain.rows)} rows in ${formatCount(REPORTS)} reports`);
    for (const engine of await enginesFor(bench, `${domain.rows}`)) {
      const measured = await measureEngine(bench, engine, domain, files);
      rows.push(
        ...measured.map((row) => ({
          ...row,
          measure: `${engine.name}, ${domain.name}: ${row.measure}`,
        })),
      );
    }
    rmSync(files, { recursive: true });
  }
  return isShort ? rows : [...rows, ...importSmall(bench.folder)];
}

async function enginesFor(bench: Bench, name: string): Promise<Engine[]> {
  const { url, query } = await databaseOf(bench.postgres);
  const folderOf = (engine: string) => join(bench.folder, `${engine}-${name}`);
  const sqlite = folderOf('sqlite');
  const dataDir = folderOf('postgres');
  const dns = { WHENCE_DNS_SERVERS: bench.dns.address };
  return [
    {
      name: 'SQLite',
      settings: { WHENCE_DATA_DIR: sqlite, ...dns },
      bytes: async () => statSync(join(sqlite, 'whence.sqlite')).size,
    },
    {
      name: 'PostgreSQL',
      settings: { WHENCE_DATA_DIR: dataDir, WHENCE_DATABASE_URL: url, ...dns },
      bytes: () =>
        query('select sum(pg_total_relation_size(oid)) from pg_class where relkind = $$r$$'),
    },
  ];
}

async function databaseOf(postgres: PostgresServer) {
  const { url } = await postgres.createDatabase();
  const query = async (sql: string): Promise<number> => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, string>>(sql);
      return Number(Object.values(rows[0] ?? {})[0]);
    } finally {
      await client.end();
    }
  };
  return { url, query };
}

async function measureEngine(
  { processes }: Bench,
  engine: Engine,
  { rows, firstMs }: (typeof DOMAINS)[number],
  files: string,
): Promise<Row[]> {
  const { settings } = engine;
  await buildDataset(processes, settings['WHENCE_DATA_DIR'] ?? '');
  const { cpuSeconds } = measureCommand(['email', 'reports', 'import', '--new', files], settings);
  const bytes = (await engine.bytes()) / rows;
  const asked = await askServers(processes, settings);
  return [
    limitRow('import', cpuSeconds, (GOALS.importSeconds * rows) / 1e6, 's'),
    limitRow('bytes a row', bytes, GOALS.rowBytes, 'bytes'),
    limitRow('first answer', median(asked.first), firstMs, 'ms'),
    limitRow(`${AT_ONCE} at once, first answer`, median(asked.atOnce), firstMs * 1.5, 'ms'),
    limitRow('again', median(asked.again), GOALS.againMs, 'ms'),
    limitRow('other requests meanwhile, p99', p99(asked.others), GOALS.othersP99Ms, 'ms'),
    limitRow('memory above resting', Math.max(...asked.memoryMb), GOALS.memoryMb, 'MB'),
  ];
}

type Asked = {
  readonly first: number[];
  readonly atOnce: number[];
  readonly again: number[];
  readonly others: number[];
  readonly memoryMb: number[];
};

async function askServers(processes: PinnedProcesses, settings: NodeJS.ProcessEnv): Promise<Asked> {
  const permissions = 'email:read,reports:read';
  const created = ['key', 'create', '--name', 'bench', '--tier', 'enterprise'];
  const key = measureCommand([...created, '--permissions', permissions], settings).stdout.trim();
  const measured: Asked = { first: [], atOnce: [], again: [], others: [], memoryMb: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startWhence(
      processes,
      settings['WHENCE_DATA_DIR'] ?? '',
      ANY_CORE,
      settings,
    );
    await askServer(server, key, measured);
    await server.stop();
  }
  return measured;
}

async function askServer(server: Server, key: string, measured: Asked): Promise<void> {
  const ask = async (path: string) => {
    const sentMs = performance.now();
    const response = await fetch(`${server.url}${path}`, { headers: { 'X-API-Key': key } });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} returns ${response.status}`);
    return performance.now() - sentMs;
  };
  const senders = `/v1/email/domain/${DOMAIN}/senders`;
  // Loads the code of checks; a check of the domain itself would already judge its senders.
  await ask('/v1/email/domain/sendgrid.net/dns');
  for (let i = 0; i < WARM_ROUNDS; i++) await ask('/healthz');
  const resting = residentMb(server.pid);
  const during = async (asked: Promise<unknown>) => {
    const isOver = asked.then(() => true);
    while (!(await Promise.race([isOver, sleep(5, false)]))) {
      measured.others.push(await ask('/healthz'));
      measured.memoryMb.push(residentMb(server.pid) - resting);
    }
  };
  const first = ask(senders);
  await during(first);
  measured.first.push(await first);
  for (let i = 0; i < WARM_ROUNDS; i++) measured.again.push(await ask(senders));
  // Another period, which is not judged yet.
  const together = Array.from({ length: AT_ONCE }, () => ask(`${senders}?days=34`));
  await during(Promise.all(together));
  measured.atOnce.push(Math.max(...(await Promise.all(together))));
}

function residentMb(pid: number): number {
  const [, kilobytes = '0'] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
}

function importSmall(folder: string): Row[] {
  const peaks = SMALL_FILES.map((files) => {
    const dataDir = join(folder, `data-${files}`);
    const path = join(folder, `small-${files}`);
    writeSmallReports(path, files, seededRandom(SEED));
    const imported = measureCommand(['email', 'reports', 'import', '--new', path], {
      WHENCE_DATA_DIR: dataDir,
    });
    return { files, seconds: imported.cpuSeconds, megabytes: imported.peakKilobytes / 1000 };
  });
  const [few = 1, many = 1] = peaks.map(({ megabytes }) => megabytes);
  return [
    ...peaks.flatMap(({ files, seconds, megabytes }) => [
      limitRow(`import of ${formatCount(files)} files`, seconds, undefined, 's'),
      limitRow('peak memory', megabytes, undefined, 'MB'),
    ]),
    limitRow('growth of memory', (many / few - 1) * 100, GOALS.growthPercent, '%'),
  ];
}
