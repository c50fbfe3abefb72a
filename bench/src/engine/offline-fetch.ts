/**
 * Preloaded into the updater of ip-location-api: a `fetch` that returns DB-IP's two country files
 * from the npm package, where they have the same names, and rejects every other URL.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

globalThis.fetch = async (input) => {
  const file = /\/(dbip-country-ipv[46]\.csv)$/.exec(String(input))?.[1];
  if (file === undefined) throw new Error(`downloads are disabled in benchmarks: ${String(input)}`);
  return new Response(
    readFileSync(createRequire(import.meta.url).resolve(`@ip-location-db/dbip-country/${file}`)),
  );
};
