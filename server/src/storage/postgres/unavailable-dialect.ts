/** A dialect whose failures are `StorageUnavailable`: what the server or the network refuses is storage being down. */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { StorageUnavailable } from '../storage-unavailable.ts';

export function unavailableDialect(dialect: Dialect): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => new UnavailableDriver(dialect.createDriver()),
  };
}

class UnavailableDriver implements Driver {
  readonly #driver: Driver;
  readonly #wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>();

  constructor(driver: Driver) {
    this.#driver = driver;
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

  beginTransaction: Driver['beginTransaction'] = (connection, settings) =>
    orUnavailable(() => this.#driver.beginTransaction(this.#inner(connection), settings));
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
    throw new StorageUnavailable(wordsOf(error as Error & { code?: string }), { cause: error });
  }
}

/** A connection that is refused on several addresses is an AggregateError without a message. */
function wordsOf({ message, code }: Error & { code?: string }): string {
  const words = message === '' ? 'no connection to PostgreSQL' : message;
  return code === undefined ? words : `${words} (${code})`;
}
