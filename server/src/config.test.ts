import assert from 'node:assert/strict';
import test from 'node:test';
import { readConfig } from './config.ts';

test('config: defaults', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    dataDir: './whence-data',
    datasetUrl: undefined,
    keepVersions: 7,
    workers: 1,
    metricsPort: undefined,
    logLevel: 'info',
    trustProxy: [],
    dnsServers: [],
    feeds: undefined,
    overrides: undefined,
    contact: undefined,
    updateSeconds: undefined,
  });
});

test('config: an empty variable is an unset one', () => assert.equal(readConfig({ WHENCE_PORT: '' }).port, 8080));

test('config: auto is a worker per core', () => assert.ok(readConfig({ WHENCE_WORKERS: 'auto' }).workers >= 1));

test('config: proxies as addresses and prefixes', () => {
  assert.deepEqual(readConfig({ WHENCE_TRUST_PROXY: '192.0.2.1, 2001:db8::/32,' }).trustProxy, [
    '192.0.2.1',
    '2001:db8::/32',
  ]);
});

for (const [variable, value, message] of [
  ['WHENCE_PORT', '65536', 'WHENCE_PORT is "65536", but must be a port from 0 to 65535'],
  ['WHENCE_PORT', '80a', 'WHENCE_PORT is "80a", but must be a port from 0 to 65535'],
  ['WHENCE_WORKERS', '0', 'WHENCE_WORKERS is "0", but must be a number from 1 to 256, or auto'],
  ['WHENCE_LOG_LEVEL', 'loud', 'WHENCE_LOG_LEVEL is "loud", but must be one of trace, debug, info, warn, error, fatal'],
  ['WHENCE_METRICS_PORT', '-1', 'WHENCE_METRICS_PORT is "-1", but must be a port from 0 to 65535'],
  [
    'WHENCE_TRUST_PROXY',
    'everyone',
    'WHENCE_TRUST_PROXY is "everyone", but must be IP addresses or prefixes, separated by commas',
  ],
  [
    'WHENCE_TRUST_PROXY',
    '192.0.2.0/33',
    'WHENCE_TRUST_PROXY is "192.0.2.0/33", but must be IP addresses or prefixes, separated by commas',
  ],
  ['WHENCE_KEEP_VERSIONS', '1', 'WHENCE_KEEP_VERSIONS is "1", but must be a number from 2 to 1000'],
  [
    'WHENCE_DATASET_URL',
    's3://user:secret@bucket/whence',
    'WHENCE_DATASET_URL is set, but must be an http:, https: or file: URL',
  ],
  ['WHENCE_DATASET_URL', 'secret', 'WHENCE_DATASET_URL is set, but must be an http:, https: or file: URL'],
  [
    'WHENCE_DATASET_URL',
    'file://host/folder',
    'WHENCE_DATASET_URL is set, but must be a file: URL without a host: file:///folder',
  ],
  [
    'WHENCE_DATABASE_URL',
    'postgres://x',
    'WHENCE_DATABASE_URL is set, but this version does not know it yet: unset it',
  ],
] as const) {
  test(`config: ${variable}=${value} stops the start with a sentence`, () => {
    assert.throws(() => readConfig({ [variable]: value }), { name: 'UsageError', message });
  });
}

for (const [text, seconds] of [
  ['off', undefined],
  ['30m', 1800],
  ['6h', 21_600],
  ['1d', 86_400],
] as const) {
  test(`config: WHENCE_UPDATE=${text}`, () => assert.equal(readConfig({ WHENCE_UPDATE: text }).updateSeconds, seconds));
}
