/**
 * Preloaded into the updater of ip-location-api: a `fetch` that answers for DB-IP's two country files from the npm package,
 * which holds them under the same names, and refuses everything else. Nothing leaves the machine.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

globalThis.fetch = async (input) => {
  const file = /\/(dbip-country-ipv[46]\.csv)$/.exec(String(input))?.[1];
  if (file === undefined) throw new Error(`the benchmark does not download ${String(input)}`);
  return new Response(readFileSync(createRequire(import.meta.url).resolve(`@ip-location-db/dbip-country/${file}`)));
};
