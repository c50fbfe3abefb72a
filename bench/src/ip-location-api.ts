/**
 * npm `ip-location-api` with DB-IP's country table. The package has no way to read a local file: its updater downloads from
 * GitHub (addresses in its source, no setting) and compiles the tables that its lookup reads. So its own updater runs here, in
 * a child process whose `fetch` answers from the npm package with the same CSV files (offline-fetch.ts), into a folder of the
 * benchmark. That the tables are its own work and not our imitation is the reason for the detour.
 *
 * The package takes its settings from the environment, and loads its tables, when it is imported. Hence the assignments to
 * process.env and the import inside the function.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Contestant } from './contest.ts';

export type IpLocationApi = Pick<typeof import('ip-location-api'), 'lookup'>;

export async function openIpLocationApi(folder: string): Promise<IpLocationApi> {
  const settings = {
    ILA_IP_LOCATION_DB: 'dbip-country',
    ILA_FIELDS: 'country',
    ILA_DATA_DIR: `${folder}/data`,
    ILA_TMP_DATA_DIR: `${folder}/download`,
    // Otherwise it starts a timer for the next download, which also keeps the process alive.
    ILA_AUTO_UPDATE: 'false',
    ILA_SILENT: 'true',
  };
  const offlineFetch = import.meta.resolve('./offline-fetch.js');
  const updater = fileURLToPath(new URL('../script/updatedb.mjs', import.meta.resolve('ip-location-api')));
  const output = execFileSync(process.execPath, ['--import', offlineFetch, updater], { env: settings });
  // It ends with 0 after some failures too, and then the import below would try to download.
  if (!output.includes('SUCCESS TO UPDATE')) throw new Error(`ip-location-api made no tables: ${output}`);
  Object.assign(process.env, settings);
  return import('ip-location-api');
}

export function ipLocationApiLookup({ lookup }: IpLocationApi): Contestant {
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
