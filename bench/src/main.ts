/**
 * `npm run bench -- <name> [options]`. A benchmark reports a missed goal in its table and exits
 * with 0.
 */
import { runScript } from '@whence/testing/script';
import { BENCHMARKS, benchmarksHelp } from './benchmarks.ts';

const USAGE_ERROR = 2;

const [name = '', ...args] = process.argv.slice(2);
const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
if (benchmark !== undefined && !args.includes('--help'))
  await runScript(async () => {
    const run = await benchmark.load();
    await run(args);
  });
else if (benchmark !== undefined || name === '--help' || name === 'help')
  process.stdout.write(benchmarksHelp());
else {
  process.stderr.write(
    name === '' ? benchmarksHelp() : `there is no benchmark ${name}\n\n${benchmarksHelp()}`,
  );
  process.exitCode = USAGE_ERROR;
}
