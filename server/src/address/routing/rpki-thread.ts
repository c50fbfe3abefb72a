/** A thread that reads a file of VRPs, hands over its rows and ends: half a million take a second to parse. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { parseVrps } from './parse-vrps.ts';
import { encodeVrps } from './vrps.ts';

export type ReadVrps = { readonly rows: Uint32Array } | { readonly reason: string };

try {
  const rows = encodeVrps(parseVrps(readFileSync(workerData as string, 'utf8')));
  parentPort?.postMessage({ rows } satisfies ReadVrps, [rows.buffer]);
} catch (error) {
  parentPort?.postMessage({ reason: (error as Error).message } satisfies ReadVrps);
}
