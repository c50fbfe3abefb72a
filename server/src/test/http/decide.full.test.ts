/**
 * Decisions compared with an independent evaluation, which knows the contract and the records of
 * `/v1/ip` only, and under load while the rules change.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import type { IpRecord } from '@whence/dataset/record';
import { seededRandom } from '@whence/testing/seeded-random';
import { until } from '@whence/testing/until';
import { SAMPLE, startInProcess, TestFolder } from '../test-server.ts';
import { RawConnection } from './raw-connection.ts';
import { parseAnswers } from './raw-http.ts';
import { decideRandomSpellings } from './request-spellings.ts';

const SEED = 20261117;
const ADDRESSES = 2_000;
const SETS = 20;
const CONNECTIONS = 8;

const folder = new TestFolder();
const files = mkdtempSync(join(tmpdir(), 'whence-rules-'));
const path = join(files, 'rules.yaml');
let server: Awaited<ReturnType<typeof startInProcess>>;
let key = '';

before(async () => {
  folder.publish({
    ...SAMPLE,
    routes: [
      ...SAMPLE.routes,
      ['5.0.0.0/12', 64_501, 'Example Telecom Broadband'],
      ['6.0.0.0/14', 64_502, 'Example Mobile'],
      ['7.7.0.0/16', 64_503, 'University of Example'],
      ['11.0.0.0/16', 14_061, 'DigitalOcean, LLC'],
      ['2a00:1::/32', 64_504, 'Example Hosting'],
    ],
    countries: [
      ...(SAMPLE.countries ?? []),
      ['5.0.0.0/12', 'DE'],
      ['6.0.0.0/14', 'NO'],
      ['2a00:1::/32', 'SE'],
    ],
    anonymous: [
      ['5.1.0.0/20', 'vpn', 'Example VPN'],
      ['6.1.0.0/24', 'relay', 'Example Relay'],
      ['11.0.4.0/22', 'proxy'],
    ],
  });
  ({ secret: key } = await folder.createKey());
});
after(async () => {
  await server?.close();
  folder.remove();
  rmSync(files, { recursive: true });
});

type Rule = {
  name: string;
  if: Conditions;
  then: 'allow' | 'deny' | 'tag';
  status?: number;
  text?: string;
};
type Conditions = {
  hosts?: string[];
  paths?: string[];
  methods?: string[];
  prefixes?: string[];
  countries?: string[];
  asns?: number[];
  connection_types?: string[];
  flags?: string[];
  cloud_providers?: string[];
  ai_companies?: string[];
  min_score?: number;
  announced?: boolean;
  private?: boolean;
};
type RuleSet = { mode: 'enforce' | 'observe'; default: 'allow' | 'deny'; rules: Rule[] };
type Asked = { ip: string; isPrivate: boolean; host?: string; path?: string; method?: string };

/** What CONTRACT says of a decision: decision, rule, status, text. */
function evaluate(
  set: RuleSet,
  asked: Asked,
  record: IpRecord | undefined,
  unknownFlags: readonly string[],
) {
  const rule = set.rules.find((candidate) => holds(candidate.if, asked, record, unknownFlags));
  const isRefused =
    rule === undefined ? set.default === 'deny' && !asked.isPrivate : rule.then === 'deny';
  if (!isRefused || set.mode === 'observe')
    return [isRefused ? 'observe' : 'allow', rule?.name, 204, ''];
  return [
    'deny',
    rule?.name,
    rule?.status ?? 403,
    rule?.text === undefined ? '' : `${rule.text}\n`,
  ];
}

function holds(
  conditions: Conditions,
  { ip, isPrivate, host, path: asked, method }: Asked,
  record: IpRecord | undefined,
  unknownFlags: readonly string[],
): boolean {
  const {
    hosts,
    paths,
    methods,
    prefixes,
    countries,
    asns,
    flags,
    announced,
    min_score: minScore,
  } = conditions;
  if (isPrivate && conditions.private === undefined && prefixes === undefined) return false;
  const isOne = <T>(wanted: readonly T[] | undefined, value: T | undefined) =>
    wanted === undefined || (value !== undefined && wanted.includes(value));
  const isHost = (wanted: string) =>
    wanted.startsWith('*.') ? host?.endsWith(wanted.slice(1)) : host === wanted;
  return (
    (hosts === undefined || hosts.some(isHost)) &&
    (paths === undefined || paths.some((start) => asked?.startsWith(start))) &&
    isOne(methods, method) &&
    (prefixes === undefined || prefixes.some((prefix) => contains(prefix, ip))) &&
    isOne(countries, record?.country) &&
    isOne(asns, record?.asn) &&
    isOne<string>(conditions.connection_types, record?.connection_type) &&
    isOne(conditions.cloud_providers, record?.detection.cloud_provider) &&
    isOne(conditions.ai_companies, record?.detection.ai_company) &&
    (flags === undefined ||
      flags.some(
        (flag) => !unknownFlags.includes(flag) && record?.detection[`is_${flag}` as 'is_vpn'],
      )) &&
    (minScore === undefined || (record !== undefined && record.threat.score >= minScore)) &&
    (announced === undefined || announced === (record !== undefined)) &&
    (conditions.private === undefined || conditions.private === isPrivate)
  );
}

function contains(prefix: string, ip: string): boolean {
  const [base = '', length] = prefix.split('/');
  const list = new BlockList();
  list.addSubnet(base, Number(length), isIPv6(base) ? 'ipv6' : 'ipv4');
  return isIPv6(base) === isIPv6(ip) && list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

test(`decide: ${ADDRESSES} addresses with ${SETS} rule sets are decided as an independent evaluation does (seed ${SEED})`, async () => {
  const random = seededRandom(SEED);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const some = <T>(items: readonly T[]): T[] => [
    pick(items),
    ...(random() < 0.5 ? [pick(items)] : []),
  ];
  const byte = () => Math.floor(random() * 256);
  const group = () => Math.floor(random() * 0x10000).toString(16);
  const randomAddress = (): Pick<Asked, 'ip' | 'isPrivate'> => {
    if (random() < 0.1)
      return {
        ip: pick([`10.${byte()}.0.1`, '127.0.0.1', `192.168.1.${byte()}`, 'fd00::1', '::1']),
        isPrivate: true,
      };
    const ip = pick([
      () => `1.0.${byte()}.${byte()}`,
      () => pick(['1.0.9.9', '3.0.0.17', '3.0.0.31']),
      () => `3.${byte()}.${byte()}.${byte()}`,
      () => `${pick([5, 6, 7])}.${byte() % 16}.${byte()}.${byte()}`,
      () => `6.1.0.${byte()}`,
      () => `7.7.${byte()}.1`,
      () => `8.8.8.${byte()}`,
      () => `11.0.${byte() % 16}.${byte()}`,
      () => `${pick(['2001:4860', '2a00:1', '2a00:2'])}:0:0:${group()}::${1 + byte()}`,
    ])();
    return { ip, isPrivate: false };
  };
  const makers: { [Name in keyof Conditions]-?: () => Required<Conditions>[Name] } = {
    hosts: () => some(['a.example', '*.example', '*.a.example', 'b.test']),
    paths: () => some(['/', '/login', '/login/x', '/admin/']),
    methods: () => some(['GET', 'POST', 'PUT']),
    prefixes: () =>
      some([
        '1.0.0.0/17',
        '3.0.0.0/28',
        '5.0.0.0/13',
        '10.0.0.0/8',
        '2001:4860::/33',
        'fd00::/8',
        '0.0.0.0/1',
      ]),
    countries: () => some(['US', 'DE', 'NO', 'SE', 'AU']),
    asns: () => some([64_500, 64_501, 15_169, 16_509]),
    connection_types: () => some(['residential', 'mobile', 'datacenter', 'business', 'education']),
    flags: () =>
      some(['datacenter', 'tor_exit', 'proxy', 'vpn', 'residential', 'mobile', 'ai_crawler']),
    cloud_providers: () => some(['Amazon Web Services', 'AWS', 'Google Cloud', 'DigitalOcean']),
    ai_companies: () => some(['OpenAI', 'Anthropic']),
    min_score: () => 1 + Math.floor(random() * 100),
    announced: () => random() < 0.5,
    private: () => random() < 0.5,
  };
  const randomRule = (position: number): Rule => {
    const names = Array.from({ length: Math.floor(random() * 3) + (random() < 0.9 ? 1 : 0) }, () =>
      pick(Object.keys(makers) as (keyof Conditions)[]),
    );
    const then = pick(['allow', 'deny', 'deny', 'tag'] as const);
    return {
      name: `r${position}`,
      if: Object.fromEntries(names.map((name) => [name, makers[name]()])),
      then,
      ...(then === 'deny' &&
        random() < 0.3 && { status: pick([401, 404, 429, 451]), text: `Text ${position}.` }),
    };
  };
  const sets = Object.fromEntries(
    Array.from({ length: SETS }, (_, i): [string, RuleSet] => [
      `s${i}`,
      {
        mode: random() < 0.2 ? 'observe' : 'enforce',
        default: pick(['allow', 'deny']),
        rules: Array.from({ length: 1 + Math.floor(random() * 8) }, (_, position) =>
          randomRule(position),
        ),
      },
    ]),
  );
  writeFileSync(path, JSON.stringify({ sets }));
  server = await startInProcess(folder, undefined, { WHENCE_RULES: path });
  const { unknown_flags: unknownFlags } = JSON.parse(
    await (await fetch(`${server.url}/readyz`)).text(),
  ).data;
  const questions = Array.from({ length: ADDRESSES }, (): Asked => {
    const optional = {
      host: pick(['a.example', 'x.a.example', 'b.test']),
      path: pick(['/', '/login', '/login/x/y', '/admin']),
    };
    const asked = random() < 0.8 ? optional : {};
    return {
      ...randomAddress(),
      ...asked,
      ...(random() < 0.8 && { method: pick(['GET', 'POST', 'HEAD']) }),
    };
  });
  const counts = new Map<string, number>();
  const fastBefore = server.metrics().counters['whence_fast_path_lookups_total'] ?? 0;
  await inParallel(questions, async (connection, asked) => {
    const found = await askRaw(connection, `/v1/ip/${asked.ip}`);
    const record = found.status === 200 ? (JSON.parse(found.body).data as IpRecord) : undefined;
    for (const [name, set] of Object.entries(sets)) {
      const { isPrivate, ...question } = asked;
      const answer = await askRaw(
        connection,
        `/v1/decide?${new URLSearchParams({ ...question, set: name })}`,
      );
      const { headers } = answer;
      const given = [
        headers['x-whence-decision'],
        headers['x-whence-rule'],
        answer.status,
        answer.body,
      ];
      const expected = evaluate(set, asked, record, unknownFlags ?? []);
      assert.deepEqual(given, expected, JSON.stringify({ asked, set, record }));
      assert.equal(headers['x-whence-asn'], record && String(record.asn));
      counts.set(String(expected[0]), (counts.get(String(expected[0])) ?? 0) + 1);
    }
  });
  for (const decision of ['allow', 'deny', 'observe'])
    assert.ok((counts.get(decision) ?? 0) > 1_000, `${decision}: ${counts.get(decision)}`);
  const plain = (server.metrics().counters['whence_fast_path_lookups_total'] ?? 0) - fastBefore;
  assert.ok(plain > ADDRESSES * SETS, `${plain} answered on the fast path`);
});

test(`decide: 100,000 random spellings are decided as the programs behind a proxy read them (seed ${SEED})`, () => {
  const { protectedOnes, publicOnes } = decideRandomSpellings(100_000, SEED);
  assert.ok(
    protectedOnes > 20_000 && publicOnes > 200,
    `${protectedOnes} protected, ${publicOnes} public`,
  );
});

test('decide: while the rules change under load, every answer is wholly by the old or by the new file', async () => {
  // Makes the file large, so that writing and reading it takes time.
  const prefixes = Array.from({ length: 15_000 }, (_, i) => `20.${i >> 8}.${i & 255}.0/24`).join(
    ', ',
  );
  const rulesOf = (version: number) => `sets:
  default:
    default: allow
    rules:
      - { name: many, if: { prefixes: [${prefixes}] }, then: allow }
      - { name: v${version}, if: { asns: 15169 }, then: deny, status: ${400 + version}, text: Version ${version}. }
`;
  writeFileSync(path, rulesOf(1));
  await until(
    'the file is used',
    async () => (await (await fetchDecision()).text()) === 'Version 1.\n',
  );
  let isDone = false;
  let asked = 0;
  const seen = new Set<string>();
  const load = inParallel([...new Array(CONNECTIONS).keys()], async (connection, position) => {
    while (!isDone) {
      // Every second one on Node's path.
      const more = position % 2 === 0 ? '' : '&explain=false';
      const { status, headers, body } = await askRaw(connection, `/v1/decide?ip=8.8.8.8${more}`);
      // A busy machine sheds some requests, which are answered by no file.
      if (status === 503) continue;
      const version = status - 400;
      assert.deepEqual([headers['x-whence-rule'], body], [`v${version}`, `Version ${version}.\n`]);
      seen.add(body);
      asked++;
    }
  });
  try {
    for (let version = 2; version <= 9; version++) {
      // Both ways in which files are replaced: written in place, or moved there.
      const target = version % 2 === 0 ? path : `${path}.new`;
      writeFileSync(target, rulesOf(version));
      if (target !== path) renameSync(target, path);
      await until(`version ${version} is used`, () => seen.has(`Version ${version}.\n`));
    }
  } finally {
    isDone = true;
    await load;
  }
  assert.ok(asked > 500, `${asked} answers`);
  assert.equal(server.metrics().gauges['whence_rules_refused'], 0);
});

const fetchDecision = () =>
  fetch(`${server.url}/v1/decide?ip=8.8.8.8`, { headers: { 'X-API-Key': key } });

async function askRaw(connection: RawConnection, target: string) {
  const answer = await connection.ask(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`,
  );
  const [parsed] = parseAnswers(answer);
  assert.ok(parsed, `no answer for ${target}: ${answer}`);
  return parsed;
}

/** Each item once, over several connections. */
async function inParallel<T>(
  items: readonly T[],
  work: (connection: RawConnection, item: T) => Promise<void>,
) {
  const left = [...items];
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await RawConnection.open(server.url);
      for (let item = left.pop(); item !== undefined; item = left.pop())
        await work(connection, item);
      connection.close();
    }),
  );
}
