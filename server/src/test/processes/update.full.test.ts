/**
 * `wh dataset update` and the server's schedule: real processes, feeds over loopback HTTP, kills,
 * and the real files where they are.
 */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { parseAddress } from '@whence/dataset/address';
import type { ChangedShare } from '@whence/dataset/check-result';
import type { Dataset } from '@whence/dataset/dataset';
import { explain } from '@whence/dataset/evidence';
import { openCurrent, readManifest, verifyVersion } from '@whence/dataset/versions';
import { fixtureFeeds, NO_FIXTURES } from '@whence/testing/fixtures';
import { findProgram, freePort } from '@whence/testing/programs';
import { type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { killAfter, until } from '@whence/testing/until';
import { listPath, readIndex } from '../../geoip-files/file-index.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import { run } from '../../main.ts';
import { readUpdateReport } from '../../versions/update-report.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';

const bin = join(import.meta.dirname, '../../bin.js');

const BLOCKLIST = '8.8.8.8\n10.0.0.0/8\n224.0.0.0/3\n';

let folder = '';
let feeds: LoopbackServer;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-update-'));
  feeds = await startLoopbackServer();
  const list = (path: string, text: string) =>
    feeds.routes.set(path, (response) => response.end(text));
  list('/vpn', '8.8.8.0/24\n');
  list('/tor', '1.1.1.1\n');
  list('/block', BLOCKLIST);
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

function startUpdate(
  dataDir: string,
  environment: Record<string, string> = {},
  options: readonly string[] = [],
) {
  const child = spawn(process.execPath, [bin, 'dataset', 'update', '--json', ...options], {
    env: {
      ...process.env,
      WHENCE_FEEDS: `${feeds.url}/catalogue`,
      WHENCE_DATA_DIR: dataDir,
      ...environment,
    },
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

test('update: killed at any moment, the served version stays intact; the next update continues', async () => {
  const dataDir = join(folder, 'killed');
  for (const milliseconds of [150, 600, 2_000, 5_000, 8_000]) {
    const { child, ended } = startUpdate(dataDir);
    await killAfter(child, milliseconds);
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
  assert.deepEqual([google?.is_vpn, google?.is_datacenter, google?.score], [true, true, 30]);
  assert.deepEqual(
    google?.explanation?.map((line) => line.replace(/, \S+\)/, ')')),
    ['VPN (vpn): +15', 'on a blocklist (block): +15'],
  );
  assert.deepEqual(
    [answer(dataset, '8.8.8.9')?.score, answer(dataset, '1.1.1.1')?.is_tor_exit],
    [15, true],
  );
  assert.equal(answer(dataset, '10.0.0.1'), undefined);
  assert.equal(
    answer(dataset, '185.220.101.1')?.is_tor_exit,
    true,
    'lasting blocks count beside the live exits',
  );
});

test('serve: an update is scheduled, runs beside the server, and shows in /readyz; a second one has to wait', async () => {
  const data = new TestFolder();
  cpSync(join(folder, 'killed', 'datasets'), join(data.dataDir, 'datasets'), { recursive: true });
  feeds.routes.set('/vpn', (response) => response.end('8.8.8.0/24\n9.9.9.0/24\n'));
  const { secret } = await data.createKey();
  const server = await ServerProcess.start(data, {
    WHENCE_UPDATE: '1m',
    WHENCE_FEEDS: `${feeds.url}/catalogue`,
  });
  try {
    const readyz = async () =>
      ((await (await fetch(`${server.url}/readyz`)).json()) as { data: Readyz }).data;
    await until('an update runs', async () => (await readyz()).checks['update'] === 'running');
    const second = await startUpdate(data.dataDir).ended;
    assert.equal(second.code, 3);
    assert.match(
      second.stderr,
      /error: process \d+ is updating the dataset; try again when it is done\n$/,
    );
    // The server opens the version before the update has written its report.
    const done = async () => {
      const { checks, dataset_version } = await readyz();
      return dataset_version === 2 && checks['update'] !== 'running';
    };
    await until('it is published and has ended', done, { everyMs: 100 });
    const { checks, update } = await readyz();
    assert.deepEqual(checks, { dataset: 'ok', storage: 'ok', update: 'ok' });
    assert.deepEqual([update?.outcome, update?.feeds_refused], ['published', ['moved']]);
    const response = await fetch(`${server.url}/v1/ip/9.9.9.9`, {
      headers: { 'X-API-Key': secret },
    });
    const { data: record } = (await response.json()) as {
      data: { detection: { is_vpn: boolean } };
    };
    assert.equal(record.detection.is_vpn, true);
  } finally {
    feeds.routes.set('/vpn', (response) => response.end('8.8.8.0/24\n'));
    await server.stop();
    data.remove();
  }
});

test('update: a list that it would empty is held, also in the set of a firewall; --accept-changes replaces it', async () => {
  const dataDir = join(folder, 'held');
  cpSync(join(folder, 'killed', 'datasets'), join(dataDir, 'datasets'), { recursive: true });
  const rules = join(folder, 'held.yaml');
  writeFileSync(rules, 'lists: { google: { flags: vpn, asns: 15169 } }');
  await writeLists(dataDir, new Date().toISOString().slice(0, 10), { rules, overrides: undefined });
  const nftFile = () => {
    const list = readIndex(dataDir).lists?.lists[0];
    assert.ok(list !== undefined);
    return listPath(dataDir, list, 'nft');
  };
  const before = join(folder, 'before.nft');
  writeFileSync(before, readFileSync(nftFile()));
  const update = async (...options: string[]) => {
    const { code, stdout, stderr } = await startUpdate(dataDir, {}, ['--refetch', ...options])
      .ended;
    assert.equal(code, 0, stderr);
    const { held_lists: held, changed } = JSON.parse(stdout);
    return { held, changed, hasGoogle: /8\.8\.8\.0\/24/.test(readFileSync(nftFile(), 'utf8')) };
  };
  feeds.routes.set('/vpn', (response) => response.end('9.9.9.0/24\n'));
  const { changed, ...first } = await update();
  assert.deepEqual(first, { held: ['google'], hasGoogle: true });
  assert.equal(changed.since, 1);
  assert.deepEqual(
    changed.shares
      .filter(({ ipv4, ipv6 }: ChangedShare) => ipv4 !== 0 || ipv6 !== 0)
      .map(({ field }: ChangedShare) => field),
    ['is_vpn'],
  );
  const nft = findProgram('nft');
  const unshare = findProgram('unshare');
  const load = `${nft} -f ${before} && ${nft} -f ${nftFile()} && ${nft} list set inet whence google_ipv4`;
  const { stdout, stderr } = spawnSync(unshare ?? 'false', ['-n', 'sh', '-c', load], {
    encoding: 'utf8',
  });
  // Some kernels and containers do not permit access to rulesets.
  if (!/not permitted/.test(stderr)) assert.match(stdout, /8\.8\.8\.0\/24/, stderr);
  assert.deepEqual(await update('--accept-changes'), {
    held: undefined,
    changed: undefined,
    hasGoogle: false,
  });
  feeds.routes.set('/vpn', (response) => response.end('8.8.8.0/24\n'));
});

test('update: a result that differs too much is not published, and names the feed; --accept-changes publishes it', async () => {
  const dataDir = join(folder, 'killed');
  const update = (...options: string[]) =>
    startUpdate(dataDir, {}, ['--refetch', ...options]).ended;
  // As many rows as growth allows, none of them too wide.
  const wide = [4, 6, 7, 11, 12, 15, 16, 17].map((octet) => `${octet}.0.0.0/8\n`).join('');
  feeds.routes.set('/block', (response) => response.end(wide));
  const { code, stderr } = await update();
  assert.equal(code, 1);
  assert.match(
    stderr,
    /error: the new dataset differs too much from version 1, so it was not published:\n/,
  );
  assert.match(
    stderr,
    /\n {2}threat IPv4 addresses +\S+ +1\d\d,\d{3},\d{3} +at most 3 times +block \+1\d\d,\d{3},\d{3}\n/,
  );
  assert.match(stderr, /publish it with: npx wh dataset update --accept-changes\n$/);
  assert.deepEqual(
    [readManifest(dataDir)?.current, readUpdateReport(dataDir)?.outcome],
    [1, 'failed'],
  );

  const accepted = await update('--accept-changes');
  feeds.routes.set('/block', (response) => response.end(BLOCKLIST));
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.equal(answer(openCurrent(dataDir), '4.4.4.4')?.score, 15);
});

test('update: without a network it says so once, not for each feed', async () => {
  const catalogue = join(folder, 'unreachable.json');
  const url = `http://127.0.0.1:${await freePort()}`;
  const feed = (id: string) => ({
    id,
    url: `${url}/${id}`,
    format: 'cidr-lines',
    drives: ['is_vpn'],
  });
  writeFileSync(catalogue, JSON.stringify([feed('one'), feed('two'), feed('three')]));
  const dataDir = join(folder, 'offline');
  const update = (...options: string[]) =>
    startUpdate(dataDir, { WHENCE_FEEDS: catalogue }, options).ended;
  assert.equal((await update('--accept-changes', 'won')).code, 2);
  assert.equal(readUpdateReport(dataDir), undefined, 'a mistyped feed is no failed update');
  const { code, stderr } = await update();
  assert.equal(code, 3);
  const message = stderr.slice(stderr.indexOf('error: '));
  assert.match(
    message,
    /^error: none of the 3 feeds can be reached: no connection \(\w+: .*\)\. Check the internet/,
  );
  assert.equal(message.trimEnd().split('\n').length, 1, message);
  assert.equal(stderr.match(/refused the connection/g)?.length, 1, stderr);
});

test('update: without a readable feed it fails with a message, and publishes no version', async () => {
  const dataDir = join(folder, 'nothing');
  const catalogue = join(folder, 'nothing.json');
  writeFileSync(
    catalogue,
    JSON.stringify([
      { id: 'moved', url: `${feeds.url}/html`, format: 'cidr-lines', drives: ['is_vpn'] },
    ]),
  );
  const { code, stderr } = await startUpdate(dataDir, { WHENCE_FEEDS: catalogue }).ended;
  assert.equal(code, 3);
  assert.match(
    stderr,
    /error: none of the 1 feeds could be read\n {2}moved: it is an HTML page instead of data\n$/,
  );
  assert.equal(readManifest(dataDir), undefined);
  const { outcome, error, problem, refused } = readUpdateReport(dataDir) ?? {};
  assert.deepEqual(
    [outcome, error, problem],
    ['failed', '1 of 1 feed refused', '1 of 1 feed refused'],
  );
  assert.deepEqual(
    refused?.map(({ id }) => id),
    ['moved'],
    'a failed update has refused its feeds, too',
  );
});

for (const [behaviour, command, environment, message] of [
  [
    'update: a catalogue',
    'update',
    { WHENCE_FEEDS: '/nowhere/feeds.json' },
    'WHENCE_FEEDS names /nowhere/feeds.json',
  ],
  [
    'update: a file: URL',
    'update',
    { WHENCE_FEEDS: 'file:///nowhere/f' },
    'WHENCE_FEEDS names /nowhere/f',
  ],
  [
    'build: a catalogue',
    'build',
    { WHENCE_FEEDS: '/nowhere/feeds.json' },
    'WHENCE_FEEDS names /nowhere/feeds.json',
  ],
  [
    'feeds: a catalogue',
    'feeds',
    { WHENCE_FEEDS: '/nowhere/feeds.json' },
    'WHENCE_FEEDS names /nowhere/feeds.json',
  ],
] as const) {
  test(`${behaviour} that does not exist is an invalid setting`, async () => {
    const dataDir = join(folder, 'refused');
    const asked = feeds.asked.length;
    let stderr = '';
    const output = {
      write(text: string) {
        stderr += text;
      },
    };
    const settings = { WHENCE_DATA_DIR: dataDir, ...environment };
    assert.equal(await run(['dataset', command], settings, { write: () => {} }, output), 2);
    assert.equal(stderr.split('\n').at(-2), `error: ${message}, which does not exist`);
    assert.equal(feeds.asked.length, asked, 'nothing is fetched');
    assert.ok(!existsSync(join(dataDir, 'datasets', 'manifest.json')));
  });
}

test('update: a catalogue larger than the limit is refused', async () => {
  feeds.routes.set('/endless', (response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536, ' ')));
    };
    response.on('drain', more);
    more();
  });
  const { code, stderr } = await startUpdate(join(folder, 'endless'), {
    WHENCE_FEEDS: `${feeds.url}/endless`,
  }).ended;
  assert.equal(code, 3);
  assert.match(stderr, /: larger than 1 MB\n$/);
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
  // The files are old, and must count here: what becomes of lists that are too old has tests of its
  // own.
  writeFileSync(path, JSON.stringify(catalogue?.map((feed) => ({ ...feed, max_age_days: 3_650 }))));
  const { code, stdout, stderr } = await startUpdate(dataDir, { WHENCE_FEEDS: path }).ended;
  assert.equal(code, 0, stderr);
  const { refused, bytes, figures } = JSON.parse(stdout);
  assert.deepEqual(refused, []);
  assert.ok(bytes <= 25e6, `${bytes} bytes`);
  assert.ok(figures.ipv4.answered_share > 0.999 && figures.ipv4.country_share > 0.999);

  const dataset = openCurrent(dataDir);
  assert.ok(dataset);
  const answers = REAL.map(([ip, want, field, source]) => {
    const got = answer(dataset, ip) as Record<string, unknown> | undefined;
    const rows = (got?.['evidence'] ?? []) as { field: string; source: string }[];
    const stated = rows.find((row) => row.field === field && row.source === source);
    return [
      ip,
      Object.fromEntries(Object.keys(want).map((key) => [key, got?.[key]])),
      stated?.field,
      stated?.source,
    ];
  });
  assert.deepEqual(answers, REAL);
  checkEveryRecord(dataset);
  assert.ok(statSync(join(dataDir, 'feeds', 'ris-v4', 'state.json')).size > 0);
});

/** Facts that stand in the files, with the feed that states them. */
const REAL: readonly (readonly [ip: string, want: object, field: string, source: string])[] = [
  ['8.8.8.8', { asn: 15169, prefix: '8.8.8.0/24', cloud_provider: undefined }, 'asn', 'ris-v4'],
  ['2406:daa0:a0c8::1', { asn: 16509, prefix: '2406:daa0:a0c8::/46' }, 'asn', 'ris-v6'],
  ['102.130.1.1', { rir: 'AFRINIC' }, 'rir', 'delegated-afrinic'],
  [
    '3.5.140.1',
    { cloud_provider: 'AWS', is_datacenter: true, country: 'KR', prefix: '3.5.128.0/17' },
    'country',
    'aws',
  ],
  ['129.80.0.1', { cloud_provider: 'Oracle Cloud', country: 'US' }, 'cloud_provider', 'oracle'],
  [
    '5.101.96.1',
    { cloud_provider: 'DigitalOcean', country: 'NL' },
    'country',
    'geofeed-digitalocean',
  ],
  [
    '74.7.241.1',
    { ai_company: 'OpenAI', cloud_provider: 'Azure' },
    'is_ai_crawler',
    'crawler-openai-gptbot',
  ],
  ['101.99.92.179', { is_tor_exit: true, score: 100 }, 'is_tor_exit', 'tor-exits'],
  ['2.58.241.67', { is_vpn: true, score: 15, level: 'low' }, 'is_vpn', 'x4b-vpn-v4'],
  // On the generic list only as a part of a whole hosting network.
  ['2.26.157.1', { is_vpn: false, score: 0 }, 'asn', 'ris-v4'],
  ['103.102.246.3', { is_vpn: true, score: 15 }, 'vpn_service', 'vpn-mullvad'],
  ['172.224.224.1', { is_vpn: false, score: 0, country: 'GB' }, 'relay', 'apple-relay'],
  ['154.6.59.197', { is_proxy: true, score: 35, level: 'medium' }, 'is_proxy', 'proxies-http'],
  [
    '2.57.122.53',
    { score: 100, level: 'critical', is_datacenter: true },
    'threat.score',
    'spamhaus-drop',
  ],
];

/** The invariants of the contract, once for every distinct answer. */
function checkEveryRecord(dataset: Dataset): void {
  for (let tail = 0; tail < dataset.meta.counts.attribute_sets; tail++) {
    const { connection_type, detection, threat } = dataset.attributes(tail);
    assert.equal(detection.is_datacenter, connection_type === 'datacenter');
    assert.equal(detection.is_residential, connection_type === 'residential');
    assert.equal(detection.is_mobile, connection_type === 'mobile');
    assert.equal('ai_company' in detection, detection.is_ai_crawler);
    const points = (threat.explanation ?? []).map((line) => Number(/\+(\d+)$/.exec(line)?.[1]));
    const sum = points.reduce((total, value) => total + value, 0);
    assert.equal(threat.score, Math.min(100, sum), JSON.stringify(threat));
    const level = ['low', 'medium', 'high', 'critical'][Math.min(3, Math.floor(threat.score / 25))];
    assert.equal(threat.level, level);
    // Evidence also has what adds nothing.
    const scored = dataset
      .decisions(tail)
      .filter(([field, , value]) => field === 'threat.score' && value !== 0);
    assert.deepEqual(scored.map(([, , value]) => value).sort(), points.sort());
  }
}
