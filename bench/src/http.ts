/**
 * The server over HTTP: requests per second compared with simpler servers, latency of a search,
 * start time, memory. Servers run on one core, clients on another, over the loopback.
 *
 * The peers check no key and count nothing. `npm run bench -- http ip batch` runs only the sections
 * with these names.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAverage, print } from '@whence/testing/console-report';
import { missingRequirement, PinnedProcesses, SERVER_CORE } from '@whence/testing/pinned-processes';
import { freePort } from '@whence/testing/programs';
import { OptionError, untilInterrupted } from '@whence/testing/script';
import { startWhence } from '@whence/testing/whence-program';
import { measureBehindNginx } from './http/behind-nginx.ts';
import { compareBatch } from './http/compare-batch.ts';
import { compareIp } from './http/compare-ip.ts';
import { compareMixed } from './http/compare-mixed.ts';
import { compareRoutes } from './http/compare-routes.ts';
import { measureMemory, measureStartAndSearch } from './http/fresh-servers.ts';
import { readMetrics, sumOf } from './http/server-metrics.ts';
import { prepareSetup } from './http/setup.ts';
import { formatRows, type Row } from './report.ts';

const SEED = 20260617;

export async function http(args: readonly string[]): Promise<void> {
  const sections =
    args.length === 0 ? SECTIONS : SECTIONS.filter((section) => args.includes(section));
  const unknown = args.find((name) => !(SECTIONS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new OptionError(`unknown section ${unknown}; there are ${SECTIONS.join(', ')}`);
  const missing = missingRequirement();
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`);
    process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    print(
      `seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${loadAverage()} at the start`,
    );
    const rows = await Promise.race([measureAll(processes, folder, sections), untilInterrupted()]);
    print(`${loadAverage()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const SECTIONS = ['ip', 'mixed', 'batch', 'routes', 'fresh', 'proxy', 'memory'] as const;
/** Sections that share a server. */
const ON_ONE_SERVER: readonly Section[] = ['ip', 'mixed', 'batch'];
type Section = (typeof SECTIONS)[number];
/** For the length of the memory section, where the rate was not measured. */
const EXPECTED_PER_SECOND = 30_000;

async function measureAll(
  processes: PinnedProcesses,
  folder: string,
  sections: readonly Section[],
): Promise<Row[]> {
  print('building the dataset, exporting it as MMDB, creating keys');
  const setup = await prepareSetup(processes, folder, SEED);
  const rows: Row[] = [];
  let rate = EXPECTED_PER_SECOND;
  if (sections.includes('fresh')) rows.push(...(await measureStartAndSearch(setup)));
  if (sections.some((section) => ON_ONE_SERVER.includes(section))) {
    const metricsPort = await freePort();
    const whence = await startWhence(processes, setup.dataDir, SERVER_CORE, {
      WHENCE_METRICS_PORT: String(metricsPort),
    });
    const isFallback = sumOf(await readMetrics(metricsPort), /^whence_read_fallback (\d)$/gm) > 0;
    print(
      `connections are read ${isFallback ? 'by data events, the slower fallback' : 'into one shared buffer'}`,
    );
    if (sections.includes('ip')) {
      const { perSecond, rows: ipRows } = await compareIp(setup, whence);
      rate = perSecond;
      rows.push(...ipRows);
    }
    if (sections.includes('mixed')) rows.push(...(await compareMixed(setup, whence)));
    if (sections.includes('batch')) rows.push(...(await compareBatch(setup, whence)));
    await whence.stop();
  }
  if (sections.includes('routes')) rows.push(...(await compareRoutes(setup)));
  if (sections.includes('proxy')) rows.push(...(await measureBehindNginx(setup)));
  if (sections.includes('memory')) rows.push(...(await measureMemory(setup, rate)));
  return rows;
}
