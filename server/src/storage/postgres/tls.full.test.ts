/** TLS to PostgreSQL, as `sslmode` of the URL says, with the meaning it has for psql. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { findProgram } from '@whence/testing/programs';
import { NO_OWN_POSTGRES, PostgresServer } from '@whence/testing/servers/postgres-server';
import pg from 'pg';
import { openStorage } from '../open-storage.ts';

const skip =
  NO_OWN_POSTGRES || (findProgram('openssl') === undefined && 'openssl is not installed');
const folder = mkdtempSync(join(tmpdir(), 'whence-tls-'));
const [key, certificate, other] = ['server.key', 'server.crt', 'other.crt'].map((name) =>
  join(folder, name),
) as [string, string, string];
let postgres: PostgresServer | undefined;
let url: string;

before(async () => {
  if (skip !== false) return;
  selfSigned(key, certificate, 'localhost');
  selfSigned(join(folder, 'other.key'), other, 'localhost');
  // Readable for the user that PostgreSQL runs as, and for no other.
  if (process.getuid?.() === 0) {
    const id = (flag: string) =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    for (const path of [folder, key, certificate]) chownSync(path, id('-u'), id('-g'));
  }
  chmodSync(key, 0o600);
  assert.equal(statSync(key).mode & 0o077, 0);
  postgres = await PostgresServer.startOwn([
    'ssl=on',
    `ssl_cert_file=${certificate}`,
    `ssl_key_file=${key}`,
  ]);
  ({ url } = await postgres.createDatabase());
});

after(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function selfSigned(keyPath: string, path: string, name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`, '-days', '2'];
  const options = [
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    ...subject,
    '-keyout',
    keyPath,
    '-out',
    path,
  ];
  execFileSync('openssl', ['req', ...options], { stdio: 'ignore' });
}

for (const [behaviour, host, parameters, want] of [
  ['without sslmode there is no TLS', '127.0.0.1', () => '', 'plain'],
  ['disable is no TLS', '127.0.0.1', () => '?sslmode=disable', 'plain'],
  [
    'require encrypts and checks no certificate',
    '127.0.0.1',
    () => '?sslmode=require',
    'encrypted',
  ],
  [
    'verify-full refuses a certificate of no known authority',
    'localhost',
    () => '?sslmode=verify-full',
    /self.signed/,
  ],
  [
    'verify-full accepts one of the authority that is named',
    'localhost',
    () => `?sslmode=verify-full&sslrootcert=${certificate}`,
    'encrypted',
  ],
  [
    'verify-full refuses another host name',
    '127.0.0.1',
    () => `?sslmode=verify-full&sslrootcert=${certificate}`,
    /does not match certificate|not in the cert/,
  ],
  [
    'verify-ca accepts another host name',
    '127.0.0.1',
    () => `?sslmode=verify-ca&sslrootcert=${certificate}`,
    'encrypted',
  ],
  [
    'verify-ca refuses another authority',
    '127.0.0.1',
    () => `?sslmode=verify-ca&sslrootcert=${other}`,
    /self.signed/,
  ],
] as const) {
  test(`tls: ${behaviour}`, { skip }, async () => {
    const location = url.replace('127.0.0.1', host) + parameters();
    if (want instanceof RegExp) {
      await assert.rejects(openStorage(location), { name: 'StorageUnavailable', message: want });
      return;
    }
    const storage = await openStorage(location);
    try {
      assert.equal(await isEncrypted(), want === 'encrypted');
    } finally {
      await storage.close();
    }
  });
}

/** Whether the connections that storage has opened are. */
async function isEncrypted(): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT bool_and(ssl) AS ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'whence'`,
  );
  await client.end();
  return rows[0]?.ssl;
}
