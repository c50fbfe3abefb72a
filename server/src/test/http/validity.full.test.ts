/**
 * What lists say that become too old while a server runs: on every day, whatever it answers, serves
 * or writes has the same flags and the same score, and says of the same scores that they are not
 * known.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before, mock } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { parsePrefix } from '@whence/dataset/prefix';
import { type IpRecord, levelOf } from '@whence/dataset/record';
import { contentOf, ranges, sampleInput, source } from '@whence/dataset/test/sample-dataset';
import { publish } from '@whence/dataset/versions';
import { freePort } from '@whence/testing/programs';
import { until } from '@whence/testing/until';
import { Reader, type Response } from 'maxmind';
import type { BatchRecord } from '../../dashboard/wire/lookups.ts';
import { DAY_MS, dayAfter, dayOfMs } from '../../day.ts';
import { writeGeoipFiles } from '../../geoip-files/write-geoip-files.ts';
import { writeLists } from '../../geoip-files/write-lists.ts';
import { type DashboardClient, signedInAs } from '../dashboard/dashboard-client.ts';
import { DnsClient, question, summaryOf } from '../dns/dns-client.ts';
import { runCommand } from '../run-command.ts';
import { startInProcess, TestFolder } from '../test-server.ts';

const LISTED_ON = '2026-11-01';
/** The last day on which a list with this limit counts. */
const lastOf = (days: number) => dayOfMs(Date.parse(LISTED_ON) + days * DAY_MS);

/**
 * A list for each kind that has a limit of days, with an address of its own. The limits are those
 * of the catalogue.
 */
const LISTED = [
  { ip: '9.0.0.1', drive: 'is_tor_exit', days: 7, flag: 'tor_exit', points: 45 },
  { ip: '9.0.0.3', drive: 'is_proxy', days: 7, flag: 'proxy', points: 35 },
  { ip: '9.0.0.5', drive: 'blocklist', days: 14, flag: undefined, points: 15 },
  { ip: '9.0.0.7', drive: 'criminal_netblock', days: 30, flag: undefined, points: 90 },
  { ip: '9.0.0.9', drive: 'is_vpn', days: 60, flag: 'vpn', points: 15 },
  { ip: '9.0.0.11', drive: 'is_ai_crawler', days: 365, flag: 'ai_crawler', points: 0 },
] as const;
const UNLISTED = '9.0.0.200';
const ADDRESSES = [...LISTED.map(({ ip }) => ip), UNLISTED];
const FLAGS = ['tor_exit', 'proxy', 'vpn', 'ai_crawler'];

const OTHERS_DAYS = 400;
/** With them scores are known until the last day of all. */
const OTHERS = [
  { ip: '9.0.1.1', drive: 'blocklist', days: OTHERS_DAYS, flag: undefined, points: 15 },
  { ip: '9.0.1.3', drive: 'is_tor_exit', days: OTHERS_DAYS, flag: 'tor_exit', points: 45 },
] as const;

type Drive = (typeof LISTED)[number]['drive'];
type List = {
  readonly ip: string;
  readonly drive: Drive;
  /** Undefined for facts that last. */
  readonly days: number | undefined;
  readonly flag: string | undefined;
  readonly points: number;
  readonly isNarrow?: boolean;
};
let lists: readonly List[] = [...LISTED, ...OTHERS];
const countsOn = (day: string, { days }: List) => days === undefined || day <= lastOf(days);

/** Whether addresses that no such list has are known not to be of the kind. */
const isKnown = (drive: Drive, day: string) =>
  lists.some(
    (list) =>
      list.drive === drive && list.days !== undefined && !list.isNarrow && countsOn(day, list),
  );

/** A level that is undefined is not known. */
type Answer = {
  readonly flags: readonly string[];
  readonly score: number;
  readonly level: string | undefined;
};

function expectedOf(ip: string, day: string): Answer {
  const listed = lists.find((list) => list.ip === ip);
  const counts = listed !== undefined && countsOn(day, listed);
  const score = counts ? listed.points : 0;
  const hasExpired = !counts && listed !== undefined && listed.points > 0;
  const isComplete = isKnown('blocklist', day) && isKnown('is_tor_exit', day) && !hasExpired;
  return {
    flags: counts && listed.flag !== undefined ? [listed.flag] : [],
    score,
    level: isComplete ? levelOf(score) : undefined,
  };
}

const folder = new TestFolder();
const rules = join(folder.dataDir, 'rules.yaml');
const clock = { nowMs: Date.parse(`${LISTED_ON}T12:00:00Z`) };
let server: Awaited<ReturnType<typeof startInProcess>>;
let dns: DnsClient;
let key = '';
let viewer: DashboardClient;

function publishSample(): number {
  const input = sampleInput({ routes: [['9.0.0.0/16', 64500, 'One']] });
  const overlays = lists.map(({ ip, drive, days, isNarrow }) => ({
    source: {
      ...source(`${drive}-${ip}`),
      as_of: LISTED_ON,
      ...(days === undefined ? { is_table: true } : { max_age_days: days }),
      ...(drive === 'blocklist' && !isNarrow && { is_broad: true }),
    },
    drives: [drive],
    ...(drive === 'is_ai_crawler' && { company: 'Example' }),
    statements: [{}],
    ranges: ranges([[`${ip}/32`, 0]]),
  }));
  const content = contentOf({ ...input, overlays, day: LISTED_ON });
  return publish(folder.dataDir, content, new Date(LISTED_ON)).version;
}

before(async () => {
  publishSample();
  const denied = FLAGS.map((flag) => `{name: ${flag}, if: {flags: ${flag}}, then: deny}`);
  const listRules = FLAGS.map((flag) => `${flag}: {flags: ${flag}}`);
  writeFileSync(
    rules,
    `sets: {default: {default: allow, rules: [${denied}]}}\nlists: {${listRules}}\n`,
  );
  const permissions = ['database:read', 'decide:read', 'ip:batch', 'ip:read'] as const;
  key = (await folder.createKey({ permissions })).secret;
  const port = await freePort();
  server = await startInProcess(folder, clock, {
    WHENCE_RULES: rules,
    WHENCE_DNS_LISTEN: `127.0.0.1:${port}`,
  });
  dns = await DnsClient.open(port);
  viewer = await signedInAs(folder, server.url, 'Vera', 'viewer');
});
after(async () => {
  dns.close();
  await server.close();
  folder.remove();
});

const ask = (path: string) => fetch(server.url + path, { headers: { 'X-API-Key': key } });
const json = async (path: string) => JSON.parse(await (await ask(path)).text());
const withoutPrefix = (flag: string) => flag.slice('is_'.length);
const flagsIn = (members: Readonly<Record<string, unknown>>) =>
  FLAGS.filter((flag) => String(members[`is_${flag}`]) === 'true');

async function answerOf(ip: string): Promise<Answer> {
  const { data } = await json(`/v1/ip/${ip}?explain=true`);
  const { detection, threat, threat_is_known } = data;
  const level = threat_is_known ? threat.level : undefined;
  return { flags: flagsIn(detection), score: threat.score, level };
}

/** What the command line prints on a day. */
async function printed(day: string, argv: readonly string[], input?: string): Promise<string> {
  mock.timers.enable({ apis: ['Date'], now: Date.parse(`${day}T12:00:00Z`) });
  try {
    const { stdout } = await runCommand(
      argv,
      folder.environment,
      input === undefined ? {} : { input },
    );
    return stdout;
  } finally {
    mock.timers.reset();
  }
}

/** From the row of the address, or of the prefix that contains it. */
function fromColumns(csv: string, ip: string): Answer {
  const [head = '', ...rows] = csv.trimEnd().split(/\r?\n/);
  const wanted = parsePrefix(ip)?.start ?? 0n;
  const row = rows.find((text) => {
    const range = parsePrefix(text.split(',')[0] ?? '');
    return range !== undefined && range.start <= wanted && wanted <= range.end;
  });
  assert.ok(row !== undefined, csv);
  const values = row.split(',');
  const members = Object.fromEntries(head.split(',').map((name, i) => [name, values[i] ?? '']));
  return {
    flags: members['flags']?.split(' ').filter((flag) => flag !== '') ?? flagsIn(members),
    score: Number(members['threat_score']),
    level: members['threat_level'] || undefined,
  };
}

const withLevel = ({ score, level }: { score: number; level?: string }) => ({ score, level });

function ofDashboard({ detection, threat, threat_gap }: BatchRecord): Answer {
  const level = threat_gap === undefined ? threat.level : undefined;
  return { flags: flagsIn({ ...detection }), score: threat.score, level };
}

type DatabaseRecord = Pick<IpRecord, 'detection' | 'threat'>;

const COLUMNS = ['--csv', '--fields', 'ip,flags,threat_score,threat_level'];

/** What each output says of an address; what it cannot say is absent. */
const WAYS: Readonly<Record<string, (ip: string, day: string) => Promise<Partial<Answer>>>> = {
  api: answerOf,
  async decision(ip) {
    const { headers } = await ask(`/v1/decide?ip=${ip}`);
    const rule = headers.get('x-whence-rule');
    const score = headers.get('x-whence-score');
    const threat = score === null ? { level: undefined } : { score: Number(score) };
    return { flags: rule === null ? [] : [rule], ...threat };
  },
  async list(ip) {
    const texts = await Promise.all(
      FLAGS.map(async (flag) => (await ask(`/v1/lists/${flag}.txt`)).text()),
    );
    return { flags: FLAGS.filter((_, i) => texts[i]?.includes(`\n${ip}/32\n`)) };
  },
  async database(ip) {
    const response = await ask('/v1/databases/whence');
    assert.equal(response.status, 200, response.statusText);
    const bytes = Buffer.from(await response.arrayBuffer());
    const found = new Reader<Response>(bytes).get(ip) as DatabaseRecord | null;
    assert.ok(found);
    return { flags: flagsIn({ ...found.detection }), ...withLevel(found.threat) };
  },
  async dns(ip) {
    const name = `${ip.split('.').reverse().join('.')}.bl.whence.invalid`;
    const text = summaryOf(await dns.ask(question(name, 'TXT'))).answers.join();
    // What is not listed is not there.
    if (text === '') return { flags: [] };
    return {
      flags: /flags=(\S+)/.exec(text)?.[1]?.split(',') ?? [],
      score: Number(/score=(\d+)/.exec(text)?.[1]),
      level: /level=(\w+)/.exec(text)?.[1],
    };
  },
  async mcp(ip) {
    const params = { name: 'address', arguments: { ip } };
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'X-API-Key': key,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = JSON.parse((await response.text()).replace(/^[\s\S]*?data: /, ''));
    const { flags, threat, threat_is_known = true } = result.structuredContent;
    assert.equal(threat_is_known, 'level' in threat);
    return { flags: flags.map(withoutPrefix), ...withLevel(threat) };
  },
  async batch(ip) {
    const { [ip]: entry } = await viewer.get('lookUpBatch', { body: { ips: [ip] } });
    assert.ok(entry !== undefined && !('error' in entry));
    return ofDashboard(entry);
  },
  async tried(ip) {
    const { record } = await viewer.get('tryRule', { query: { ip } });
    assert.ok(record !== undefined);
    return ofDashboard(record);
  },
  async prefix(ip) {
    const { parts, threat_levels } = await viewer.get('lookUpPrefix', {
      params: { address: ip, length: '32' },
    });
    const [part] = parts;
    const [share] = threat_levels;
    assert.ok(part !== undefined && share !== undefined);
    const isComplete = part.threat_gap === undefined;
    // The least that is known is a level, unless it is low.
    assert.equal(share.value, isComplete || part.level !== 'low' ? part.level : 'unknown');
    const level = isComplete ? part.level : undefined;
    return { flags: part.flags.map(withoutPrefix), score: part.score, level };
  },
  async network() {
    const { threat_levels } = await viewer.get('lookUpAsn', { params: { asn: '64500' } });
    const low = threat_levels.find(({ value }) => value === 'low')?.addresses ?? 0;
    const day = dayOfMs(clock.nowMs);
    const known = 2 ** 16 - lists.length;
    const isComplete = expectedOf(UNLISTED, day).level !== undefined;
    assert.ok(isComplete ? low >= known : low === 0, `${low} addresses are low`);
    return {};
  },
  async dashboard(ip) {
    const { record, limits } = await viewer.get('lookUpIp', { params: { ip } });
    const { score, level } = record.threat;
    const flags = flagsIn({ ...record.detection });
    return { flags, score, level: limits.threat_gap === undefined ? level : undefined };
  },
  async lookup(ip, day) {
    const [line = ''] = (await printed(day, ['ip', ip, '--json', '--explain'])).split('\n');
    const { detection, threat, threat_is_known } = JSON.parse(line);
    const level = threat_is_known ? threat.level : undefined;
    return { flags: flagsIn(detection), score: threat.score, level };
  },
  async text(ip, day) {
    const threat = /\n +threat +(.*)/.exec(await printed(day, ['ip', ip]))?.[1] ?? '';
    const [, score = '0'] = /(\d+) of 100/.exec(threat) ?? [];
    const [, level] = /^\d+ of 100, (\w+)$/.exec(threat) ?? [];
    assert.ok(level !== undefined || /^(not known|at least \d+ of 100)\b/.test(threat), threat);
    return { score: Number(score), level };
  },
  async past(ip, day) {
    const text = await printed(day, ['ip', ip, '--at', day]);
    const threat = /\n +threat +(.*)/.exec(text)?.[1] ?? '';
    return { level: /^\d+ of 100, (\w+)$/.exec(threat)?.[1] };
  },
  csv: async (ip, day) => fromColumns(await printed(day, ['ip', ip, ...COLUMNS]), ip),
  async remote(ip, day) {
    const argv = ['ip', ip, UNLISTED, ...COLUMNS, '--url', server.url, '--key', key];
    return fromColumns(await printed(day, argv), ip);
  },
  export: async (ip, day) =>
    fromColumns(await printed(day, ['dataset', 'export', '--format', 'csv']), ip),
  async enrich(ip, day) {
    const fields = 'flags,threat_score,threat_level';
    const argv = ['enrich', '--format', 'ndjson', '--address', 'ip', '--fields', fields];
    const { whence } = JSON.parse(await printed(day, argv, `{"ip":"${ip}"}\n`));
    return {
      flags: whence.flags,
      score: whence.threat_score,
      level: whence.threat_level ?? undefined,
    };
  },
  async summary(ip, day) {
    const { flags, threat_levels, top_addresses } = JSON.parse(
      await printed(day, ['summarize', '--json'], `${ip}\n`),
    );
    const level = threat_levels[0].value;
    return {
      flags: flags.map(({ value }: { value: string }) => value),
      score: top_addresses[0].threat_score,
      level: level === 'not known' ? undefined : level,
    };
  },
};

const SUBJECTS: Readonly<Partial<Record<string, string>>> = {
  blocklist: 'blocklists',
  criminal_netblock: 'criminal_netblocks',
};
/** Kinds of which no list counts. No list of the sample ever has relays. */
const unknownOn = (day: string) =>
  [
    'relay',
    ...LISTED.filter(({ drive }) => !isKnown(drive, day)).map(
      ({ drive }) => SUBJECTS[drive] ?? drive,
    ),
  ].sort();

/** Until the files that are served are those of the day. */
async function moveClock(day: string, version: number): Promise<void> {
  clock.nowMs = Date.parse(`${day}T12:00:00Z`);
  // Sessions end.
  await viewer.signIn('Vera');
  await until('the dataset is in use', async () => {
    const { data } = await json('/v1/dataset');
    return data.version === version && data.unknown_flags.sort().join() === unknownOn(day).join();
  });
  // What is not known is computed from the day; answers change when the server next looks at it.
  for (const ip of ADDRESSES)
    await until(`the answer of ${ip} is that of the day`, async () =>
      isDeepStrictEqual(await answerOf(ip), expectedOf(ip, day)),
    );
  await writeLists(folder.dataDir, day, { rules, overrides: undefined });
  await writeGeoipFiles(folder.dataDir, day);
  await until(
    'the database is served',
    async () => (await ask('/v1/databases/whence')).status === 200,
  );
  for (const flag of FLAGS)
    await until(`the list of ${flag} is served, or none counts`, async () => {
      const response = await ask(`/v1/lists/${flag}.txt`);
      return response.status === 200 || (await response.text()).includes('LIST_UNAVAILABLE');
    });
}

async function compareOutputs(day: string, version: number, ways = WAYS): Promise<void> {
  await moveClock(day, version);
  for (const ip of ADDRESSES) {
    const expected = expectedOf(ip, day);
    for (const [way, answer] of Object.entries(ways)) {
      const said = await answer(ip, day);
      assert.deepEqual({ ...expected, ...said }, expected, `${way} of ${ip}`);
    }
  }
  const { limits } = await viewer.get('lookUpIp', { params: { ip: UNLISTED } });
  assert.deepEqual([...limits.unknown].sort(), unknownOn(day));
}

const LAST_DAYS = [...new Set([...LISTED, ...OTHERS].map(({ days }) => lastOf(days)))];
for (const last of LAST_DAYS.sort())
  for (const day of [last, dayAfter(last)])
    test(`validity: every output says the same on ${day}${day === last ? ', the last day of a list' : ''}`, () =>
      compareOutputs(day, 1));

const without = (...drives: readonly Drive[]) =>
  [...LISTED, ...OTHERS].filter(({ drive }) => !drives.includes(drive));
const ofDrive = (wanted: Drive, change: Partial<List>) =>
  [...LISTED, ...OTHERS].map((list) => (list.drive === wanted ? { ...list, ...change } : list));

for (const [scene, days, someLists] of [
  ['without a list of attacks', 3, without('blocklist')],
  ['with narrow lists of attacks', 3, ofDrive('blocklist', { isNarrow: true })],
  ['without a list of Tor exits', 3, without('is_tor_exit')],
  ['with lasting facts of Tor exits', 3, ofDrive('is_tor_exit', { days: undefined })],
  ['with lasting facts, other lists expired', 20, ofDrive('is_tor_exit', { days: undefined })],
  ['without both', 3, without('blocklist', 'is_tor_exit')],
  ['with expired exits alone', 10, LISTED],
  ['with expired exits and attacks alone', 20, LISTED],
  ['with netblocks alone', 3, LISTED.filter(({ drive }) => drive === 'criminal_netblock')],
  ['without any list', 3, []],
] as const satisfies readonly (readonly [string, number, readonly List[]])[])
  test(`validity: every output says the same ${scene}`, async () => {
    lists = someLists;
    // A list that loses all of its addresses at once is held back.
    const { list: _, ...ways } = WAYS;
    await compareOutputs(lastOf(days), publishSample(), ways);
  });
