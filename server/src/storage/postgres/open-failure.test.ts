/** What a person reads when the URL of the database is wrong, on a real server that asks for passwords. */
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import pg from 'pg';
import { openStorage } from '../open-storage.ts';

const skip = NO_OWN_POSTGRES;
let postgres: PostgresServer | undefined;
let host: string;
let database: string;

before(async () => {
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
after(() => postgres?.stop());

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
    () => `postgres://whence@db.invalid${database}`,
    /cannot be used: getaddrinfo \w+ db\.invalid\. Its host name cannot be resolved/,
  ],
] as const)
  test(`opening PostgreSQL: ${behaviour}`, { skip }, async () => {
    await assert.rejects(openStorage(url()), (error: Error) => {
      assert.match(error.message, want);
      assert.doesNotMatch(error.message, /right|wrong/, 'no password');
      return true;
    });
  });
