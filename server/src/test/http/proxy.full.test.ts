/**
 * Proxies and certificate authorities, as the environment of a real process sets them: all commands
 * that download.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { after, afterEach, before } from 'node:test';
import { sampleContent } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { publishTo } from '@whence/dataset/versions/publish-to';
import { createAuthority } from '@whence/testing/servers/certificates';
import { FolderHost } from '@whence/testing/servers/folder-host';
import { type ForwardProxy, startForwardProxy } from '@whence/testing/servers/forward-proxy';
import { type LoopbackServer, startLoopbackServer } from '@whence/testing/servers/loopback-server';

const bin = join(import.meta.dirname, '../../bin.js');
const authority = createAuthority('Example Authority');

let folder = '';
let feeds: LoopbackServer;
let host: FolderHost;
let proxy: ForwardProxy;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whence-proxy-'));
  writeFileSync(join(folder, 'authority.pem'), authority.cert);
  feeds = await startLoopbackServer(authority.issue(['feeds.example']));
  const list = {
    id: 'list',
    url: 'https://lists.example/list',
    format: 'cidr-lines',
    drives: ['is_vpn'],
  };
  feeds.routes.set('/catalogue?token=t', (response) => void response.end(JSON.stringify([list])));
  host = await FolderHost.start(join(folder, 'www'));
  publish(
    join(folder, 'builder'),
    sampleContent({ routes: [['8.8.8.0/24', 15169, 'One']] }),
    new Date(),
  );
  publishTo(join(folder, 'builder'), host.folder, { keep: 1 });
  proxy = await startForwardProxy({
    'feeds.example:443': feeds.port,
    'data.example:80': Number(new URL(host.url).port),
  });
});
after(async () => {
  for (const server of [feeds, host, proxy]) await server.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  proxy.asked.length = 0;
});

async function whence(environment: Record<string, string>, ...argv: string[]) {
  const child = spawn(process.execPath, [bin, ...argv], {
    env: { PATH: process.env['PATH'], WHENCE_DATA_DIR: join(folder, 'data'), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}

const CATALOGUE = 'https://user:secret@feeds.example/catalogue?token=t';
const trusting = () => ({ NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem') });

test('proxy: the catalogue of feeds comes through HTTPS_PROXY, from a host that NODE_EXTRA_CA_CERTS trusts', async () => {
  const environment = { WHENCE_FEEDS: CATALOGUE, HTTPS_PROXY: proxy.url, ...trusting() };
  const { code, stdout, stderr } = await whence(environment, 'dataset', 'feeds', '--json');
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(JSON.parse(stdout).feeds[0].id, 'list');
  assert.deepEqual(proxy.asked, ['CONNECT feeds.example:443']);
});

test('proxy: a catalogue from an untrusted host is an error that contains no password or token', async () => {
  const { code, stderr } = await whence(
    { WHENCE_FEEDS: CATALOGUE, https_proxy: proxy.url },
    'dataset',
    'feeds',
  );
  assert.equal(code, 3);
  assert.match(
    stderr,
    /^error: cannot read the feed catalogue at https:\/\/feeds\.example\/catalogue: the certificate of feeds\.example is not trusted: /,
  );
  assert.doesNotMatch(stderr, /secret|token/);
});

test('proxy: feeds are fetched through it, and the reason of a failure contains its answer', async () => {
  const environment = { WHENCE_FEEDS: CATALOGUE, ALL_PROXY: proxy.url, ...trusting() };
  const { code, stderr } = await whence(environment, 'dataset', 'update');
  assert.equal(code, 3);
  assert.match(stderr, /\(list: the proxy 127\.0\.0\.1 \(ALL_PROXY\) answered 502 Bad Gateway\)/);
  assert.deepEqual(
    new Set(proxy.asked),
    new Set(['CONNECT feeds.example:443', 'CONNECT lists.example:443']),
  );
});

test('proxy: a replica pulls through it', async () => {
  const environment = { WHENCE_DATASET_URL: 'http://data.example/', HTTP_PROXY: proxy.url };
  const { code, stdout, stderr } = await whence(environment, 'dataset', 'pull');
  assert.deepEqual([code, stdout, stderr], [0, 'version 1 is current\n', '']);
  assert.equal(proxy.asked[0], 'GET http://data.example/manifest.json');
});
