/** `whence dataset update` and the server's schedule: real processes, feeds over loopback HTTP, kills, and the real files where they are. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAddress } from '@whence/dataset/address';
import { explain } from '@whence/dataset/evidence';
import { openCurrent, readManifest, verifyVersion } from '@whence/dataset/publish';
import type { Dataset } from '@whence/dataset/read';
import { fixtureFeeds } from '@whence/dataset/test/fixture-catalogue';
import { NO_FIXTURES } from '@whence/dataset/test/fixtures';
import { type LoopbackServer, startLoopbackServer } from '@whence/dataset/test/loopback-server';
import { readUpdateReport } from '../update-report.ts';
import { ServerProcess, TestFolder } from './test-server.ts';

const bin = join(import.meta.dirname, '../bin.js');

let folder = '';
let feeds: LoopbackServer;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-update-'));
  feeds = await startLoopbackServer();
  const list = (path: string, text: string) => feeds.routes.set(path, (response) => response.end(text));
  list('/vpn', '8.8.8.0/24\n');
  list('/tor', '1.1.1.1\n');
  list('/block', '8.8.8.8\n10.0.0.0/8\n224.0.0.0/3\n');
  list('/html', '<html>moved</html>');
  list(
    '/catalogue',
    JSON.stringify([
      { id: 'vpn', url: `${feeds.url}/vpn`, format: 'cidr-lines', drives: ['is_vpn'] },
      { id: 'tor', url: `${feeds.url}/tor`, format: 'ip-lines', drives: ['is_tor_exit'] },
      { id: 'block', url: `${feeds.url}/block`, format: 'cidr-lines', drives: ['blocklist'] },
      { id: 'moved', url: `${feeds.url}/html`, format: 'cidr-lines', drives: ['blocklist'] },
    ]),
  );
});
after(async () => {
  await feeds.close();
  rmSync(folder, { recursive: true, force: true });
});

function startUpdate(dataDir: string, environment: Record<string, string> = {}) {
  const child = spawn(process.execPath, [bin, 'dataset', 'update', '--json'], {
    env: { ...process.env, WHENCE_FEEDS: `${feeds.url}/catalogue`, WHENCE_DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, stdout, stderr })) };
}

function answer(dataset: Dataset | undefined, ip: string) {
  const address = parseAddress(ip);
  assert.ok(dataset && address);
  const match = dataset.find(address);
  if (match === 0) return undefined;
  const { detection, threat, ...record } = dataset.record(address, match);
  return { ...record, ...detection, ...threat, evidence: explain(dataset, address, match) };
}

async function untilTrue(what: string, seconds: number, isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + seconds * 1000; !(await isTrue()); await sleep(100))
    assert.ok(Date.now() < end, `${what}: not within ${seconds} s`);
}

test('update: killed at any moment, the version that is served stays whole; the next update goes on', async () => {
  const dataDir = join(folder, 'killed');
  for (const milliseconds of [150, 600, 2_000, 5_000, 8_000]) {
    const { child, ended } = startUpdate(dataDir);
    await sleep(milliseconds);
    child.kill('SIGKILL');
    await ended;
    for (const entry of readManifest(dataDir)?.versions ?? []) verifyVersion(dataDir, entry);
  }
  if (readUpdateReport(dataDir)?.outcome === 'failed')
    assert.match(readUpdateReport(dataDir)?.error ?? '', /^the update was killed while /);

  const { code, stdout, stderr } = await startUpdate(dataDir).ended;
  assert.equal(code, 0, stderr);
  const { refused } = JSON.parse(stdout);
  assert.deepEqual(refused, [{ id: 'moved', reason: 'it is an HTML page instead of data' }]);
  const [entry, ...others] = readManifest(dataDir)?.versions ?? [];
  assert.ok(entry !== undefined && others.length === 0);
  verifyVersion(dataDir, entry);

  const dataset = openCurrent(dataDir);
  const google = answer(dataset, '8.8.8.8');
  assert.deepEqual([google?.is_vpn, google?.is_datacenter, google?.score], [true, true, 35]);
  assert.deepEqual(
    google?.explanation?.map((line) => line.replace(/, \S+\)/, ')')),
    ['VPN (vpn): +15', 'on a blocklist (block): +15', 'datacenter (networks): +5'],
  );
  assert.deepEqual([answer(dataset, '8.8.8.9')?.score, answer(dataset, '1.1.1.1')?.is_tor_exit], [20, true]);
  assert.equal(answer(dataset, '10.0.0.1'), undefined);
  assert.equal(answer(dataset, '185.220.101.1')?.is_tor_exit, false, 'the live exits replace the table of blocks');
});

test('update: nothing to read is a failure that is told, and no version', async () => {
  const dataDir = join(folder, 'nothing');
  const catalogue = join(folder, 'nothing.json');
  writeFileSync(
    catalogue,
    JSON.stringify([{ id: 'moved', url: `${feeds.url}/html`, format: 'cidr-lines', drives: ['is_vpn'] }]),
  );
  const { code, stderr } = await startUpdate(dataDir, { WHENCE_FEEDS: catalogue }).ended;
  assert.equal(code, 1);
  assert.match(stderr, /error: none of the 1 feeds could be read\n {2}moved: it is an HTML page instead of data\n$/);
  assert.equal(readManifest(dataDir), undefined);
  assert.equal(readUpdateReport(dataDir)?.outcome, 'failed');
});

for (const [behaviour, environment, message] of [
  [
    'a catalogue that is not there',
    { WHENCE_FEEDS: '/nowhere/feeds.json' },
    /the catalogue of feeds at \/nowhere\/feeds.json cannot be read/,
  ],
  [
    'overrides that are not there',
    { WHENCE_OVERRIDES: '/nowhere/overrides.json' },
    /\/nowhere\/overrides.json: ENOENT/,
  ],
] as const) {
  test(`update: ${behaviour} stops it with a sentence`, async () => {
    const { code, stderr } = await startUpdate(join(folder, 'refused'), environment).ended;
    assert.equal(code, 1);
    assert.match(stderr, message);
    assert.ok(!existsSync(join(folder, 'refused', 'datasets', 'manifest.json')));
  });
}

test('update: a catalogue that does not end is given up', async () => {
  feeds.routes.set('/endless', (response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536, ' ')));
    };
    response.on('drain', more);
    more();
  });
  const { code, stderr } = await startUpdate(join(folder, 'endless'), { WHENCE_FEEDS: `${feeds.url}/endless` }).ended;
  assert.equal(code, 1);
  assert.match(stderr, /cannot be read: it is larger than 1 MB/);
});

test('serve: an update is scheduled, runs beside the server, and shows in /readyz; a second one has to wait', async () => {
  const data = new TestFolder();
  data.publish();
  const { secret } = await data.createKey();
  const server = await ServerProcess.start(data, { WHENCE_UPDATE: '1m', WHENCE_FEEDS: `${feeds.url}/catalogue` });
  try {
    const readyz = async () => ((await (await fetch(`${server.url}/readyz`)).json()) as { data: Readyz }).data;
    await untilTrue('an update runs', 20, async () => (await readyz()).checks['update'] === 'running');
    const second = await startUpdate(data.dataDir).ended;
    assert.equal(second.code, 1);
    assert.match(second.stderr, /error: process \d+ is updating the dataset just now; try again when it is done\n$/);
    await untilTrue('it is published', 90, async () => (await readyz()).dataset_version === 2);
    const { checks, update } = await readyz();
    assert.deepEqual(checks, { dataset: 'ok', storage: 'ok', update: 'ok' });
    assert.deepEqual([update?.outcome, update?.feeds_refused], ['published', ['moved']]);
    const response = await fetch(`${server.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': secret } });
    const { data: record } = (await response.json()) as { data: { detection: { is_vpn: boolean } } };
    assert.equal(record.detection.is_vpn, true);
  } finally {
    await server.stop();
    data.remove();
  }
});

type Readyz = {
  checks: Record<string, string>;
  dataset_version: number;
  update?: { outcome: string; feeds_refused: string[] };
};

const catalogue = fixtureFeeds();

test('update: the real files become a dataset within the limits, every flag with its source', {
  skip: catalogue === undefined && NO_FIXTURES,
}, async () => {
  const dataDir = join(folder, 'real');
  const path = join(folder, 'feeds.json');
  writeFileSync(path, JSON.stringify(catalogue));
  const started = Date.now();
  const { code, stdout, stderr } = await startUpdate(dataDir, { WHENCE_FEEDS: path }).ended;
  assert.equal(code, 0, stderr);
  const { refused, bytes, figures } = JSON.parse(stdout);
  assert.deepEqual(refused, []);
  assert.ok(Date.now() - started < 120_000, 'twice the goal, for busy machines');
  assert.ok(bytes <= 25e6, `${bytes} bytes`);
  assert.ok(figures.ipv4.answered_share > 0.999 && figures.ipv4.country_share > 0.999);

  const dataset = openCurrent(dataDir);
  assert.ok(dataset);
  for (const [ip, want, field, source] of REAL) {
    const got = answer(dataset, ip) as Record<string, unknown> | undefined;
    assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, got?.[key]])), want, ip);
    const rows = (got?.['evidence'] ?? []) as { field: string; source: string }[];
    assert.ok(
      rows.some((row) => row.field === field && row.source === source),
      `${ip}: ${field} from ${source}`,
    );
  }
  checkEveryRecord(dataset);
  assert.ok(statSync(join(dataDir, 'feeds', 'ris-v4', 'state.json')).size > 0);
});

/** Facts that stand in the files, with the feed that states them. */
const REAL: readonly (readonly [ip: string, want: object, field: string, source: string])[] = [
  ['8.8.8.8', { asn: 15169, prefix: '8.8.8.0/24', cloud_provider: 'Google Cloud' }, 'asn', 'ris-v4'],
  ['2406:daa0:a0c8::1', { asn: 16509, prefix: '2406:daa0:a0c8::/46' }, 'asn', 'ris-v6'],
  ['102.130.1.1', { rir: 'AFRINIC' }, 'rir', 'delegated-afrinic'],
  [
    '3.5.140.1',
    { cloud_provider: 'AWS', is_datacenter: true, country: 'KR', prefix: '3.5.128.0/17' },
    'country',
    'aws',
  ],
  ['129.80.0.1', { cloud_provider: 'Oracle Cloud', country: 'US' }, 'cloud_provider', 'oracle'],
  ['5.101.96.1', { cloud_provider: 'DigitalOcean', country: 'NL' }, 'country', 'geofeed-digitalocean'],
  ['74.7.241.1', { ai_company: 'OpenAI', cloud_provider: 'Azure' }, 'is_ai_crawler', 'crawler-openai-gptbot'],
  ['101.99.92.179', { is_tor_exit: true, score: 100 }, 'is_tor_exit', 'tor-exits'],
  ['2.26.157.1', { is_vpn: true, score: 20, level: 'low' }, 'is_vpn', 'x4b-vpn-v4'],
  ['154.6.59.197', { is_proxy: true, score: 40, level: 'medium' }, 'is_proxy', 'proxies-http'],
  ['2.57.122.53', { score: 100, level: 'critical', is_datacenter: true }, 'threat.score', 'spamhaus-drop'],
];

/** The invariants of the contract, once for every distinct answer. */
function checkEveryRecord(dataset: Dataset): void {
  for (let tail = 0; tail < dataset.meta.counts.tails; tail++) {
    const { connection_type, detection, threat } = dataset.tail(tail);
    assert.equal(detection.is_datacenter, connection_type === 'datacenter');
    assert.equal(detection.is_residential, connection_type === 'residential');
    assert.equal(detection.is_mobile, connection_type === 'mobile');
    assert.equal('ai_company' in detection, detection.is_ai_crawler);
    const points = (threat.explanation ?? []).map((line) => Number(/\+(\d+)$/.exec(line)?.[1]));
    const sum = points.reduce((total, value) => total + value, 0);
    assert.equal(threat.score, Math.min(100, sum), JSON.stringify(threat));
    const level = threat.score >= 75 ? 'critical' : threat.score >= 50 ? 'high' : threat.score >= 25 ? 'medium' : 'low';
    assert.equal(threat.level, level);
    const scored = dataset.decisions(tail).filter(([field]) => field === 'threat.score');
    assert.deepEqual(scored.map(([, , value]) => value).sort(), points.sort());
  }
}
