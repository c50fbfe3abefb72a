import assert from 'node:assert/strict';
import test from 'node:test';
import { maskOf, readConfig } from './config.ts';
import { type Setting, settings } from './settings.ts';

test('config: defaults', () => {
  const { inForce, mask, checksum: _, ...config } = readConfig({});
  assert.ok(inForce.every(({ is_set }) => !is_set));
  assert.deepEqual(config, {
    host: '127.0.0.1',
    port: 8080,
    dataDir: './whence-data',
    dataFolder: { path: './whence-data', origin: 'set', cache: './whence-data' },
    databaseUrl: undefined,
    storageLocation: './whence-data',
    storageGraceSeconds: 60,
    datasetUrl: undefined,
    keepVersions: 7,
    workers: 1,
    metrics: undefined,
    shutdownDelaySeconds: 0,
    firstKey: 'print',
    logLevel: 'info',
    trustProxy: [],
    corsOrigins: [],
    dnsServers: [],
    hasSmtpProbe: false,
    feeds: undefined,
    overrides: undefined,
    locationDb: undefined,
    contact: undefined,
    updateSeconds: undefined,
    isUpdateSet: false,
    rpkiSource: undefined,
    smtpServer: undefined,
    smtpPasswordFile: undefined,
    reportMailbox: undefined,
    alertNetworks: [],
    rules: undefined,
    dnsListen: undefined,
    dnsAllow: [
      '127.0.0.0/8',
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '169.254.0.0/16',
      '::1',
      'fc00::/7',
      'fe80::/10',
    ],
    dnsZone: 'whence.invalid',
    publicUrl: undefined,
    reportsKeepDays: 400,
    hasPublicLookups: false,
    memberKeysPerDay: 10,
    provider: undefined,
    proxies: {},
    warnings: [],
  });
});

for (const [behaviour, environment, want] of [
  [
    'is shown as it is set',
    { WHENCE_PORT: '9000' },
    { value: '9000', is_set: true, is_secret: false },
  ],
  ['is shown with its default', {}, { value: '8080', is_set: false, is_secret: false }],
  [
    'that is a secret is not shown',
    { WHENCE_DATASET_URL: 'https://a.example/' },
    { is_set: true, is_secret: true },
  ],
  [
    'that is a database is not shown',
    { WHENCE_DATABASE_URL: 'postgres://u:p@a.example/b' },
    { is_set: true, is_secret: true },
  ],
  [
    'with a password in its URL is not shown',
    { WHENCE_FEEDS: 'https://u:p@a.example/' },
    { is_set: true, is_secret: true },
  ],
] as const) {
  test(`config: a setting ${behaviour}`, () => {
    const variable = Object.keys(environment)[0] ?? 'WHENCE_PORT';
    const found = readConfig(environment).inForce.find((setting) => setting.variable === variable);
    const {
      help: _,
      default: _fallback,
      variable: _name,
      ...shown
    } = found ?? assert.fail(variable);
    assert.deepEqual(shown, want);
  });
}

for (const [text, want] of [
  [
    'smtp://mail.example.com?from=whence@example.com',
    { host: 'mail.example.com', port: 587, isSmtps: false, isLoopback: false, user: '' },
  ],
  [
    'smtps://me%40example.com:p%2Fw@[2001:db8::1]?from=whence@example.com',
    { host: '2001:db8::1', port: 465, isSmtps: true, user: 'me@example.com', password: 'p/w' },
  ],
  [
    'smtp://localhost:25?from=whence@example.com',
    { host: 'localhost', port: 25, isLoopback: true },
  ],
] as const)
  test(`config: ${text} is a mail server`, () => {
    const { smtpServer } = readConfig({ WHENCE_SMTP_URL: text });
    assert.deepEqual({ ...smtpServer, ...want }, smtpServer);
    assert.equal(smtpServer?.from, 'whence@example.com');
  });

const IMAP_PASSWORD = { WHENCE_REPORTS_IMAP_PASSWORD: 'secret' };
for (const [text, want] of [
  [
    'imaps://reports@example.com@mail.example.com/Reports%20in',
    { host: 'mail.example.com', port: 993, user: 'reports@example.com', folder: 'Reports in' },
  ],
  ['imaps://me@[2001:db8::1]:1993', { host: '2001:db8::1', port: 1993, folder: 'INBOX' }],
  ['imap://me@localhost:1143/INBOX', { host: 'localhost', port: 1143, isTls: false }],
] as const)
  test(`config: ${text} is a mailbox`, () => {
    const { reportMailbox } = readConfig({ WHENCE_REPORTS_IMAP: text, ...IMAP_PASSWORD });
    assert.deepEqual({ ...reportMailbox?.mailbox, ...want }, reportMailbox?.mailbox);
    assert.equal(reportMailbox?.password, 'secret');
  });

for (const text of [
  'mail.example.com',
  'imaps://mail.example.com/INBOX',
  'imaps://me:secret@mail.example.com/INBOX',
  'imap://me@mail.example.com/INBOX',
])
  test(`config: ${text} is not a mailbox`, () =>
    assert.throws(
      () => readConfig({ WHENCE_REPORTS_IMAP: text, ...IMAP_PASSWORD }),
      /WHENCE_REPORTS_IMAP is set, but must be an imaps:\/\/ URL with a user and without a password/,
    ));

test('config: a mailbox needs a password', () =>
  assert.throws(
    () => readConfig({ WHENCE_REPORTS_IMAP: 'imaps://me@mail.example.com' }),
    /set WHENCE_REPORTS_IMAP_PASSWORD or WHENCE_REPORTS_IMAP_PASSWORD_FILE too/,
  ));

for (const text of [
  'mail.example.com',
  'https://mail.example.com?from=whence@example.com',
  'smtp://mail.example.com',
  'smtp://mail.example.com?from=whence',
  'smtp://mail.example.com?from=whence@example.com&insecure=1',
])
  test(`config: ${text} is not a mail server`, () =>
    assert.throws(
      () => readConfig({ WHENCE_SMTP_URL: text }),
      /WHENCE_SMTP_URL is set, but must be a URL such as smtp:/,
    ));

for (const [text, want] of [
  ['https://whence.example', 'https://whence.example'],
  ['https://Whence.example/', 'https://whence.example'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
] as const) {
  test(`config: ${text} is a public URL`, () =>
    assert.equal(readConfig({ WHENCE_PUBLIC_URL: text }).publicUrl, want));
}

for (const text of [
  'whence.example',
  'https://whence.example/path',
  'ftp://whence.example',
  'https://u:p@whence.example',
]) {
  test(`config: ${text} is not a public URL`, () =>
    assert.throws(() => readConfig({ WHENCE_PUBLIC_URL: text }), /must be an origin such as/));
}

for (const url of [
  'postgres://whence@db.example/whence',
  'postgresql://u:p%40@[2001:db8::1]:5433/whence?sslmode=verify-full',
  'postgres:///whence?host=/var/run/postgresql',
  'postgres://u:p@db1.example,db2.example:5433/whence?target_session_attrs=read-write&sslmode=require',
]) {
  test(`config: ${url} is a database`, () => {
    const { databaseUrl, storageLocation } = readConfig({ WHENCE_DATABASE_URL: url });
    assert.deepEqual([databaseUrl, storageLocation], [url, url]);
  });
}

test('config: an empty variable is an unset one', () =>
  assert.equal(readConfig({ WHENCE_PORT: '' }).port, 8080));

test('config: auto means one worker per core', () =>
  assert.ok(readConfig({ WHENCE_WORKERS: 'auto' }).workers >= 1));

test('config: versions to keep by their number, or by their age in days', () => {
  assert.equal(readConfig({ WHENCE_KEEP_VERSIONS: '30' }).keepVersions, 30);
  assert.deepEqual(readConfig({ WHENCE_KEEP_VERSIONS: '90d' }).keepVersions, { days: 90 });
});

test('config: proxies as addresses and prefixes', () => {
  assert.deepEqual(readConfig({ WHENCE_TRUST_PROXY: '192.0.2.1, 2001:db8::/32,' }).trustProxy, [
    '192.0.2.1',
    '2001:db8::/32',
  ]);
});

test('config: proxies as wide as private networks are', () => {
  assert.equal(readConfig({ WHENCE_TRUST_PROXY: '10.0.0.0/8,fc00::/7' }).trustProxy.length, 2);
});

for (const [text, host, port] of [
  ['9090', undefined, 9090],
  ['127.0.0.1:9090', '127.0.0.1', 9090],
  ['[::1]:0', '::1', 0],
  ['localhost:9090', 'localhost', 9090],
] as const)
  test(`config: metrics on ${text}`, () =>
    assert.deepEqual(readConfig({ WHENCE_METRICS_PORT: text }).metrics, { host, port }));

for (const [variable, value, message] of [
  ['WHENCE_PORT', '65536', 'WHENCE_PORT is "65536", but must be a port from 0 to 65535'],
  ['WHENCE_PORT', '80a', 'WHENCE_PORT is "80a", but must be a port from 0 to 65535'],
  ['WHENCE_WORKERS', '0', 'WHENCE_WORKERS is "0", but must be a number from 1 to 256, or auto'],
  [
    'WHENCE_LOG_LEVEL',
    'loud',
    'WHENCE_LOG_LEVEL is "loud", but must be one of trace, debug, info, warn, error, fatal',
  ],
  [
    'WHENCE_METRICS_PORT',
    '-1',
    'WHENCE_METRICS_PORT is "-1", but must be a port from 0 to 65535, or an address and a port such as 127.0.0.1:9090',
  ],
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
  ...[
    '0.0.0.0/0',
    '::/0',
    '0.0.0.0/1',
    '::/8',
    '2000::/3',
    '::fffe:0:0/95',
    '192.0.2.1,0.0.0.0/0',
  ].map(
    (value) =>
      [
        'WHENCE_TRUST_PROXY',
        value,
        `WHENCE_TRUST_PROXY is "${value}", but must be the addresses of your own proxies: with a wider IPv4 prefix ` +
          'than /8, or IPv6 than /7, any client could forge its address',
      ] as const,
  ),
  [
    'WHENCE_TRUST_PROXY',
    '::ffff:0:0/96',
    'WHENCE_TRUST_PROXY is "::ffff:0:0/96", but must be IP addresses or prefixes, separated by commas',
  ],
  ['WHENCE_FIRST_KEY', 'yes', 'WHENCE_FIRST_KEY is "yes", but must be one of print, file, off'],
  [
    'WHENCE_SHUTDOWN_DELAY',
    '10s',
    'WHENCE_SHUTDOWN_DELAY is "10s", but must be a number of seconds from 0 to 600',
  ],
  [
    'WHENCE_KEEP_VERSIONS',
    '1',
    'WHENCE_KEEP_VERSIONS is "1", but must be a number from 2 to 100, or an age in days from 1d to 3650d',
  ],
  [
    'WHENCE_KEEP_VERSIONS',
    '0d',
    'WHENCE_KEEP_VERSIONS is "0d", but must be a number from 2 to 100, or an age in days from 1d to 3650d',
  ],
  [
    'WHENCE_KEEP_VERSIONS',
    '12h',
    'WHENCE_KEEP_VERSIONS is "12h", but must be a number from 2 to 100, or an age in days from 1d to 3650d',
  ],
  [
    'WHENCE_KEEP_VERSIONS',
    '3651d',
    'WHENCE_KEEP_VERSIONS is "3651d", but must be a number from 2 to 100, or an age in days from 1d to 3650d',
  ],
  [
    'WHENCE_DATASET_URL',
    's3://user:secret@bucket/whence',
    'WHENCE_DATASET_URL is set, but must be an http:, https: or file: URL',
  ],
  [
    'WHENCE_DATASET_URL',
    'secret',
    'WHENCE_DATASET_URL is set, but must be an http:, https: or file: URL',
  ],
  [
    'WHENCE_DATASET_URL',
    'file://host/folder',
    'WHENCE_DATASET_URL is set, but must be a file: URL without a host: file:///folder',
  ],
  ...[
    'mysql://user:secret@host/whence',
    'postgres://host',
    'postgres://user:secret@host:port/whence',
    'secret',
  ].map(
    (value) =>
      [
        'WHENCE_DATABASE_URL',
        value,
        'WHENCE_DATABASE_URL is set, but must be a URL such as postgres://user:password@host:5432/database',
      ] as const,
  ),
  [
    'WHENCE_DATABASE_URL',
    'postgres://user:secret@host/whence?sslmode=prefer',
    'WHENCE_DATABASE_URL is set, but must be a URL with sslmode disable, require, verify-ca, verify-full',
  ],
  [
    'WHENCE_DATABASE_URL',
    'postgres://user:secret@host/whence?sslmode=verify-ca',
    'WHENCE_DATABASE_URL is set, but must be a URL with sslrootcert for sslmode verify-ca',
  ],
  [
    'WHENCE_DATABASE_URL',
    'postgres://user:secret@one,two/whence?target_session_attrs=standby',
    'WHENCE_DATABASE_URL is set, but must be a URL with target_session_attrs any, read-write, primary',
  ],
  [
    'WHENCE_DATABASE_URL',
    'postgres://user:secret@one,,two/whence',
    'WHENCE_DATABASE_URL is set, but must be a URL such as postgres://user:password@host:5432/database',
  ],
  ...['localhost:53', '127.0.0.1:0', ':53'].map(
    (value) =>
      [
        'WHENCE_DNS_LISTEN',
        value,
        `WHENCE_DNS_LISTEN is "${value}", but must be an IP address with or without a port, such as 127.0.0.1:5353`,
      ] as const,
  ),
  [
    'WHENCE_DNS_ALLOW',
    '10.0.0.0/8,office',
    'WHENCE_DNS_ALLOW is "10.0.0.0/8,office", but must be IP addresses or prefixes, separated by commas',
  ],
  ...['a..b', `a${'.a'.repeat(90)}`, 'ä.example'].map(
    (value) =>
      [
        'WHENCE_DNS_ZONE',
        value,
        `WHENCE_DNS_ZONE is "${value}", but must be a name of at most 180 characters such as whence.invalid`,
      ] as const,
  ),
  [
    'WHENCE_STORAGE_GRACE',
    '1m',
    'WHENCE_STORAGE_GRACE is "1m", but must be a number of seconds from 0 to 3600',
  ],
] as const) {
  test(`config: ${variable}=${value} is a usage error`, () => {
    assert.throws(() => readConfig({ [variable]: value }), { name: 'SettingError', message });
  });
}

for (const [text, seconds] of [
  ['off', undefined],
  ['30m', 1800],
  ['6h', 21_600],
  ['1d', 86_400],
] as const) {
  test(`config: WHENCE_UPDATE=${text}`, () =>
    assert.equal(readConfig({ WHENCE_UPDATE: text }).updateSeconds, seconds));
}

const MARKER = 'm4rk3r0f5ecrets';

for (const { variable, shown } of Object.values<Setting<unknown>>(settings))
  test(`config: a secret in ${variable} is neither shown nor in a message`, () => {
    if (shown === undefined || shown === 'plainly') return;
    for (const value of [
      `https://${MARKER}@host.example/`,
      `https://user:${MARKER}@host.example/`,
      `https://${MARKER}:password1@host.example/folder/`,
      `https://host.example/?token=${MARKER}`,
      `https://host.example/#${MARKER}`,
      `https://host.example/${MARKER}/file.json`,
      `postgres://user:${MARKER}@one,two/whence?sslmode=prefer`,
      `http://user:${MARKER}@host:port/`,
    ]) {
      const environment = { [variable]: value };
      const told: string[] = [];
      try {
        told.push(JSON.stringify(readConfig(environment).inForce));
      } catch (error) {
        told.push((error as Error).message);
      }
      const plain = `connect ${value} failed: ${MARKER}`;
      const json = JSON.stringify({ url: value, path: `/${MARKER}` });
      told.push(maskOf(environment)(plain), maskOf(environment)(json));
      for (const text of told) assert.ok(!text.includes(MARKER), `${value}: ${text}`);
    }
  });

for (const [behaviour, environment, want] of [
  [
    'misspelt',
    { WHENCE_DATA_DRI: 'x' },
    ['WHENCE_DATA_DRI is not a setting and has no effect: did you mean WHENCE_DATA_DIR?'],
  ],
  [
    'short, with two letters exchanged',
    { WHENCE_RKPI: 'x' },
    ['WHENCE_RKPI is not a setting and has no effect: did you mean WHENCE_RPKI?'],
  ],
  [
    'in lower case',
    { whence_port: '1' },
    ['whence_port is not a setting and has no effect: did you mean WHENCE_PORT?'],
  ],
  [
    'a singular',
    { WHENCE_WORKER: '2' },
    ['WHENCE_WORKER is not a setting and has no effect: did you mean WHENCE_WORKERS?'],
  ],
  [
    'in another order',
    { WHENCE_URL_DATABASE: 'x' },
    ['WHENCE_URL_DATABASE is not a setting and has no effect: did you mean WHENCE_DATABASE_URL?'],
  ],
  [
    'unlike any other',
    { WHENCE_ZZZZZZZZ: 'x' },
    ['WHENCE_ZZZZZZZZ is not a setting and has no effect'],
  ],
  [
    'of a command or of Kubernetes',
    {
      WHENCE_URL: 'x',
      WHENCE_KEY: 'x',
      WHENCE_SERVICE_HOST: '10.0.0.1',
      WHENCE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
      WHENCE_WEB_PORT: 'tcp://10.0.0.1:80',
    },
    [],
  ],
] as const)
  test(`config: a name that is ${behaviour}`, () =>
    assert.deepEqual(readConfig(environment).warnings, want));

for (const [behaviour, environment, isSame] of [
  ['a default that is spelt out', { WHENCE_STORAGE_GRACE: '60' }, true],
  [
    'another port, host, data directory and number of workers',
    { WHENCE_PORT: '1', WHENCE_HOST: '::1', WHENCE_DATA_DIR: '/x', WHENCE_WORKERS: '4' },
    true,
  ],
  ['the place of the rules and overrides', { WHENCE_RULES: 'a', WHENCE_OVERRIDES: 'b' }, true],
  ['another grace period', { WHENCE_STORAGE_GRACE: '61' }, false],
  ['other trusted proxies', { WHENCE_TRUST_PROXY: '10.0.0.1' }, false],
  ['a secret that is set', { WHENCE_DATABASE_URL: 'postgres://a:b@c/d' }, false],
] as const)
  test(`config: the checksum by which replicas are compared is ${isSame ? 'the same' : 'another one'} with ${behaviour}`, () => {
    assert.equal(readConfig(environment).checksum === readConfig({}).checksum, isSame);
  });

test('config: the checksum says nothing of a secret', () => {
  const checksums = ['one', 'two'].map((secret) => {
    const url = `postgres://u:${secret}@${secret}/${secret}`;
    return readConfig({
      WHENCE_DATABASE_URL: url,
      WHENCE_DATASET_URL: `https://${secret}:x@example.com/${secret}`,
    }).checksum;
  });
  assert.equal(checksums[0], checksums[1]);
});
