/**
 * `npm run bench -- <name> [options]`. A benchmark reports a missed goal in its table and exits with 0; `soak` and
 * `fuzz` exit with 1 if a promise is broken.
 */
import { accuracy } from './accuracy.ts';
import { capacity } from './capacity.ts';
import { cluster } from './cluster.ts';
import { coverage } from './coverage.ts';
import { disagreements } from './disagreements.ts';
import { email } from './email.ts';
import { engine } from './engine.ts';
import { enrich } from './enrich.ts';
import { fuzz } from './fuzz.ts';
import { http } from './http.ts';
import { OptionError } from './soak/script-options.ts';
import { soak } from './soak.ts';
import { start } from './start.ts';
import { update } from './update.ts';

type Benchmark = (args: readonly string[]) => Promise<void>;
const benchmarks: Readonly<Record<string, Benchmark>> = {
  engine,
  http,
  start,
  update,
  email,
  enrich,
  coverage,
  accuracy,
  cluster,
  capacity,
  disagreements,
  soak,
  fuzz,
};

const USAGE_ERROR = 2;

const [name = '', ...args] = process.argv.slice(2);
const benchmark = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
if (benchmark === undefined) {
  process.stderr.write(`usage: npm run bench -- <name>\nbenchmarks: ${Object.keys(benchmarks).join(', ')}\n`);
  process.exitCode = USAGE_ERROR;
} else
  await benchmark(args).catch((error: unknown) => {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = USAGE_ERROR;
  });
