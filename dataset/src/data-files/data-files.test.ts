/** The tables in dataset/data: every row of them, and what is refused with which message. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import test from 'node:test';
import { isFitted } from '../compile/signals/type-score.ts';
import { DatasetError } from '../dataset-error.ts';
import { addressBits } from '../prefix.ts';
import { CsvTable } from './csv-table.ts';
import * as tables from './data-files.ts';

const { addressTypes, labelledNetworks, registryAsNumbers, transferredAsNumbers, typeLabels } =
  tables;

for (const table of Object.values(tables))
  test(`data files: every row of ${table.file} is valid and dated`, () => {
    assert.ok(table.rows.length > 0);
    assert.match(table.asOf, /^\d{4}-\d{2}-\d{2}$/);
  });

test('data files: every file in dataset/data is a declared table', () => {
  const files = readdirSync(new URL('../../data/', import.meta.url)).filter(
    (name) => name !== 'README.md',
  );
  assert.deepEqual(
    files.sort(),
    Object.values(tables)
      .map(({ file }) => file)
      .sort(),
  );
});

const HEADER =
  'asn,connection_type,role,name,cloud_provider,vpn_operator,misnamed_as,group,as_of,source';
const row = (
  asn: number | string,
  changes: Partial<Record<'type' | 'name' | 'day' | 'source', string>> = {},
) => {
  const {
    type = 'business',
    name = 'Example',
    day = '2026-11-17',
    source = 'its website',
  } = changes;
  return `${asn},${type},,${name},,,,Germany,${day},${source}`;
};

for (const [behaviour, lines, problems] of [
  [
    'a column is missing',
    [HEADER.replace(',group', ''), row(1)],
    [`1: the columns must be ${HEADER}`],
  ],
  ['the file is empty', [''], [`1: the columns must be ${HEADER}`]],
  [
    'an AS number comes twice',
    [HEADER, row(1), row(2), row(1)],
    ['4: 1 appears twice (first in line 2)'],
  ],
  ['a row is too late', [HEADER, row(1), row(5), row(7), row(3)], ['5: 3 belongs after line 2']],
  ['a row is too early', [HEADER, row(1), row(9), row(5), row(7)], ['3: 9 belongs after line 5']],
  ['the first row is not the smallest', [HEADER, row(3), row(1)], ['3: 1 belongs after line 1']],
  [
    'a private AS number',
    [HEADER, row(64_512)],
    ['2: asn is "64512", but must be a public AS number, such as 15169'],
  ],
  [
    'a number with a zero',
    [HEADER, row('01')],
    ['2: asn is "01", but must be a public AS number, such as 15169'],
  ],
  [
    'an unknown type',
    [HEADER, row(1, { type: 'residental' })],
    [
      '2: connection_type is "residental", but must be one of residential, mobile, datacenter, business, education',
    ],
  ],
  [
    'a name that is empty',
    [HEADER, row(1, { name: '' })],
    [
      '2: name is "", but must be a text of at most 48 characters in UTF-8, without spaces around it',
    ],
  ],
  [
    'a name with bytes that are not UTF-8',
    [HEADER, row(1, { name: 'Beispiel f\uFFFDr' })],
    [
      '2: name is "Beispiel f\uFFFDr", but must be a text of at most 48 characters in UTF-8, without spaces around it',
    ],
  ],
  [
    'a name with a comma and no quotes',
    [HEADER, row(1, { name: 'Example, Inc.' })],
    ['2: 11 cells instead of 10; a value with a comma must be in quotes'],
  ],
  [
    'a quote that is not closed',
    [HEADER, row(1, { name: '"Example' }), row(2)],
    ['2: a quote is not closed'],
  ],
  ['an empty line', [HEADER, row(1), '', row(2)], ['3: the line is empty']],
  [
    'a day that does not exist',
    [HEADER, row(1, { day: '2026-02-30' })],
    ['2: as_of is "2026-02-30", but must be a date, such as 2026-11-15'],
  ],
  [
    'no source',
    [HEADER, row(1, { source: '' })],
    [
      '2: source is "", but must be a text of at most 200 characters in UTF-8, without spaces around it',
    ],
  ],
  [
    'two problems in a row',
    [HEADER, row('AS1', { day: 'today' })],
    [
      '2: asn is "AS1", but must be a public AS number, such as 15169',
      '2: as_of is "today", but must be a date, such as 2026-11-15',
    ],
  ],
] as const)
  test(`data files: refused with file and line: ${behaviour}`, () => {
    assert.deepEqual(
      refusalOf(labelledNetworks, lines),
      problems.map((problem) => `networks.csv:${problem}`),
    );
  });

for (const [behaviour, table, line, problem] of [
  [
    'host bits',
    tables.torExits,
    '192.0.2.1/24,a,b,2026-11-17,c',
    /prefix is "192\.0\.2\.1\/24", but must be a prefix/,
  ],
  [
    'an address',
    tables.torExits,
    '192.0.2.1,a,b,2026-11-17,c',
    /prefix is .* without host bits, such as 192\.0\.2\.0\/24$/,
  ],
  [
    'capitals',
    tables.torExits,
    '2001:DB8::/32,a,b,2026-11-17,c',
    /prefix is "2001:DB8::\/32", but must be a prefix/,
  ],
  [
    'a length',
    tables.torExits,
    '192.0.2.0/33,a,b,2026-11-17,c',
    /prefix is "192\.0\.2\.0\/33", but must be a prefix/,
  ],
  [
    'a country',
    tables.asCountries,
    '1,de,2026-11-17,a',
    /country is "de", but must be the code of a country/,
  ],
  [
    'no country',
    tables.asCountries,
    '1,ZZ,2026-11-17,a',
    /country is "ZZ", but must be the code of a country/,
  ],
  [
    'a code that is none',
    tables.asCountries,
    '1,UK,2026-11-17,a',
    /country is "UK", but must be the code of a country/,
  ],
  [
    'a registry',
    tables.registryCountries,
    'DE,RIR,EU,true,2026-11-17,a',
    /registry is "RIR", but must be one of .*RIPE/,
  ],
  [
    'a flag',
    tables.crawlers,
    '192.0.2.0/24,a,b,yes,2026-11-17,c',
    /is_ai is "yes", but must be true or false$/,
  ],
  [
    'points',
    tables.typePoints,
    'a,1.5,0,0,2026-11-17,b',
    /residential is "1\.5", but must be a whole number$/,
  ],
  [
    'a pattern',
    tables.nameRules,
    '1,business,word,(bank,,2026-11-17',
    /pattern is "\(bank", but must be a regular expr/,
  ],
  [
    'a range backwards',
    tables.registryAddresses,
    '8.0.0.0-7.0.0.0,ARIN,2026-11-17,a',
    /range is .* the last address/,
  ],
  [
    'a range of two families',
    tables.registryAddresses,
    '8.0.0.0-::1,ARIN,2026-11-17,a',
    /range is .* the last address/,
  ],
] as const)
  test(`data files: a value that cannot be: ${behaviour} in ${table.file}`, () => {
    const columns = refusalOf(table, ['x'])[0]?.replace(/.* must be /, '') ?? '';
    const [found = '', ...more] = refusalOf(table, [columns, line]);
    assert.ok(found.startsWith(`${table.file}:2: `), found);
    assert.match(found, problem);
    assert.deepEqual(more, []);
  });

test('data files: of many problems the first ten are listed', () => {
  const problems = refusalOf(labelledNetworks, [HEADER, ...Array.from({ length: 12 }, () => 'x')]);
  assert.deepEqual(
    [problems.length, problems[9], problems[10]],
    [11, problems[9], 'and 2 more problems'],
  );
  assert.match(problems[9] ?? '', /^networks\.csv:11: 1 cells instead of 10/);
});

test('data files: a file of a spreadsheet is read: byte order mark, CR LF, quotes', () => {
  const text = `\uFEFF${HEADER}\r\n${row(1, { name: '"Example, ""Inc."""' })}\r\n`;
  assert.equal(labelledNetworks.parse(text).rows[0]?.name, 'Example, "Inc."');
});

test('data files: a file that is missing is named', () => {
  assert.throws(
    () => new CsvTable('none.csv', {}, []).rows,
    /^DatasetError: the table none\.csv cannot be read: ENOENT/,
  );
});

test('data files: the line of a row, or the line after which it belongs', () => {
  const [first, second] = labelledNetworks.rows;
  assert.deepEqual(
    [labelledNetworks.lineOf(first?.asn ?? 0), labelledNetworks.lineOf(second?.asn ?? 0)],
    [2, 3],
  );
  assert.equal(labelledNetworks.lineOf((first?.asn ?? 0) - 1), 1);
  assert.equal(labelledNetworks.lineOf(4_000_000_000), labelledNetworks.rows.length + 1);
});

test('networks: those of clouds and of VPN operators are datacenters', () => {
  const other = labelledNetworks.rows.filter(
    ({ cloud_provider, vpn_operator, connection_type: type }) =>
      (cloud_provider !== undefined || vpn_operator !== undefined) && type !== 'datacenter',
  );
  assert.deepEqual(other, []);
});

test('networks: a carrier is business, and has neither a cloud nor a VPN', () => {
  const carriers = labelledNetworks.rows.filter(({ role }) => role === 'carrier');
  assert.ok(carriers.length >= 100);
  const other = carriers.filter(
    ({ cloud_provider, vpn_operator, connection_type: type }) =>
      type !== 'business' || cloud_provider !== undefined || vpn_operator !== undefined,
  );
  assert.deepEqual(other, []);
  for (const asn of [174, 1299, 3356, 6461, 6939, 8220])
    assert.equal(labelledNetworks.find(asn)?.role, 'carrier');
});

for (const [asn, type, why] of [
  [22394, 'mobile', 'named Verizon Business, carries Verizon Wireless handsets'],
  [21928, 'mobile', 'T-Mobile US'],
  [20057, 'mobile', 'AT&T Mobility'],
  [55836, 'mobile', 'Reliance Jio'],
  [29465, 'mobile', 'MTN Nigeria, though two public lists call it hosting'],
  [7922, 'residential', 'Comcast'],
  [29447, 'residential', 'named Scaleway, is Iliad Italia'],
  [16591, 'residential', 'Google Fiber is not Google Cloud'],
  [14593, 'residential', 'Starlink'],
  [45700, 'residential', "named PT. NAP Info, is Starlink's network in Indonesia"],
  [3320, 'residential', 'Deutsche Telekom sells transit, and connects homes'],
  [4538, 'education', 'CERNET'],
  [749, 'business', 'US Department of Defense'],
  [9009, 'datacenter', 'M247 is a hoster, not a VPN operator'],
] as const)
  test(`networks: AS${asn} is ${type}: ${why}`, () => {
    const network = labelledNetworks.find(asn);
    assert.deepEqual(
      [network?.connection_type, network?.vpn_operator, network?.cloud_provider],
      [type, undefined, undefined],
    );
  });

for (const [asn, provider] of [
  [16509, 'AWS'],
  [8075, 'Azure'],
  [396982, 'Google Cloud'],
  [31898, 'Oracle Cloud'],
  [13335, 'Cloudflare'],
  [54113, 'Fastly'],
  [20940, 'Akamai'],
  [14061, 'DigitalOcean'],
  [63949, 'Linode'],
  [20473, 'Vultr'],
  [24940, 'Hetzner'],
  [16276, 'OVH'],
  [12876, 'Scaleway'],
  [36351, 'IBM Cloud'],
  [45102, 'Alibaba Cloud'],
  [132203, 'Tencent Cloud'],
  [136907, 'Huawei Cloud'],
  [36459, 'GitHub'],
] as const)
  test(`networks: AS${asn} is ${provider}`, () => {
    assert.equal(labelledNetworks.find(asn)?.cloud_provider, provider);
  });

test('networks: an AS number of a VPN operator is a VPN', () => {
  assert.equal(labelledNetworks.find(209854)?.vpn_operator, 'Surfshark');
  assert.equal(labelledNetworks.find(206092)?.vpn_operator, 'ExpressVPN (F.N.S. Holdings)');
});

test('address types: prefixes are not wider than an allocation, and do not overlap', () => {
  const ranges = addressTypes.rows.map(({ prefix }) => prefix);
  for (const [i, a] of ranges.entries()) {
    const widest = 1n << BigInt(addressBits(a.version) - (a.version === 4 ? 11 : 24));
    assert.ok(a.end - a.start < widest, String(a.start));
    for (const b of ranges.slice(i + 1))
      assert.ok(
        a.version !== b.version || a.end < b.start || b.end < a.start,
        `${a.start} overlaps`,
      );
  }
});

for (const table of [registryAsNumbers, transferredAsNumbers])
  test(`data files: ranges of ${table.file} do not overlap`, () => {
    for (const [i, { first, last }] of table.rows.entries())
      assert.ok(
        first <= last && last < (table.rows[i + 1]?.first ?? Number.POSITIVE_INFINITY),
        String(first),
      );
  });

test('name rules: each has one type, and what is ignored has none', () => {
  const types = new Map<number, string | undefined>();
  for (const { rule, match, connection_type: type, pattern } of tables.nameRules.rows) {
    assert.equal(type ?? '', types.get(rule) ?? type ?? '', pattern);
    assert.deepEqual(
      [rule === 0, type === undefined],
      [match === 'ignore', match === 'ignore'],
      pattern,
    );
    types.set(rule, type);
  }
});

test('crawlers: all rows of a bot say the same about it', () => {
  const bots = new Map<string, boolean>();
  for (const { company, bot, is_ai } of tables.crawlers.rows) {
    assert.equal(bots.get(`${company} ${bot}`) ?? is_ai, is_ai, bot);
    bots.set(`${company} ${bot}`, is_ai);
  }
});

test('type labels: each is an AS number that the table of networks does not have', () => {
  for (const { asn } of typeLabels.rows)
    assert.equal(labelledNetworks.find(asn), undefined, `AS${asn}`);
});

test('type labels: both parts have labels of each kind that signals decide', () => {
  for (const type of ['residential', 'datacenter', 'business'])
    for (const fitted of [true, false]) {
      const labels = typeLabels.rows.filter(
        (row) => row.connection_type === type && isFitted(row.asn) === fitted,
      );
      assert.ok(labels.length >= 80, `${type}: ${labels.length}`);
    }
});

/** The lines of the message with which a table refuses a text. */
function refusalOf(
  table: Pick<typeof labelledNetworks, 'file'> & { parse(text: string): unknown },
  lines: readonly string[],
): string[] {
  try {
    table.parse(`${lines.join('\n')}\n`);
  } catch (error) {
    assert.ok(error instanceof DatasetError);
    return error.message.split('\n');
  }
  return [];
}
