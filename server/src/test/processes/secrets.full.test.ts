/**
 * No secret of a setting is in anything that a server or a command prints, logs or serves, also
 * when what the setting names fails: libraries repeat URLs in their errors.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { runCommand } from '../run-command.ts';
import { TestFolder } from '../test-server.ts';

const bin = join(import.meta.dirname, '../../bin.js');
/** In user information, a query and a token in the path. */
const secretUrl = (host: string, name: string) =>
  `http://someone:MARK${name}1@${host}/MARK${name}2a3b4c5d/data.json?token=MARK${name}3`;

/** Everything of the host fails, in the way that is given. */
const settingsOf = (host: string): Record<string, string> => ({
  WHENCE_RPKI: secretUrl(host, 'rpki'),
  WHENCE_DATASET_URL: secretUrl(host, 'dataset').replace('/data.json', ''),
  WHENCE_FEEDS: secretUrl(host, 'feeds'),
  HTTPS_PROXY: `http://someone:MARKproxy1@${host}`,
  WHENCE_OIDC_ISSUER: `https://${host}/MARKissuer2a3b4c5d`,
  WHENCE_OIDC_CLIENT_ID: 'whence',
  WHENCE_OIDC_CLIENT_SECRET: 'MARKoidc1',
});

const COMMANDS = [
  ['dataset', 'pull'],
  ['dataset', 'update'],
  ['dataset', 'feeds'],
  ['ip', '8.8.8.8', '--include', 'routing'],
];

for (const [failure, respond] of [
  ['is unreachable', undefined],
  ['answers with 404', { status: 404, body: 'not here' }],
  ['answers with a page', { status: 200, body: '<html>sign in</html>' }],
] as const)
  test(`secrets: none is told when every host ${failure}`, async () => {
    const host = createServer((_request, response) =>
      response.writeHead(respond?.status ?? 500).end(respond?.body),
    );
    if (respond !== undefined) await once(host.listen(0, '127.0.0.1'), 'listening');
    const place = `127.0.0.1:${respond === undefined ? await freePort() : (host.address() as AddressInfo).port}`;
    const folder = new TestFolder();
    const metricsPort = await freePort();
    const environment = {
      ...folder.environment,
      ...settingsOf(place),
      WHENCE_METRICS_PORT: String(metricsPort),
    };
    const { secret } = await folder.createKey();
    folder.publish();
    let told = '';
    const child = spawn(process.execPath, [bin, 'serve'], {
      env: {
        ...process.env,
        ...environment,
        WHENCE_PORT: '0',
        WHENCE_LOG_LEVEL: 'trace',
        WHENCE_FIRST_KEY: 'off',
      },
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        told += text;
      });
    try {
      let url = '';
      await until('it listens', () => {
        url = /listens on (http:\S+)/.exec(told)?.[1] ?? '';
        return url !== '';
      });
      await until('the pull has failed', () => told.includes('could not be pulled'));
      for (const path of [
        '/v1/ip/8.8.8.8?include=routing',
        '/readyz',
        '/dashboard/provider',
        '/openapi.json',
      ])
        told += await (await fetch(url + path, { headers: { 'X-API-Key': secret } })).text();
      told += await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    } finally {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    for (const argv of COMMANDS) {
      const { stdout, stderr } = await runCommand(argv, environment);
      assert.notEqual(stdout + stderr, '', argv.join(' '));
      told += stdout + stderr;
    }
    const report = join(folder.dataDir, 'feeds/last-update.json');
    assert.ok(existsSync(report));
    told += readFileSync(report, 'utf8');
    host.close();
    folder.remove();
    const [found] = /.{0,200}MARK.{0,60}/.exec(told) ?? [];
    assert.equal(found, undefined);
  });

for (const [failure, url] of [
  ['cannot be reached', 'postgres://someone:MARKpassword1@127.0.0.1:1/whence?connect_timeout=1'],
  [
    'has a file that does not exist',
    'postgres://someone:MARKpassword1@127.0.0.1:1/w?connect_timeout=1&sslmode=verify-ca&sslrootcert=/none',
  ],
  ['is no URL', 'postgres://someone:MARKpassword1@[/whence'],
  ['has an unknown mode', 'postgres://someone:MARKpassword1@127.0.0.1/whence?sslmode=maybe'],
] as const)
  test(`secrets: none is told when the database ${failure}`, async () => {
    const environment = { WHENCE_DATABASE_URL: url, WHENCE_LOG_LEVEL: 'trace' };
    const env = { ...process.env, ...environment };
    const server = spawnSync(process.execPath, [bin, 'serve'], { env, encoding: 'utf8' });
    assert.notEqual(server.status, 0);
    assert.doesNotMatch(server.stdout + server.stderr, /MARK/);
    for (const argv of [
      ['key', 'list'],
      ['storage', 'check'],
    ]) {
      const { code, stdout, stderr } = await runCommand(argv, environment);
      assert.notEqual(code, 0, argv.join(' '));
      assert.doesNotMatch(stdout + stderr, /MARK/, argv.join(' '));
    }
  });
