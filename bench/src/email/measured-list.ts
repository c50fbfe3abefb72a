/**
 * Child process of the benchmark: `whence email --file` with all domains of the zone. Prints how long it took, how many
 * grades are right, and the memory after each tenth.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { run } from '../../../server/dist/main.js';
import { LIST, listedDomain, listedGrade } from './zone.ts';

export type ListMeasure = {
  readonly right: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly residentBytes: readonly number[];
};

const [server = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'whence-bench-'));
const file = join(folder, 'domains.txt');
writeFileSync(file, Array.from({ length: LIST }, (_, i) => `${listedDomain(i)}\n`).join(''));

const residentBytes: number[] = [];
let lines = 0;
let right = 0;
const cpuBefore = process.cpuUsage();
const started = performance.now();
await run(
  ['email', '--file', file, '--json'],
  { WHENCE_DNS_SERVERS: server, WHENCE_DATA_DIR: folder },
  {
    write(text) {
      // One line a write, in the order of the list.
      const { domain, grade } = JSON.parse(String(text)) as { domain: string; grade: string };
      if (domain === listedDomain(lines) && grade === listedGrade(lines)) right++;
      if (++lines % (LIST / 10) === 0) {
        globalThis.gc?.();
        residentBytes.push(process.memoryUsage.rss());
      }
    },
  },
  { write: () => {} },
);
const wallMs = performance.now() - started;
const cpu = process.cpuUsage(cpuBefore);
rmSync(folder, { recursive: true });
const measure: ListMeasure = { right, wallMs, cpuMs: (cpu.user + cpu.system) / 1000, residentBytes };
process.stdout.write(JSON.stringify(measure));
