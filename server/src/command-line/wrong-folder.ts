/**
 * Messages of commands on keys, accounts and counts whose data directory is not the one of the
 * server that is running.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listedServers, runningServerUrl } from '../commands/serve/running-server.ts';
import type { Config } from '../settings/config.ts';
import type { Environment } from '../settings/settings.ts';
import { isPostgresUrl } from '../storage/open-storage.ts';

/** More would hide what the command says itself. */
const MAX_NAMED = 3;

type Folder = Pick<Config, 'dataDir' | 'dataFolder' | 'storageLocation'>;

/** What to do where there is no database. `canBeNew`: the command has --new. */
export function noDatabaseAdvice(
  { dataDir, dataFolder, storageLocation }: Folder,
  environment: Environment,
  canBeNew: boolean,
): string {
  const isEmpty = canBeNew ? '; --new starts an empty one here' : '';
  if (isPostgresUrl(storageLocation)) return isEmpty;
  const isGuessed = dataFolder.origin !== 'set';
  const servers = (isGuessed ? serversElsewhere(dataDir, environment) : []).map(
    ({ url, dataDir: used }) => `. The server at ${url} uses ${used}: add --data-dir ${used}`,
  );
  const unknown =
    ': give --data-dir with the data directory of the server, set WHENCE_DATA_DIR, or run the command where it was started';
  return `${servers.length > 0 ? servers.join('') : unknown}${isEmpty}`;
}

/**
 * A note for a command that has guessed a database which no running server uses, if there is a
 * server elsewhere.
 */
export function otherServerNote(
  { dataDir, dataFolder, storageLocation }: Folder,
  environment: Environment,
): string {
  if (dataFolder.origin === 'set') return '';
  // Without a database, the command does nothing, or was told to start a new one.
  if (isPostgresUrl(storageLocation) || !existsSync(join(dataDir, 'whence.sqlite'))) return '';
  // Its own server may not be in the list: another user, or a service, may have started it.
  if (runningServerUrl(dataDir) !== undefined) return '';
  const servers = serversElsewhere(dataDir, environment).map(
    ({ url, dataDir: used }) => `the server at ${url} uses ${used}`,
  );
  return servers.length === 0
    ? ''
    : `note: this is about ${resolve(dataDir)}; ${servers.join(', ')}\n`;
}

function serversElsewhere(dataDir: string, environment: Environment) {
  return listedServers(environment)
    .filter((server) => server.dataDir !== resolve(dataDir))
    .slice(0, MAX_NAMED);
}
