/**
 * Failures that a setting causes, as messages that name it: a file, the data directory, an address
 * to listen on.
 */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { notRegular, readRegular, UnusableFile } from '@whence/dataset/io/files';
import { ownedByAnother } from '../file-ownership.ts';
import { CommandError, SettingError } from './exit.ts';
import { type Refusal, withFileErrors } from './file-errors.ts';

/** Time to read one of them: they are on a disk of this machine or of its network. */
const TIMEOUT_MS = 10_000;

export async function readSettingFile(
  variable: string,
  path: string,
  maxBytes: number,
): Promise<string> {
  checkSettingFile(variable, path);
  try {
    return (await readRegular(path, { maxBytes, timeoutMs: TIMEOUT_MS })).toString('utf8');
  } catch (error) {
    throw refusalOf(variable, path, error as Error);
  }
}

export function checkSettingFile(variable: string, path: string): void {
  let stats: Stats;
  try {
    accessSync(path, constants.R_OK);
    stats = statSync(path);
  } catch (error) {
    throw refusalOf(variable, path, error as Error);
  }
  if (!stats.isFile()) throw refusalOf(variable, path, notRegular(stats));
}

function refusalOf(variable: string, path: string, error: NodeJS.ErrnoException): SettingError {
  const { code = '', message } = error;
  const why =
    error instanceof UnusableFile ? message : (UNREADABLE[code] ?? `cannot be read: ${message}`);
  return new SettingError(`${variable} names ${path}, which ${why}`);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'is not readable by this user',
  EPERM: 'is not readable by this user',
};

/**
 * File system errors in the data directory. None of them changes a version that is already
 * published.
 */
const MESSAGES: Partial<Readonly<Record<Refusal, string>>> = {
  'permission denied': 'the data directory is not writable',
  'read-only file system': 'the data directory is not writable',
  'its parent is not a directory': 'the data directory is not a directory',
  'a file with this name exists': 'the data directory is not a directory',
  'its directory does not exist': 'the data directory cannot be created',
  'the name is too long': 'the data directory cannot be created',
};

/** What the work writes, and what the message adds about it. */
const PURPOSES = { dataset: ' Published versions are unchanged.', keys: '' } as const;

export function withDataDirErrors<T>(
  dataDir: string,
  work: () => T,
  purpose: keyof typeof PURPOSES = 'dataset',
): T {
  return withFileErrors(work, (error, refusal) => {
    if (refusal === undefined) return error;
    const message =
      refusal === 'no space left' ? `no space left for the ${purpose}` : MESSAGES[refusal];
    if (message === undefined) return error;
    const { path = dataDir } = error as NodeJS.ErrnoException;
    const owned = refusal === 'permission denied' ? ownedByAnother(path, dataDir) : undefined;
    if (owned !== undefined) return new CommandError(owned);
    return new CommandError(
      `${message}: ${dataDir} (${error.message}). WHENCE_DATA_DIR sets the data directory.${PURPOSES[purpose]}`,
    );
  });
}

type ListenAddress = {
  readonly host: string;
  readonly port: number;
  readonly hostSetting: string;
  readonly portSetting: string;
};

/** Other errors are returned unchanged. */
export function listenError(
  error: unknown,
  { host, port, hostSetting, portSetting }: ListenAddress,
): unknown {
  const { code, syscall = '', message } = error as NodeJS.ErrnoException;
  if (!LISTEN_CALLS.includes(syscall)) return error;
  switch (code) {
    case 'EADDRINUSE':
      return new CommandError(
        `port ${port} on ${host} is in use by another process: stop that process, or change ${portSetting}`,
      );
    case 'EACCES':
      return new CommandError(
        `permission denied to listen on port ${port} of ${host}: set ${portSetting} to 1024 or more`,
      );
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new SettingError(
        `${hostSetting} is ${JSON.stringify(host)}, which is not an address of this machine`,
      );
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new SettingError(
        `${hostSetting} is ${JSON.stringify(host)}, a name that cannot be resolved to an address`,
      );
    default:
      return new CommandError(
        `cannot listen on ${host}, port ${port} (${hostSetting}, ${portSetting}): ${message}`,
      );
  }
}

const LISTEN_CALLS = ['getaddrinfo', 'bind', 'listen'];
