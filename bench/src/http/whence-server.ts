/** Starts Whence and the peers as child processes, and prepares a data directory. */

import { fileURLToPath } from 'node:url';
import { Keys } from '../../../server/dist/keys/keys.js';
import { PERMISSIONS } from '../../../server/dist/keys/tiers.js';
import { openStorage } from '../../../server/dist/storage/open-storage.js';
import { updateCommand } from '../../../server/dist/updates/updater.js';
import {
  ANY_CORE,
  BACKGROUND,
  type PinnedProcesses,
  type Placement,
  SERVER_CORE,
  type StartedProcess,
} from './pinned-processes.ts';

export type Server = Omit<StartedProcess, 'firstLine'> & { readonly url: string };

export const BIN = fileURLToPath(import.meta.resolve('../../../server/dist/bin.js'));
const BUILD_TIMEOUT_MS = 60_000;
const EXPORT_TIMEOUT_MS = 60_000;
const UPDATE_TIMEOUT_MS = 300_000;

export async function startWhence(
  processes: PinnedProcesses,
  dataDir: string,
  placement: Placement = SERVER_CORE,
  settings: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const environment = { WHENCE_DATA_DIR: dataDir, WHENCE_PORT: '0', WHENCE_LOG_LEVEL: 'warn', ...settings };
  const { firstLine, ...started } = await processes.start(placement, [BIN, 'serve'], environment);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(firstLine)?.[0];
  if (url === undefined) throw new Error(`unexpected first line of the server: ${firstLine}`);
  return { ...started, url };
}

/** Starts a peer by the name of its script. */
export async function startPeer(processes: PinnedProcesses, script: string, ...args: string[]): Promise<Server> {
  const path = fileURLToPath(new URL(`./peers/${script}.js`, import.meta.url));
  const { firstLine, ...started } = await processes.start(SERVER_CORE, [path, ...args]);
  return { ...started, url: `http://127.0.0.1:${Number(firstLine)}` };
}

export async function buildDataset(processes: PinnedProcesses, dataDir: string): Promise<void> {
  await runWhence(processes, dataDir, ['dataset', 'build'], BUILD_TIMEOUT_MS);
}

export async function exportMmdb(processes: PinnedProcesses, dataDir: string, path: string): Promise<void> {
  await runWhence(processes, dataDir, ['dataset', 'export', '--format', 'mmdb', '--output', path], EXPORT_TIMEOUT_MS);
}

/** The update command of the server's scheduler, with the same priority. Returns the output of `--json`. */
export async function updateInBackground(processes: PinnedProcesses, settings: NodeJS.ProcessEnv): Promise<string> {
  const [program, ...args] = updateCommand(BIN);
  return processes.run(BACKGROUND, program, args, UPDATE_TIMEOUT_MS, settings);
}

export async function createKey(processes: PinnedProcesses, dataDir: string, tier: string): Promise<string> {
  const output = await runWhence(processes, dataDir, ['key', 'create', '--name', 'bench', '--tier', tier], 1_000);
  return output.trim();
}

/** Creates many keys without a process for each. */
export async function createKeys(dataDir: string, tier: 'pro', count: number): Promise<string[]> {
  const storage = await openStorage(dataDir);
  try {
    const keys = new Keys(storage.keys);
    const secrets: string[] = [];
    for (let i = 0; i < count; i++) {
      const { secret } = await keys.create({ name: `bench ${i}`, tier, permissions: PERMISSIONS }, new Date());
      secrets.push(secret);
    }
    return secrets;
  } finally {
    await storage.close();
  }
}

/** Not measured, so it runs on any core. */
function runWhence(processes: PinnedProcesses, dataDir: string, args: string[], expectedMs: number): Promise<string> {
  const environment = { WHENCE_DATA_DIR: dataDir };
  return processes.run(ANY_CORE, process.execPath, [BIN, ...args], expectedMs, environment);
}
