// The address of a data directory's server, in a file: commands may lack its variables, and it may
// choose its port.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder, writeAtomically } from '@whence/dataset/io/files';
import { livenessOf, ownIdentity, type ProcessIdentity } from '@whence/dataset/io/lock';
import { ownDataFolder } from '../../settings/data-folder.ts';
import type { Environment } from '../../settings/settings.ts';

type RunningServer = { readonly url: string; readonly process: ProcessIdentity };

const pathIn = (dataDir: string) => join(dataDir, 'server.json');

export function announceServer(dataDir: string, url: string): () => void {
  const own: RunningServer = { url, process: ownIdentity() };
  writeAtomically(pathIn(dataDir), Buffer.from(`${JSON.stringify(own)}\n`));
  return () => {
    // Another server may have been started in the meantime.
    const { pid, start } = readServer(dataDir)?.process ?? {};
    if (pid === own.process.pid && start === own.process.start)
      rmSync(pathIn(dataDir), { force: true });
  };
}

/**
 * In the user's own data directory: one file for each data directory in which they have started a
 * server.
 */
function listFolder(environment: Environment): string | undefined {
  const own = ownDataFolder(environment);
  return own && join(own, 'servers');
}

/** Remembers where a server runs, so that a command in another folder can name it. */
export function listServer(dataDir: string, environment: Environment): void {
  const folder = listFolder(environment);
  if (folder === undefined) return;
  makeFolder(folder, 0o700);
  const path = resolve(dataDir);
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16);
  writeAtomically(join(folder, name), Buffer.from(`${path}\n`));
}

export function listedServers(
  environment: Environment,
): { readonly url: string; readonly dataDir: string }[] {
  const folder = listFolder(environment);
  try {
    return readdirSync(folder ?? '').flatMap((name) => {
      const dataDir = readFileSync(join(folder ?? '', name), 'utf8').trim();
      const url = runningServerUrl(dataDir);
      return url === undefined ? [] : [{ url, dataDir }];
    });
  } catch {
    // There is no list, or it cannot be read: it only makes messages better.
    return [];
  }
}

export function runningServerUrl(dataDir: string): string | undefined {
  const server = readServer(dataDir);
  return server !== undefined && livenessOf(server.process, ownIdentity()) === 'running'
    ? server.url
    : undefined;
}

function readServer(dataDir: string): RunningServer | undefined {
  try {
    const server = JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as Partial<RunningServer>;
    if (typeof server.url !== 'string' || typeof server.process?.pid !== 'number') return undefined;
    return { url: server.url, process: server.process };
  } catch {
    // It does not exist, or cannot be read: the settings say where the server is.
    return undefined;
  }
}
