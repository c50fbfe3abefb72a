/**
 * DMARC reports of a domain with a million rows: their import, and who sends as the domain, asked of servers that have just
 * started. Then small files, whose number must not change the memory of an import. Times of the import are processor time.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatCount, loadAverage, print } from '@whence/testing/console-report';
import { ANY_CORE, PinnedProcesses } from '@whence/testing/pinned-processes';
import { untilInterrupted } from '@whence/testing/script';
import { seededRandom } from '@whence/testing/seeded-random';
import { startScriptedDnsServer } from '@whence/testing/servers/scripted-dns-server';
import { median } from '@whence/testing/statistics';
import { buildDataset, startWhence } from '@whence/testing/whence-program';
import { measureCommand } from './fresh-process.ts';
import { formatRows, limitRow, type Row } from './report.ts';
import { DOMAIN, REPORTS, writeReports, writeSmallReports, ZONE } from './reports/files.ts';

const SEED = 20261118;
const ROWS = 1_000_000;
const ROUNDS = 5;
const WARM_ROUNDS = 20;
const SMALL_FILES = [10_000, 100_000] as const;
const GOALS = { importSeconds: 60, answerMs: 300, stallMs: 50, growthPercent: 10 };

export async function reports(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const rows = await Promise.race([measureAll(processes, folder), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(processes: PinnedProcesses, folder: string): Promise<Row[]> {
  const [dataDir, files] = [join(folder, 'data'), join(folder, 'files')];
  await buildDataset(processes, dataDir);
  writeReports(files, ROWS, seededRandom(SEED));
  print(`${formatCount(ROWS)} rows in ${formatCount(REPORTS)} reports`);
  const environment = { WHENCE_DATA_DIR: dataDir };
  const { cpuSeconds } = measureCommand(['email', 'reports', 'import', '--new', files], environment);
  const megabytes = statSync(join(dataDir, 'whence.sqlite')).size / 1e6;
  return [
    limitRow(`import of ${formatCount(ROWS)} rows`, cpuSeconds, GOALS.importSeconds, 's'),
    limitRow('their database', megabytes, undefined, 'MB'),
    ...(await askServers(processes, dataDir)),
    ...importSmall(folder),
  ];
}

async function askServers(processes: PinnedProcesses, dataDir: string): Promise<Row[]> {
  const permissions = 'email:read,reports:read';
  const created = ['key', 'create', '--name', 'bench', '--tier', 'enterprise', '--permissions', permissions];
  const key = measureCommand(created, { WHENCE_DATA_DIR: dataDir }).stdout.trim();
  const dns = await startScriptedDnsServer(ZONE);
  const [cold, warm, stalls]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startWhence(processes, dataDir, ANY_CORE, { WHENCE_DNS_SERVERS: dns.address });
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
    const asked = ask(senders);
    const isOver = asked.then(() => true);
    let worst = 0;
    while (!(await Promise.race([isOver, sleep(1, false)]))) worst = Math.max(worst, await ask('/healthz'));
    cold.push(await asked);
    stalls.push(worst);
    for (let i = 0; i < WARM_ROUNDS; i++) warm.push(await ask(senders));
    await server.stop();
  }
  await dns.close();
  return [
    limitRow('senders of the domain, first request', median(cold), GOALS.answerMs, 'ms'),
    limitRow('longest wait of another request meanwhile', median(stalls), GOALS.stallMs, 'ms'),
    limitRow('senders of the domain, again', median(warm), GOALS.answerMs, 'ms'),
  ];
}

function importSmall(folder: string): Row[] {
  const peaks = SMALL_FILES.map((files) => {
    const [dataDir, path] = [join(folder, `data-${files}`), join(folder, `small-${files}`)];
    writeSmallReports(path, files, seededRandom(SEED));
    const imported = measureCommand(['email', 'reports', 'import', '--new', path], { WHENCE_DATA_DIR: dataDir });
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
