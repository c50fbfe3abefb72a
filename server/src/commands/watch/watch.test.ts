/**
 * `wh watch`, as it is typed: the list of a database, that of a server, and runs without either.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import {
  type ScriptedDnsServer,
  startScriptedDnsServer,
} from '@whence/testing/servers/scripted-dns-server';
import type { ZoneEntry } from '@whence/testing/servers/zone-literal';
import { until } from '@whence/testing/until';
import { runCommand } from '../../test/run-command.ts';
import { startInProcess, TestFolder } from '../../test/test-server.ts';
import { watchRun } from './run-watch.ts';

const HOUR_MS = 3_600_000;
/** Commands have the clock of this machine: what they add is due for a server that is ahead. */
const START = Math.ceil(Date.now() / HOUR_MS + 1) * HOUR_MS;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const folder = new TestFolder();
const clock = { nowMs: START };
const zone: Record<string, ZoneEntry> = {};
let dns: ScriptedDnsServer;
let server: Awaited<ReturnType<typeof startInProcess>>;
let secret = '';

function publish(domain: string, policy = 'reject'): void {
  zone[domain] = { MX: [[10, `mx.${domain}`]], TXT: ['v=spf1 mx -all'] };
  zone[`mx.${domain}`] = { A: ['192.0.2.25'] };
  zone[`_dmarc.${domain}`] = { TXT: [`v=DMARC1; p=${policy}; rua=mailto:d@${domain}`] };
}

before(async () => {
  for (const name of ['example.com', 'example.net', 'example.org']) publish(name);
  dns = await startScriptedDnsServer(zone, { ttl: 0, soa: { ttl: 0, minimum: 0 } });
  server = await startInProcess(folder, clock, { WHENCE_DNS_SERVERS: dns.address });
  ({ secret } = await folder.createKey({ permissions: ['watch:read', 'watch:write'] }));
});
after(async () => {
  await server.close();
  await dns.close();
  folder.remove();
});

/** The same list by both ways. */
const ways = {
  database: (...argv: string[]) => runCommand(['watch', ...argv], folder.environment),
  server: (...argv: string[]) =>
    runCommand(['watch', ...argv], {
      WHENCE_DATA_DIR: '/nonexistent',
      WHENCE_URL: server.url,
      WHENCE_KEY: secret,
    }),
};

for (const [way, watch] of Object.entries(ways))
  test(`watch: domains are added, listed and removed in a ${way}`, async () => {
    const list = join(folder.dataDir, 'domains.txt');
    writeFileSync(list, 'Example.COM\nhttps://example.net/\nexample.com\n');
    const added = await watch('add', list, '--tags', 'customers', '--note', 'ours');
    assert.deepEqual([added.code, added.stdout], [0, '2 domains watched from now on\n']);
    const again = await watch('add', 'example.net', 'example.org', '--json');
    assert.deepEqual(JSON.parse(again.stdout), {
      added: ['example.org'],
      watched: ['example.net'],
    });
    const tagged = JSON.parse((await watch('list', '--tag', 'customers', '--json')).stdout);
    assert.deepEqual(
      tagged.domains.map(({ domain, tags, note }: Record<string, unknown>) => [domain, tags, note]),
      [
        ['example.com', ['customers'], 'ours'],
        ['example.net', ['customers'], 'ours'],
      ],
    );
    await until('every domain was checked', async () => {
      const { domains } = JSON.parse((await watch('list', '--json')).stdout);
      return domains.every(({ checked_at }: { checked_at?: string }) => checked_at !== undefined);
    });
    assert.match(
      (await watch('list')).stdout,
      /^domain +grade +open events +policy +checked \(UTC\) +tags\nexample\.com +[A-F] +\d+ +reject +\d{4}-\d\d-\d\d \d\d:00 +customers\n/,
    );
    const removed = await watch('remove', 'example.com', 'example.net', 'example.org');
    assert.deepEqual([removed.code, removed.stdout], [0, '3 domains no longer watched\n']);
    assert.equal((await watch('remove', 'example.com')).code, 1);
    assert.match((await watch('list')).stdout, /^no domain is watched; /);
  });

test('watch: a line that is no domain adds none of a list', async () => {
  const { code, stderr } = await ways.database('add', 'example.com', 'not a name');
  assert.equal(code, 2);
  assert.match(stderr, /not a domain: "not a name"/);
  assert.match((await ways.database('list')).stdout, /^no domain is watched/);
});

test('watch: events are listed with their ids, and accepted once', async () => {
  await ways.database('add', 'example.com');
  const lastCheck = async () =>
    JSON.parse((await ways.database('list', '--json')).stdout).domains[0].checked_at as string;
  const checkedNow = () =>
    until('it was checked', async () => Date.parse(await lastCheck()) === clock.nowMs);
  await checkedNow();
  publish('example.com', 'none');
  dns.publish(zone);
  for (const ms of [24 * HOUR_MS, 600_000]) {
    clock.nowMs += ms;
    await checkedNow();
  }
  publish('example.com');
  dns.publish(zone);
  const { events } = JSON.parse((await ways.server('list', '--events', '--json')).stdout);
  const weaker = events.find(({ code }: { code: string }) => code === 'policy_weaker');
  assert.match(
    (await ways.database('list', '--events')).stdout,
    new RegExp(
      `${weaker.id} +high +example\\.com +${dayOf(START + 24 * HOUR_MS)} +The policy of DMARC is weaker`,
    ),
  );
  const accepted = await ways.server('accept', weaker.id);
  assert.deepEqual(
    [accepted.code, accepted.stdout],
    [0, 'example.com: policy_weaker is accepted; this is expected from now on\n'],
  );
  for (const watch of Object.values(ways)) assert.equal((await watch('accept', weaker.id)).code, 3);
  assert.equal((await ways.database('accept', 'unknown')).code, 1);
});

/** One run at a time of its own: the lines that it prints, and its exit code. */
async function runAt(hours: number, names: readonly string[], state: string) {
  let stdout = '';
  const streams = {
    stdin: () => assert.fail('standard input was opened'),
    stdout: {
      write(text: string | Uint8Array) {
        stdout += String(text);
      },
    },
    stderr: { write: () => {} },
    environment: {},
  };
  const now = () => new Date(START + hours * HOUR_MS);
  const settings = { dnsServers: [dns.address] };
  const code = await watchRun(names, { state }, settings, streams, now);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return {
    code,
    lines: lines.map((line) => {
      const { kind, domain, code: event, quiet } = JSON.parse(line);
      return [kind, domain, event, ...(quiet === undefined ? [] : [quiet])].join(' ');
    }),
  };
}

test('watch run: the first run is 0, a change is 1 at the second run that has it, and ends', async () => {
  const state = join(folder.dataDir, 'state.json');
  const names = ['example.net', 'example.org'];
  const publishBoth = (policy?: string) => {
    publish('example.net', policy);
    dns.publish(zone);
  };
  const first = await runAt(0, names, state);
  assert.equal(first.code, 0);
  assert.ok(first.lines.every((line) => line.endsWith(' first_check')));
  publishBoth('none');
  assert.deepEqual(await runAt(1, names, state), { code: 0, lines: [] });
  const opened = await runAt(2, names, state);
  assert.equal(opened.code, 1);
  assert.ok(opened.lines.includes('opened example.net policy_weaker'));
  assert.deepEqual(await runAt(3, names, state), { code: 0, lines: [] });
  publishBoth();
  await runAt(4, names, state);
  const ended = await runAt(5, names, state);
  assert.equal(ended.code, 0);
  assert.ok(ended.lines.includes('resolved example.net policy_weaker'));
  await runAt(6, ['example.net'], state);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(state, 'utf8')).domains), ['example.net']);
});

test('watch run: while DNS does not answer nothing is stored, and it ends with 3', async () => {
  const state = join(folder.dataDir, 'silent.json');
  for (const name of ['a.example', 'b.example'])
    for (const at of [name, `_dmarc.${name}`]) zone[at] = { fail: 'servfail' };
  dns.publish(zone);
  await assert.rejects(runAt(0, ['a.example', 'b.example'], state), /2 of the last 2 checks/);
  assert.ok(!existsSync(state));
  await assert.rejects(runAt(0, ['a.example'], state), /a\.example did not answer/);
  assert.ok(existsSync(state));
});

test('watch run: a file of something else is refused, and stays as it is', async () => {
  const state = join(folder.dataDir, 'other.json');
  writeFileSync(state, '{"mine":1}');
  await assert.rejects(runAt(0, ['example.net'], state), /was not written by this command/);
  assert.equal(readFileSync(state, 'utf8'), '{"mine":1}');
});
