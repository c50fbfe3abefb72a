/**
 * Which address the server of a data directory listens on, for commands that print links to it. It is in a file, because a
 * command may have been started without the variables of the server, or the server may have chosen its port.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { livenessOf, ownIdentity, type ProcessIdentity } from '@whence/dataset/internal/io/process-identity';
import { writeWhole } from '@whence/dataset/internal/io/whole-file';

type RunningServer = { readonly url: string; readonly process: ProcessIdentity };

const pathIn = (dataDir: string) => join(dataDir, 'server.json');

/** Returns how to remove it again. */
export function announceServer(dataDir: string, url: string): () => void {
  const own: RunningServer = { url, process: ownIdentity() };
  writeWhole(pathIn(dataDir), Buffer.from(`${JSON.stringify(own)}\n`));
  return () => {
    // Another server may have been started in the meantime.
    const { pid, start } = readServer(dataDir)?.process ?? {};
    if (pid === own.process.pid && start === own.process.start) rmSync(pathIn(dataDir), { force: true });
  };
}

/** Undefined if none is running, or if it cannot be known, as in another container. */
export function runningServerUrl(dataDir: string): string | undefined {
  const server = readServer(dataDir);
  return server !== undefined && livenessOf(server.process, ownIdentity()) === 'running' ? server.url : undefined;
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
