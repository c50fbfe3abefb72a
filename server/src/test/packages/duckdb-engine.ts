/**
 * DuckDB in this process. It has 63 MB, so it is not among the dependencies: `.ci/test-tools` installs it into a folder of its
 * own.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TEST_TOOLS } from './packed.ts';

const PACKAGE = '@duckdb/node-api';

export const NO_DUCKDB = existsSync(join(TEST_TOOLS, 'node_modules', PACKAGE))
  ? false
  : 'DuckDB is not installed; sh .ci/test-tools installs it';

type Connection = {
  run(sql: string): Promise<unknown>;
  runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>;
  closeSync(): void;
};
type Package = { DuckDBInstance: { create(path: string): Promise<{ connect(): Promise<Connection> }> } };

/** Runs the statements and returns the rows of the last one. */
export async function queryDuckdb(...statements: string[]): Promise<unknown[][]> {
  const { DuckDBInstance } = createRequire(TEST_TOOLS)(PACKAGE) as Package;
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  try {
    for (const sql of statements.slice(0, -1)) await connection.run(sql);
    return (await connection.runAndReadAll(statements.at(-1) ?? '')).getRowsJson();
  } finally {
    connection.closeSync();
  }
}
