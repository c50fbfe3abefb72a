// A reporter for .ci/test.mjs: a line of JSON for every test that begins, with its name, and for
// every test that has ended, with the names of the tests around it.
import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';

export default async function* testEvents(source) {
  const names = [];
  for await (const { type, data } of source) {
    if (type === 'test:dequeue')
      yield `${JSON.stringify({ begun: data.name, nesting: data.nesting })}\n`;
    if (type === 'test:start') names.splice(data.nesting, Infinity, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { nesting, file, line, details, skip, todo } = data;
    const error = details.error;
    // It failed because of a test in it, which has been reported.
    const isDerived = error?.failureType === 'subtestsFailed';
    const ended = {
      names: [...names.slice(0, nesting), data.name],
      location: `${file}:${line}`,
      isSuite: details.type === 'suite',
      isPassed: type === 'test:pass',
      ms: details.duration_ms,
      skipped: skip ?? todo,
      failure: error === undefined || isDerived ? undefined : inspect(error.cause ?? error),
    };
    yield `${JSON.stringify(ended)}\n`;
  }
}

/**
 * Ends a process that something keeps open after its tests, as a test that failed before it closed
 * its server, and reports that as a failure.
 */
export function endAfter(ms, names, events) {
  const end = () => {
    const open = process.getActiveResourcesInfo().filter((kind) => kind !== 'PipeWrap');
    const failure = `it left something open: ${[...new Set(open)].join(', ')}`;
    appendFileSync(events, `${JSON.stringify({ names, isSuite: true, failure })}\n`);
    process.exit(1);
  };
  setTimeout(end, ms).unref();
}
