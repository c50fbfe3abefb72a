import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { type Answer, startLoopbackServer } from '@whence/testing/servers/loopback-server';
import { HOUR_MS } from '../../day.ts';
import { parseVrps } from './parse-vrps.ts';
import { MAX_VRP_BYTES } from './read-vrps.ts';
import { RpkiDownload } from './rpki-download.ts';
import { RpkiFile } from './rpki-file.ts';
import { formatVrp } from './vrps.ts';

const folder = mkdtempSync(join(tmpdir(), 'whence-rpki-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [behaviour, roa, want] of [
  [
    'rpki-client',
    { asn: 64500, prefix: '192.0.2.0/24', maxLength: 25, ta: 'arin', expires: 1 },
    [64500, '192.0.2.0/24', 25],
  ],
  [
    'Routinator',
    { asn: 'AS64500', prefix: '2001:db8::/32', maxLength: 48, ta: 'ripe' },
    [64500, '2001:db8::/32', 48],
  ],
  ['no maximum length', { asn: 0, prefix: '192.0.2.0/24' }, [0, '192.0.2.0/24', 24]],
] as const) {
  test(`rpki file: ${behaviour}`, () => {
    const [vrp] = parseVrps(JSON.stringify({ roas: [roa] })).vrps;
    assert.ok(vrp);
    const { asn, prefix, max_length } = formatVrp(vrp);
    assert.deepEqual([asn, prefix, max_length], want);
  });
}

for (const [behaviour, text, reason] of [
  ['no JSON', '<html>', /JSON/],
  ['null', 'null', /no list "roas"/],
  ['no ROAs', '{"roas":[]}', /there are no ROAs/],
  [
    'rows of another form',
    '{"roas":[{"asn":1,"prefix":"192.0.2.0/24"},{},7]}',
    /2 of 3 ROAs cannot be read/,
  ],
] as const) {
  test(`rpki file: refused: ${behaviour}`, () => assert.throws(() => parseVrps(text), reason));
}

for (const [behaviour, path, reason] of [
  ['a pipe that has no writer', () => makePipe(), /what it names is not a file/],
  ['a device without an end', () => '/dev/zero', /what it names is not a file/],
  ['a folder', () => folder, /what it names is a folder/],
  [
    'a file that is too large',
    () => makeSparse(MAX_VRP_BYTES + 1),
    /what it names is larger than 256 MB/,
  ],
] as const) {
  test(`rpki file: not read: ${behaviour}`, async () => {
    const told: string[] = [];
    const file = new RpkiFile(path(), {
      loaded: () => told.push('loaded'),
      failed: (why) => told.push(why),
    });
    await file.update();
    assert.match(told.join(), reason);
    await file.stop();
  });
}

function makePipe(): string {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

function makeSparse(bytes: number): string {
  const path = join(folder, 'large.json');
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
}

for (const [behaviour, metadata, isUsed] of [
  ['of the relying party', { buildtime: '2026-11-16T00:04:00Z' }, true],
  ['by more than five minutes', { buildtime: '2026-11-16T00:06:00Z' }, false],
  ['by years', { generatedTime: '2999-01-01T00:00:00Z' }, false],
  ['of another type', { buildtime: { toString: null } }, true],
] as const) {
  test(`rpki file: a time ahead ${behaviour}: ${isUsed ? 'used' : 'refused'}`, async () => {
    const path = join(folder, 'dated.json');
    writeFileSync(
      path,
      JSON.stringify({ metadata, roas: [{ asn: 64500, prefix: '192.0.2.0/24' }] }),
    );
    const nowMs = Date.UTC(2026, 10, 16);
    utimesSync(path, nowMs / 1000, nowMs / 1000);
    const told: string[] = [];
    const events = { loaded: () => told.push('loaded'), failed: (why: string) => told.push(why) };
    const file = new RpkiFile(path, events, undefined, () => nowMs);
    await file.update();
    assert.match(told.join(), isUsed ? /^loaded$/ : /^they are dated in the future, 2/);
    assert.equal(file.table !== undefined, isUsed);
  });
}

test('rpki file: it is read again when it changes, and one that cannot be read changes nothing', async () => {
  const path = join(folder, 'vrps.json');
  const told: string[] = [];
  const file = new RpkiFile(path, {
    loaded: (count) => told.push(`loaded ${count}`),
    failed: (reason) => told.push(`failed: ${reason.slice(0, 25)}`),
  });
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const counted = () => file.table?.count;
  const written = () => statSync(path).mtime;
  await file.update();
  assert.equal(counted(), undefined);
  write('{"roas":[{"asn":64500,"prefix":"192.0.2.0/24","maxLength":24}]}');
  await file.update();
  await file.update();
  assert.equal(counted(), 1);
  const firstWritten = written();
  assert.deepEqual(file.asOf, firstWritten);
  write('{"roas":');
  await file.update();
  assert.equal(counted(), 1);
  assert.deepEqual(file.asOf, firstWritten, 'the date of what is in use');
  write('{"roas":[{"asn":64500,"prefix":"192.0.2.0/24"},{"asn":64501,"prefix":"2001:db8::/32"}]}');
  await file.update();
  assert.equal(counted(), 2);
  assert.deepEqual(
    told.map((text) => text.replace(/^(failed).*/, '$1')),
    ['failed', 'loaded 1', 'failed', 'loaded 2'],
  );
  await file.stop();
});

const ROAS = [{ asn: 64500, prefix: '192.0.2.0/24', maxLength: 24 }];
const BUILT_AT = Date.parse('2026-11-15T12:00:00Z');

for (const [behaviour, metadata, want] of [
  ['rpki-client', { buildmachine: 'x', buildtime: '2026-11-15T12:00:00Z', roas: 1 }, BUILT_AT],
  ['Routinator', { generated: 1, generatedTime: '2026-11-15T12:00:00Z' }, BUILT_AT],
  ['no time', {}, undefined],
  ['a time that is none', { buildtime: 'yesterday' }, undefined],
  ['no metadata', null, undefined],
] as const) {
  test(`rpki file: when it was made: ${behaviour}`, () => {
    assert.equal(parseVrps(JSON.stringify({ metadata, roas: ROAS })).builtAtMs, want);
  });
}

test('rpki file: payloads that are older than a day are not used, which is reported once', async () => {
  const path = join(folder, 'old.json');
  writeFileSync(
    path,
    JSON.stringify({ metadata: { buildtime: '2026-11-15T12:00:00Z' }, roas: ROAS }),
  );
  let nowMs = BUILT_AT + 23 * HOUR_MS;
  const told: string[] = [];
  const events = {
    loaded: () => told.push('loaded'),
    failed: (reason: string) => told.push(reason),
    expired: () => told.push('expired'),
  };
  const file = new RpkiFile(path, events, undefined, () => nowMs);
  await file.update();
  assert.deepEqual([file.table?.count, file.ageSeconds], [1, 23 * 3600]);
  nowMs += 2 * HOUR_MS;
  assert.deepEqual([file.table, file.ageSeconds], [undefined, 25 * 3600]);
  await file.update();
  await file.update();
  assert.deepEqual(told, ['loaded', 'expired']);
  await file.stop();
});

async function overHttp(answers: readonly Answer[]) {
  const server = await startLoopbackServer();
  const dataDir = mkdtempSync(join(folder, 'data-'));
  server.routes.set('/vrps.json', (response, request, turn) =>
    (answers[Math.min(turn, answers.length - 1)] as Answer)(response, request, turn),
  );
  const clock = { nowMs: Date.now() };
  const told: string[] = [];
  const events = {
    loaded: (count: number) => told.push(`loaded ${count}`),
    failed: (reason: string) => told.push(reason),
  };
  const open = () => {
    const download = new RpkiDownload(`${server.url}/vrps.json`, {
      dataDir,
      contact: undefined,
      proxies: {},
    });
    return new RpkiFile(download.path, events, download, () => clock.nowMs);
  };
  return { server, open, told, clock };
}

const send =
  (roas: readonly object[]): Answer =>
  (response) =>
    void response.end(JSON.stringify({ roas }));

test('rpki url: it is fetched at most every half hour, and once for all processes', async () => {
  const { server, open, told, clock } = await overHttp([
    send(ROAS),
    send([...ROAS, { asn: 1, prefix: '192.0.2.0/25' }]),
  ]);
  const one = open();
  const other = open();
  await one.update();
  await one.update();
  await other.update();
  assert.deepEqual([server.asked.length, told], [1, ['loaded 1', 'loaded 1']]);
  clock.nowMs += 31 * 60_000;
  await one.update();
  assert.deepEqual([server.asked.length, one.table?.count], [2, 2]);
  await Promise.all([one.stop(), other.stop(), server.close()]);
});

test('rpki url: validators are sent, and an unchanged copy stays', async () => {
  const { server, open, told, clock } = await overHttp([
    (response) => void response.setHeader('ETag', '"one"').end(JSON.stringify({ roas: ROAS })),
    (response) => void response.writeHead(304).end(),
  ]);
  const file = open();
  await file.update();
  clock.nowMs += 31 * 60_000;
  await file.update();
  assert.deepEqual(
    [server.asked.length, server.asked[1]?.headers['if-none-match'], file.table?.count],
    [2, '"one"', 1],
  );
  assert.ok(told.every((text) => text === 'loaded 1'));
  await Promise.all([file.stop(), server.close()]);
});

test('rpki url: an answer that cannot be read leaves the copy, and is not asked for again at once', async () => {
  const { server, open, told, clock } = await overHttp([
    send(ROAS),
    (response) => void response.end('<html>'),
    (response) => void response.writeHead(404).end(),
  ]);
  const file = open();
  await file.update();
  clock.nowMs += 31 * 60_000;
  await file.update();
  await file.update();
  clock.nowMs += 6 * 60_000;
  await file.update();
  assert.equal(file.table?.count, 1);
  assert.equal(server.asked.length, 3);
  assert.deepEqual(
    [told[0], /JSON/.test(told[1] ?? ''), told[2]],
    ['loaded 1', true, 'the server answered 404 Not Found'],
  );
  await Promise.all([file.stop(), server.close()]);
});
