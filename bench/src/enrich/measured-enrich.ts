/**
 * Child process: `measured-enrich.js FILE OPTION…` runs `whence enrich`. The lines go to standard output, the measure
 * to standard error.
 */
import { run } from '../../../server/dist/main.js';

export type EnrichMeasure = { readonly found: number; readonly cpuSeconds: number; readonly wallSeconds: number };

let summary = '';
const before = process.cpuUsage();
const startedMs = performance.now();
const code = await run(['enrich', '--json', ...process.argv.slice(2)], process.env, process.stdout, {
  write: (text) => {
    summary += text;
  },
});
const { user, system } = process.cpuUsage(before);
if (code !== 0) throw new Error(`whence enrich exited with ${code}: ${summary}`);
const { found } = JSON.parse(summary) as { found: number };
const measure: EnrichMeasure = {
  found,
  cpuSeconds: (user + system) / 1e6,
  wallSeconds: (performance.now() - startedMs) / 1000,
};
process.stderr.write(`${JSON.stringify(measure)}\n`);
