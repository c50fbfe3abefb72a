/**
 * The server over HTTP: requests per second compared with simpler servers, latency of a search, start time, memory.
 * Servers run on one core, clients on another, over the loopback.
 *
 * The peers check no key and count nothing. Those with npm maxmind run twice: with the country only, and with our
 * content.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareBatch } from './http/compare-batch.ts';
import { compareIp } from './http/compare-ip.ts';
import { measureMemory, measureStartAndSearch } from './http/fresh-servers.ts';
import { missingRequirement, PinnedProcesses } from './http/pinned-processes.ts';
import { prepareSetup } from './http/setup.ts';
import { startWhence } from './http/whence-server.ts';
import { untilInterrupted } from './interruption.ts';
import { formatRows, load, type Row, say } from './report.ts';

const SEED = 20260617;

export async function http(): Promise<void> {
  const missing = missingRequirement();
  if (missing !== undefined) {
    process.stderr.write(`${missing}\n`);
    process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
  const processes = new PinnedProcesses();
  try {
    say(`seed ${SEED}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${load()} at the start`);
    const rows = await Promise.race([measureAll(processes, folder), untilInterrupted()]);
    say(`${load()} at the end\n\n${formatRows(rows)}`);
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(processes: PinnedProcesses, folder: string): Promise<Row[]> {
  say('building the dataset, exporting it as MMDB, creating keys');
  const setup = await prepareSetup(processes, folder, SEED);
  const freshRows = await measureStartAndSearch(setup);
  const whence = await startWhence(processes, setup.dataDir);
  const { perSecond, rows: ipRows } = await compareIp(setup, whence);
  const batchRows = await compareBatch(setup, whence);
  await whence.stop();
  return [...ipRows, ...batchRows, ...freshRows, ...(await measureMemory(setup, perSecond))];
}
