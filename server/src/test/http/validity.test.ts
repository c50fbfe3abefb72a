/** Flags of lists that become too old while a server runs: whatever it answers, serves or writes says the same on a day. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { Reader as GeoIp2Reader } from '@maxmind/geoip2-node';
import { compile } from '@whence/dataset/internal/compile/compile';
import { encodeContent } from '@whence/dataset/internal/file/write';
import { sampleInput } from '@whence/dataset/internal/test/sample-dataset';
import { publish } from '@whence/dataset/internal/versions/publish';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { writeGeoipFiles } from '../../geoip-files/write-geoip-files.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import { DnsClient, question, summaryOf } from '../dns/dns-client.ts';
import { bin, SAMPLE, startInProcess, TestFolder } from '../test-server.ts';

/** The lists are of 2026-11-01. */
const MAX_AGE_DAYS: Readonly<Record<string, number>> = { tor: 20, 'vpn-list': 30 };
const LISTED = { tor_exit: '1.0.9.9', vpn: '9.0.0.7' };
type ListedFlag = keyof typeof LISTED;
const FLAGS = Object.keys(LISTED) as ListedFlag[];

const folder = new TestFolder();
const rules = join(folder.dataDir, 'rules.yaml');
const clock = { nowMs: Date.parse('2026-11-15T12:00:00Z') };
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: DnsClient;
let key = '';

before(async () => {
  const input = sampleInput({ ...SAMPLE, anonymous: [[`${LISTED.vpn}/32`, 'vpn', 'Example VPN']] });
  const overlays = input.overlays.map((list) => {
    const max_age_days = MAX_AGE_DAYS[list.source.id];
    return max_age_days === undefined ? list : { ...list, source: { ...list.source, max_age_days } };
  });
  publish(folder.dataDir, encodeContent(compile({ ...input, overlays })), new Date('2026-11-15'));
  const denied = FLAGS.map((flag) => `{name: ${flag}, if: {flags: ${flag}}, then: deny}`);
  const lists = FLAGS.map((flag) => `${flag}: {flags: ${flag}}`);
  writeFileSync(rules, `sets: {default: {default: allow, rules: [${denied}]}}\nlists: {${lists}}\n`);
  key = (await folder.createKey({ permissions: ['database:read', 'decide:read', 'ip:read'] })).secret;
  const port = await freePort();
  server = await startInProcess(folder, clock, { WHENCE_RULES: rules, WHENCE_DNS_LISTEN: `127.0.0.1:${port}` });
  dns = await DnsClient.open(port);
});
after(async () => {
  dns.close();
  await server.close();
  folder.remove();
});

const ask = (path: string) => fetch(server.url + path, { headers: { 'X-API-Key': key } });
const write = async (day: string) => {
  await writeLists(folder.dataDir, day, { rules, overrides: undefined });
  await writeGeoipFiles(folder.dataDir, day);
};

/** Whether each way to ask knows the flag of its address. */
const WAYS: Readonly<Record<string, (flag: ListedFlag, day: string) => Promise<boolean>>> = {
  async api(flag) {
    const { data } = JSON.parse(await (await ask(`/v1/ip/${LISTED[flag]}`)).text());
    return data.detection[`is_${flag}`];
  },
  decision: async (flag) => (await ask(`/v1/decide?ip=${LISTED[flag]}`)).status === 403,
  list: async (flag) => (await (await ask(`/v1/lists/${flag}.txt`)).text()).includes(`\n${LISTED[flag]}/32\n`),
  async database(flag) {
    const bytes = Buffer.from(await (await ask('/v1/databases/anonymous-ip')).arrayBuffer());
    try {
      const found = GeoIp2Reader.openBuffer(bytes).anonymousIP(LISTED[flag]);
      return flag === 'vpn' ? found.isAnonymousVpn : found.isTorExitNode;
    } catch (error) {
      assert.equal((error as Error).name, 'AddressNotFoundError');
      return false;
    }
  },
  async dns(flag) {
    const name = `${LISTED[flag].split('.').reverse().join('.')}.bl.whence.invalid`;
    // Its other flags are of a table.
    return summaryOf(await dns.ask(question(name, 'TXT')))
      .answers.join()
      .includes(flag);
  },
  async export(flag, day) {
    const shift = `const now=Date.now;Date.now=()=>now()+(${Date.parse(`${day}T12:00:00Z`) - Date.now()})`;
    const env = {
      ...process.env,
      ...folder.environment,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
    };
    const command = [bin, 'dataset', 'export', '--format', 'csv', '--flag', flag];
    const { stdout } = await promisify(execFile)(process.execPath, command, { env }).catch((error) => {
      assert.match(error.stderr, /no network matches/);
      return { stdout: '' };
    });
    return stdout.includes(LISTED[flag]);
  },
};

for (const [day, expected, valid_until] of [
  ['2026-11-15', ['tor_exit', 'vpn'], '2026-11-22'],
  ['2026-11-21', ['tor_exit', 'vpn'], '2026-11-22'],
  ['2026-11-22', ['vpn'], '2026-12-02'],
  ['2026-12-01', ['vpn'], '2026-12-02'],
  ['2026-12-02', [], undefined],
] as const)
  test(`validity: on ${day} every output has the flags ${expected.join(' and ') || 'of no list'}`, async () => {
    const isChanged = day === '2026-11-22' || day === '2026-12-02';
    clock.nowMs = Date.parse(`${day}T12:00:00Z`);
    if (isChanged)
      for (const path of ['/v1/databases/anonymous-ip', '/v1/lists/vpn.txt', '/v1/lists/tor_exit.txt'])
        await until(`${path} is not served with flags that do not count`, async () => (await ask(path)).status === 503);
    await write(day);
    await until('the files are in use', async () => {
      const { data } = JSON.parse(await (await ask('/v1/databases')).text());
      const files = [...data.databases, ...data.lists];
      return files.length === 7 && files.every((file: { valid_until?: string }) => file.valid_until === valid_until);
    });
    for (const flag of FLAGS) {
      const isKnown = expected.some((known) => known === flag);
      await until('the dataset is in use', async () => (await WAYS['api']?.(flag, day)) === isKnown);
      for (const [way, hasFlag] of Object.entries(WAYS))
        assert.equal(await hasFlag(flag, day), isKnown, `${way} ${flag}`);
    }
    const modified = (await ask('/v1/databases/asn')).headers.get('last-modified');
    const since = { '2026-11-22': day, '2026-12-01': '2026-11-22', '2026-12-02': day }[day as string] ?? '2026-11-15';
    assert.equal(modified, new Date(since).toUTCString());
  });
