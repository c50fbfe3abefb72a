/**
 * `npm run bench -- <name> [options]`. A benchmark reports a missed goal in its table and exits with 0; `soak` and
 * `fuzz` exit with 1 if a promise is broken.
 */
import { BENCHMARKS, benchmarksHelp } from './benchmarks.ts';
import { OptionError } from './soak/script-options.ts';

const USAGE_ERROR = 2;

const [name = '', ...args] = process.argv.slice(2);
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark !== undefined) {
  try {
    const run = await benchmark.load();
    await run(args);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = USAGE_ERROR;
  }
} else if (name === '--help' || name === 'help') process.stdout.write(benchmarksHelp());
else {
  process.stderr.write(name === '' ? benchmarksHelp() : `there is no benchmark ${name}\n\n${benchmarksHelp()}`);
  process.exitCode = USAGE_ERROR;
}
