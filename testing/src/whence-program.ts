/**
 * The program `whence` in processes of its own: a server, and commands that prepare a data
 * directory for it.
 */
import { fileURLToPath } from 'node:url';
import {
  ANY_CORE,
  type PinnedProcesses,
  type Placement,
  SERVER_CORE,
  type StartedProcess,
} from './pinned-processes.ts';

export type Server = Omit<StartedProcess, 'firstLine'> & { readonly url: string };

/** What npm installs as the command `whence`. */
export const WHENCE = fileURLToPath(new URL('../../server/bin/whence.js', import.meta.url));
const BUILD_TIMEOUT_MS = 240_000;
const EXPORT_TIMEOUT_MS = 120_000;

export async function startWhence(
  processes: PinnedProcesses,
  dataDir: string,
  placement: Placement = SERVER_CORE,
  settings: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const environment = {
    WHENCE_DATA_DIR: dataDir,
    WHENCE_PORT: '0',
    WHENCE_LOG_LEVEL: 'warn',
    ...settings,
  };
  const { firstLine, ...started } = await processes.start(
    placement,
    [WHENCE, 'serve'],
    environment,
  );
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(firstLine)?.[0];
  if (url === undefined) throw new Error(`unexpected first line of the server: ${firstLine}`);
  return { ...started, url };
}

export async function buildDataset(processes: PinnedProcesses, dataDir: string): Promise<void> {
  await runWhence(processes, dataDir, ['dataset', 'build'], BUILD_TIMEOUT_MS);
}

export async function exportMmdb(
  processes: PinnedProcesses,
  dataDir: string,
  path: string,
): Promise<void> {
  await runWhence(
    processes,
    dataDir,
    ['dataset', 'export', '--format', 'mmdb', '--output', path],
    EXPORT_TIMEOUT_MS,
  );
}

export async function createKey(
  processes: PinnedProcesses,
  dataDir: string,
  tier: string,
): Promise<string> {
  const output = await runWhence(
    processes,
    dataDir,
    ['key', 'create', '--new', '--name', 'bench', '--tier', tier],
    1_000,
  );
  return output.trim();
}

/** Not measured, so it runs on any core. */
function runWhence(
  processes: PinnedProcesses,
  dataDir: string,
  args: string[],
  expectedMs: number,
): Promise<string> {
  const environment = { WHENCE_DATA_DIR: dataDir };
  return processes.run(ANY_CORE, process.execPath, [WHENCE, ...args], expectedMs, environment);
}

/** Processes of server/src/test/simulation, which use the server's code without its sockets. */
const SIMULATION = new URL('../../server/dist/test/simulation/', import.meta.url);
export const SIMULATED_REPLICAS = fileURLToPath(new URL('simulation-process.js', SIMULATION));
const CREATE_KEYS = fileURLToPath(new URL('create-keys.js', SIMULATION));
const CREATE_KEYS_TIMEOUT_MS = 120_000;

/**
 * Creates many keys without a process for each. `location` is a data directory or the URL of a
 * database.
 */
export async function createKeys(
  processes: PinnedProcesses,
  location: string,
  tier: string,
  count: number,
): Promise<string[]> {
  const args = [CREATE_KEYS, location, tier, String(count)];
  const output = await processes.run(ANY_CORE, process.execPath, args, CREATE_KEYS_TIMEOUT_MS);
  return output.trimEnd().split('\n');
}
