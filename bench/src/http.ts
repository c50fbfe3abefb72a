/**
 * The server as its callers see it: requests per second next to servers that do less, the time of a search and of a start, and memory.
 * Servers run on one core, whoever asks them on another, over the loopback.
 *
 * The peers check no key and count nothing. Those with npm maxmind run twice: with the country alone, and with all that we know.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareBatch } from './http/compare-batch.ts';
import { compareIp } from './http/compare-ip.ts';
import { measureMemory, measureStartAndSearch } from './http/fresh-servers.ts';
import { findObstacle, PinnedProcesses } from './http/pinned-processes.ts';
import { startWhence } from './http/whence-server.ts';
import { prepareWorkplace } from './http/workplace.ts';
import { untilInterrupted } from './interruption.ts';
import { formatRows, load, type Row, say } from './report.ts';

const SEED = 20260617;

export async function http(): Promise<void> {
  const obstacle = findObstacle();
  if (obstacle !== undefined) {
    process.stderr.write(`${obstacle}\n`);
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
  say('building the dataset, exporting it as MMDB, making keys');
  const workplace = await prepareWorkplace(processes, folder, SEED);
  const freshRows = await measureStartAndSearch(workplace);
  const whence = await startWhence(processes, workplace.dataDir);
  const { perSecond, rows: ipRows } = await compareIp(workplace, whence);
  const batchRows = await compareBatch(workplace, whence);
  await whence.stop();
  return [...ipRows, ...batchRows, ...freshRows, ...(await measureMemory(workplace, perSecond))];
}
