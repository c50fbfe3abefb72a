/** ClickHouse in this process (chdb). Its data is kept in `folder`; relative paths in SQL are those of the process. */
import { after } from 'node:test';
import { Session } from 'chdb';

export type Clickhouse = { query(sql: string, format: string): string };

export function openClickhouse(folder: string): Clickhouse {
  const session = new Session(folder);
  after(() => session.cleanup());
  return session;
}
