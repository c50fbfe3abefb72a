/**
 * ClickHouse in this process, by npm's chdb. It has 540 MB, so it is not among the dependencies: `.ci/test-tools` installs
 * it into a folder of its own.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after } from 'node:test';
import { TEST_TOOLS } from './packed.ts';

export const NO_CLICKHOUSE = missingClickhouse();

function missingClickhouse(): string | false {
  if (!existsSync(join(TEST_TOOLS, 'node_modules/chdb'))) return 'chdb is not installed; sh .ci/test-tools installs it';
  // The engine itself is a package per platform, which npm leaves out where there is none.
  if (existsSync(join(TEST_TOOLS, 'node_modules/@chdb'))) return false;
  return `chdb has no engine for ${process.platform}-${process.arch} on npm`;
}

type Clickhouse = { query(sql: string, format: string): string };

/** Its data is kept in `folder`; relative paths in SQL are those of the process. */
export function openClickhouse(folder: string): Clickhouse {
  const { Session } = createRequire(TEST_TOOLS)('chdb') as {
    Session: new (folder: string) => Clickhouse & { cleanup(): void };
  };
  const session = new Session(folder);
  after(() => session.cleanup());
  return session;
}
