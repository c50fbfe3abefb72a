/** A thread that reads a file of VRPs, hands over its rows and ends: half a million take a second to parse. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { parseVrps } from './parse-vrps.ts';
import { encodeVrps } from './vrps.ts';

export type ReadVrps =
  | { readonly rows: Uint32Array<ArrayBuffer>; readonly builtAtMs: number | undefined }
  | { readonly reason: string };

try {
  const { vrps, builtAtMs } = parseVrps(readFileSync(workerData as string, 'utf8'));
  const rows = encodeVrps(vrps);
  parentPort?.postMessage({ rows, builtAtMs } satisfies ReadVrps, [rows.buffer]);
} catch (error) {
  parentPort?.postMessage({ reason: (error as Error).message } satisfies ReadVrps);
}
