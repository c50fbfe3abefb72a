/**
 * Wraps a dialect so that every failure of the server or the network is a `StorageUnavailable`, and that a transaction
 * begins with `begin`.
 */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { compiledQuery } from '../kysely.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';

export function unavailableDialect(dialect: Dialect, begin: string): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => new UnavailableDriver(dialect.createDriver(), begin),
  };
}

class UnavailableDriver implements Driver {
  readonly #driver: Driver;
  readonly #begin: string;
  readonly #wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>();

  constructor(driver: Driver, begin: string) {
    this.#driver = driver;
    this.#begin = begin;
  }

  init = () => orUnavailable(() => this.#driver.init());
  destroy = () => this.#driver.destroy();

  async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await orUnavailable(() => this.#driver.acquireConnection());
    const wrapper: DatabaseConnection = {
      executeQuery: <R>(query: CompiledQuery) => orUnavailable(() => connection.executeQuery<R>(query)),
      streamQuery: <R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> =>
        connection.streamQuery<R>(query, chunkSize),
    };
    this.#wrapped.set(wrapper, connection);
    return wrapper;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(compiledQuery.raw(this.#begin));
  }

  commitTransaction = (connection: DatabaseConnection) =>
    orUnavailable(() => this.#driver.commitTransaction(this.#inner(connection)));
  rollbackTransaction = (connection: DatabaseConnection) =>
    orUnavailable(() => this.#driver.rollbackTransaction(this.#inner(connection)));
  releaseConnection = (connection: DatabaseConnection) => this.#driver.releaseConnection(this.#inner(connection));

  #inner(connection: DatabaseConnection): DatabaseConnection {
    return this.#wrapped.get(connection) ?? connection;
  }
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StorageUnavailable(messageOf(error as Error & { code?: string }), { cause: error });
  }
}

/** A connection that is refused on several addresses is an AggregateError without a message. */
function messageOf({ message, code }: Error & { code?: string }): string {
  const text = message === '' ? 'no connection to PostgreSQL' : message;
  return code === undefined ? text : `${text} (${code})`;
}
