/**
 * What a person reads when the URL of the database is wrong, on a real server that asks for
 * passwords.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test, { after, before } from 'node:test';
import { NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import pg from 'pg';
import { openStorage } from '../open-storage.ts';
import { StorageUnavailable } from '../storage-unavailable.ts';
import { passingReason } from './open-failure.ts';

const skip = NO_OWN_POSTGRES;
let postgres: PostgresServer | undefined;
let host: string;
let database: string;
/** Servers that are not PostgreSQL: what they do to a connection. */
const others = [
  (_: Socket) => {},
  (socket: Socket) => socket.resetAndDestroy(),
  (socket: Socket) => socket.end(),
].map((act) =>
  createServer((socket) => void socket.on('error', () => {}).once('data', () => act(socket))),
);
let [silent, resets, closes]: string[] = [];

before(async () => {
  for (const server of others) await once(server.listen(0, '127.0.0.1'), 'listening');
  [silent, resets, closes] = others.map(
    (server) => `127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  if (skip !== false) return;
  postgres = await PostgresServer.startOwn();
  const { url } = await postgres.createDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE ROLE guest LOGIN PASSWORD 'right'");
  await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  await client.query('GRANT USAGE ON SCHEMA public TO guest');
  // From now on passwords are asked for.
  const { rows } = await client.query('SHOW hba_file');
  await client.query(
    `COPY (SELECT 'host all guest 127.0.0.1/32 scram-sha-256' UNION ALL SELECT 'host all whence 127.0.0.1/32 trust')
     TO '${rows[0]?.hba_file}'`,
  );
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  ({ host, pathname: database } = new URL(url));
});
after(async () => {
  for (const server of others) server.close();
  await postgres?.stop();
});

for (const [behaviour, url, want] of [
  [
    'a wrong password',
    () => `postgres://guest:wrong@${host}${database}`,
    /cannot be used: password authentication failed for user "guest"\. Check the user and the password in the URL/,
  ],
  [
    'no password',
    () => `postgres://guest@${host}${database}`,
    /cannot be used: it requires a password, and none is set\. Put it into the URL, PGPASSWORD/,
  ],
  [
    'a user that may not come in from here',
    () => `postgres://stranger:x@${host}${database}`,
    /cannot be used: no pg_hba\.conf entry for host .* check its pg_hba\.conf\.$/,
  ],
  [
    'a database that does not exist',
    () => `postgres://whence@${host}/nowhere`,
    /\/nowhere cannot be used: database "nowhere" does not exist\. Create it with its user as the owner/,
  ],
  [
    'a user that may not create tables',
    () => `postgres://guest:right@${host}${database}`,
    /the schema could not be brought up to date: permission denied .*make it the owner of the database\.$/,
  ],
  [
    'TLS that the server does not offer',
    () => `postgres://whence@${host}${database}?sslmode=require`,
    /cannot be used: it does not offer TLS\. Turn it on there/,
  ],
  [
    'a certificate file that does not exist',
    () => `postgres://whence@${host}${database}?sslmode=verify-ca&sslrootcert=/nowhere.pem`,
    /no such file or directory, open '\/nowhere\.pem'\. Check sslrootcert/,
  ],
  [
    'a port on which nothing listens',
    () => `postgres://whence@127.0.0.1:1${database}?connect_timeout=1`,
    /^postgres:\/\/127\.0\.0\.1:1\/\S+ cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1, for 1 s\. Is PostgreSQL running/,
  ],
  [
    'a host that cannot be resolved',
    () => `postgres://whence@db.invalid${database}?connect_timeout=1`,
    /cannot be used: getaddrinfo \w+ db\.invalid, for 1 s\. Its host name cannot be resolved/,
  ],
  [
    'a network that drops packets',
    () => `postgres://whence@${silent}${database}?connect_timeout=1`,
    /cannot be used: it does not answer, for 1 s\. Check host and port/,
  ],
  [
    'connections that are reset',
    () => `postgres://whence@${resets}${database}?connect_timeout=1`,
    /cannot be used: read ECONNRESET, for 1 s$/,
  ],
  [
    'a proxy that closes connections, because its server is away',
    () => `postgres://whence@${closes}${database}?connect_timeout=1`,
    /cannot be used: Connection terminated unexpectedly, for 1 s$/,
  ],
  [
    'a socket that does not exist yet',
    () => `postgres://${database}?host=/nowhere&user=whence&connect_timeout=1`,
    /cannot be used: its socket does not exist, for 1 s\. Is PostgreSQL running/,
  ],
  [
    'two hosts, of which one does not exist and one does not answer',
    () => `postgres://whence@127.0.0.1:1,${silent}${database}?connect_timeout=1`,
    /cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1; it does not answer, for 1 s\. Is PostgreSQL running/,
  ],
  [
    'two hosts, of which one refuses the password and one may come back',
    () => `postgres://guest:wrong@127.0.0.1:1,${host}${database}?connect_timeout=1`,
    /ECONNREFUSED 127\.0\.0\.1:1; password authentication failed for user "guest", for 1 s\. Check the user and the password/,
  ],
] as const)
  test(`opening PostgreSQL: ${behaviour}`, { skip }, async () => {
    await assert.rejects(openStorage(url()), (error: Error) => {
      assert.match(error.message, want);
      assert.doesNotMatch(error.message, /right|wrong/, 'no password');
      return true;
    });
  });

for (const [behaviour, error, isWaitedFor] of [
  ['no route to the host', { code: 'EHOSTUNREACH' }, true],
  ['no network yet', { code: 'ENETUNREACH' }, true],
  ['a resolver that does not answer', { code: 'EAI_AGAIN' }, true],
  ['a connection that TCP gives up', { code: 'ETIMEDOUT' }, true],
  [
    'a server that stops',
    { code: '57P01', message: 'terminating connection due to administrator command' },
    true,
  ],
  [
    'PgBouncer without a server',
    { code: '08P01', message: 'server login has been failing, try again later' },
    true,
  ],
  [
    'PgBouncer whose servers are all in use',
    { code: '08P01', message: 'query_wait_timeout' },
    true,
  ],
  [
    'PgBouncer that does not know the user',
    { code: '08P01', message: 'no such user: guest' },
    false,
  ],
  ['a database that was dropped', { code: '57P04', message: 'database was dropped' }, false],
  [
    'a setting that it does not know',
    { code: '42704', message: 'unknown parameter "lock_timeout"' },
    false,
  ],
  ['a certificate that has expired', { code: 'CERT_HAS_EXPIRED' }, false],
] as const)
  test(`opening PostgreSQL: ${behaviour} is ${isWaitedFor ? '' : 'not '}waited for`, () => {
    const cause = Object.assign(new Error('failed'), error);
    assert.equal(passingReason(new StorageUnavailable('', { cause })) !== undefined, isWaitedFor);
  });
