/**
 * npm `ip-location-api` with DB-IP's country table. The package cannot read a local file: its
 * updater downloads from hard-coded GitHub URLs and compiles the tables for its lookup. To use
 * tables that it compiled itself, its updater runs in a child process whose `fetch` returns the
 * same CSV files from an npm package (offline-fetch.ts).
 *
 * The package reads its settings from the environment and loads its tables on import, hence the
 * assignments to process.env and the import inside the function.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toolRequire } from '@whence/testing/installed-tools';
import type { Candidate } from './interleaved-rates.ts';

/** As far as it is used here; a promise only where its tables are not in memory. */
export type IpLocationApi = {
  lookup(address: string): { country?: string } | null | Promise<unknown>;
};

export async function openIpLocationApi(folder: string): Promise<IpLocationApi> {
  const settings = {
    ILA_IP_LOCATION_DB: 'dbip-country',
    ILA_FIELDS: 'country',
    ILA_DATA_DIR: `${folder}/data`,
    ILA_TMP_DATA_DIR: `${folder}/download`,
    // Otherwise a timer for the next download keeps the process alive.
    ILA_AUTO_UPDATE: 'false',
    ILA_SILENT: 'true',
  };
  const offlineFetch = import.meta.resolve('./offline-fetch.js');
  const program = join(dirname(toolRequire.resolve('ip-location-api')), '..');
  const updater = join(program, 'script/updatedb.mjs');
  const output = execFileSync(process.execPath, ['--import', offlineFetch, updater], {
    env: settings,
  });
  // It also exits with 0 after some failures, and then the import below would try to download.
  if (!output.includes('SUCCESS TO UPDATE'))
    throw new Error(`the updater of ip-location-api failed: ${output}`);
  Object.assign(process.env, settings);
  return (await import(pathToFileURL(join(program, 'src/main.mjs')).href)) as IpLocationApi;
}

export function ipLocationApiLookup({ lookup }: IpLocationApi): Candidate {
  return {
    name: 'ip-location-api',
    run: (texts) => {
      let found = 0;
      for (const text of texts) if (lookup(text) !== null) found++;
      return found;
    },
  };
}

export function ipLocationApiCountry({ lookup }: IpLocationApi, text: string): string | undefined {
  const found = lookup(text);
  return found === null || found instanceof Promise ? undefined : found.country;
}
