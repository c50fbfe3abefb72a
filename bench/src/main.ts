/** `npm run bench -- <name>`: which benchmarks there are. A missed goal is a printed answer, not a failure: the exit code is 0. */
import { coverage } from './coverage.ts';
import { email } from './email.ts';
import { engine } from './engine.ts';
import { enrich } from './enrich.ts';
import { http } from './http.ts';
import { update } from './update.ts';

const benchmarks: Readonly<Record<string, () => Promise<void>>> = { engine, http, update, email, enrich, coverage };

const USED_WRONGLY = 2;

const name = process.argv[2] ?? '';
const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (benchmark === undefined) {
  process.stderr.write(`usage: npm run bench -- <name>\nbenchmarks: ${Object.keys(benchmarks).join(', ')}\n`);
  process.exitCode = USED_WRONGLY;
} else await benchmark();
