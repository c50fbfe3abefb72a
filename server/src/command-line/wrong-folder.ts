/** Messages of commands on keys, accounts and counts whose data directory is not the one of the server that is running. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listedServers, runningServerUrl } from '../commands/serve/running-server.ts';
import type { Config } from '../settings/config.ts';
import type { Environment } from '../settings/settings.ts';
import { isPostgresUrl } from '../storage/open-storage.ts';

/** More would hide what the command says itself. */
const MAX_NAMED = 3;

/** What to do where there is no database. `canBeNew`: the command has --new. */
export function noDatabaseAdvice(
  { dataDir, storageLocation }: Pick<Config, 'dataDir' | 'storageLocation'>,
  environment: Environment,
  canBeNew: boolean,
): string {
  const isEmpty = canBeNew ? '; --new starts an empty one here' : '';
  if (isPostgresUrl(storageLocation)) return isEmpty;
  const servers = listedServers(environment)
    .filter((server) => server.dataDir !== resolve(dataDir))
    .slice(0, MAX_NAMED)
    .map((server) => `. The server at ${server.url} uses ${server.dataDir}: add --data-dir ${server.dataDir}`);
  const unknown =
    ': give --data-dir with the data directory of the server, set WHENCE_DATA_DIR, or run the command where it was started';
  return `${servers.length > 0 ? servers.join('') : unknown}${isEmpty}`;
}

/** A note for a command on a database that no running server uses, if there is a server elsewhere. */
export function otherServerNote({ dataDir, storageLocation }: Config, environment: Environment): string {
  // Without a database, the command does nothing, or was told to start a new one.
  if (isPostgresUrl(storageLocation) || !existsSync(join(dataDir, 'whence.sqlite'))) return '';
  // Its own server may not be in the list: another user, or a service, may have started it.
  if (runningServerUrl(dataDir) !== undefined) return '';
  return listedServers(environment)
    .slice(0, MAX_NAMED)
    .map((server) => `note: this is about ${resolve(dataDir)}; the server at ${server.url} uses ${server.dataDir}\n`)
    .join('');
}
