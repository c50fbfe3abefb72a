/**
 * `npm run restarts [-- options]`: requests on every route while two replicas are restarted in turn
 * with SIGTERM, from clients that use both directly and from clients behind nginx. Every request
 * that was sent must be answered, with the status that its route has; exits with 1 if one was not.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCount, formatTable, loadAverage, print } from '@whence/testing/console-report';
import { PinnedProcesses } from '@whence/testing/pinned-processes';
import { findProgram, freePort } from '@whence/testing/programs';
import { readOptions, runScript, untilInterrupted, wholeNumber } from '@whence/testing/script';
import { buildDataset, createKey } from '@whence/testing/whence-program';
import { RouteClient } from './restarts/route-client.ts';
import { ROUTES } from './restarts/routes.ts';
import { startNginx } from './restarts/start-nginx.ts';
import { ServerUnderTest } from './server-under-test.ts';

const REQUESTS = 10_000;
const MAX_REQUESTS = 10_000_000;
const CLIENTS_PER_ROUTE = 2;
const MAX_DELAY_SECONDS = 60;
const SHOWN_LOSSES = 20;

type Options = {
  readonly requests: number;
  readonly delaySeconds: number;
  readonly workers: number;
};

async function restarts(args: readonly string[]): Promise<void> {
  const options = readOptions(args, ['requests', 'delay', 'workers']);
  const requests = wholeNumber('requests', options.requests, REQUESTS, 1, MAX_REQUESTS);
  const delaySeconds = wholeNumber('delay', options.delay, 0, 0, MAX_DELAY_SECONDS);
  const workers = wholeNumber('workers', options.workers, 1, 1, cpus().length);
  const folder = mkdtempSync(join(tmpdir(), 'whence-restarts-'));
  const processes = new PinnedProcesses();
  const stopping = new AbortController();
  let running: Promise<unknown> | undefined;
  try {
    print(
      `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const run = runIn(processes, folder, { requests, delaySeconds, workers }, stopping.signal);
    running = run.catch(() => {});
    await Promise.race([run, untilInterrupted()]);
  } finally {
    stopping.abort();
    await processes.close();
    await running;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runIn(
  processes: PinnedProcesses,
  folder: string,
  { requests, delaySeconds, workers }: Options,
  signal: AbortSignal,
): Promise<void> {
  const dataDir = join(folder, 'data');
  print('building the dataset, creating a key');
  await buildDataset(processes, dataDir);
  const key = await createKey(processes, dataDir, 'enterprise');
  const ports = [await freePort(), await freePort()] as const;
  const start = (port: number) =>
    ServerUnderTest.start(
      dataDir,
      {
        WHENCE_PORT: String(port),
        WHENCE_WORKERS: String(workers),
        WHENCE_SHUTDOWN_DELAY: String(delaySeconds),
      },
      signal,
    );
  const servers = await Promise.all(ports.map(start));
  const targets: [name: string, ports: readonly number[]][] = [['direct', ports]];
  const nginx = findProgram('nginx');
  if (nginx === undefined)
    print('clients behind nginx are skipped: apt-get install -y nginx-light');
  else
    targets.push([
      'behind nginx',
      [await startNginx(processes, nginx, join(folder, 'nginx'), ports)],
    ]);
  const clients = targets.flatMap(([name, reached]) =>
    ROUTES.flatMap((route) =>
      Array.from(
        { length: CLIENTS_PER_ROUTE },
        () => new RouteClient(name, route, reached, key, signal),
      ),
    ),
  );
  const sent = () =>
    clients.reduce((sum, { answered, losses }) => sum + answered + losses.length, 0);
  let restarted = 0;
  while (sent() < requests && !signal.aborted) {
    const at = restarted++ % servers.length;
    const ending = await servers[at]?.stop();
    if (ending !== 0) throw new Error(`a replica ended with ${ending}`);
    servers[at] = await start(ports[at] as number);
  }
  await Promise.all(clients.map((client) => client.stop()));
  await Promise.all(servers.map((server) => server.stop()));
  report(clients, restarted);
}

function report(clients: readonly RouteClient[], restarted: number): void {
  const rows = new Map<string, [answered: number, lost: number]>();
  for (const { name, route, answered, losses } of clients) {
    const row = `${name}\t${route.method} ${route.path}`;
    const [a, l] = rows.get(row) ?? [0, 0];
    rows.set(row, [a + answered, l + losses.length]);
  }
  const lines = [...rows].map(([row, [answered, lost]]) => [
    ...row.split('\t'),
    formatCount(answered),
    String(lost),
  ]);
  const losses = clients.flatMap(({ losses }) => losses);
  const sent = clients.reduce((sum, { answered }) => sum + answered, losses.length);
  print(`\n${formatTable([['clients', 'route', 'answered', 'lost'], ...lines])}\n`);
  for (const loss of losses.slice(0, SHOWN_LOSSES)) print(loss);
  print(
    `${losses.length} of ${formatCount(sent)} requests lost over ${restarted} restarts; ${loadAverage()} at the end`,
  );
  process.exitCode = losses.length === 0 ? 0 : 1;
}

await runScript(() => restarts(process.argv.slice(2)));
