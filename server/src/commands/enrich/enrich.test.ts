import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { processorMs } from '@whence/testing/processor-time';
import { seededRandom } from '@whence/testing/seeded-random';
import { run } from '../../main.ts';
import { runCommand } from '../../test/run-command.ts';
import { TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
const logs = join(folder.dataDir, 'logs');
before(() => {
  folder.publish();
  mkdirSync(logs);
});
after(() => folder.remove());

const GOOGLE =
  '{"ip":"8.8.8.8","prefix":"8.8.8.0/24","asn":15169,"asn_name":"Google LLC","country":"US","connection_type":"datacenter","flags":["datacenter"],"threat":{"score":0}}';
const PRIVATE = '{"ip":"10.0.0.1","error":"no data found for IP"}';

type Result = { code: number; stdout: Buffer; stderr: string };

/** In this process, from a file. */
async function enrichFile(
  name: string,
  content: string | Buffer,
  ...options: string[]
): Promise<Result> {
  writeFileSync(join(logs, name), content);
  return enrich(join(logs, name), ...options);
}

async function enrich(...argv: string[]): Promise<Result> {
  const stdout: Buffer[] = [];
  let stderr = '';
  const code = await run(
    ['enrich', ...argv],
    { WHENCE_DATA_DIR: folder.dataDir },
    { write: (bytes: string | Uint8Array) => stdout.push(Buffer.from(bytes as Uint8Array)) },
    {
      write: (text) => {
        stderr += text;
      },
    },
  );
  return { code, stdout: Buffer.concat(stdout), stderr };
}

for (const [behaviour, name, content, options, want] of [
  [
    'lines: the first address',
    'a.log',
    'from 8.8.8.8 to 10.0.0.1\nnone\n',
    [],
    `from 8.8.8.8 to 10.0.0.1\t${GOOGLE}\nnone\n`,
  ],
  [
    'lines: all addresses',
    'a.log',
    'from 8.8.8.8 to 10.0.0.1\nnone',
    ['--all'],
    `from 8.8.8.8 to 10.0.0.1\t[${GOOGLE},${PRIVATE}]\nnone`,
  ],
  [
    'lines: CRLF is kept, no line break is added',
    'a.log',
    '8.8.8.8\r\n8.8.8.8',
    [],
    `8.8.8.8\t${GOOGLE}\r\n8.8.8.8\t${GOOGLE}`,
  ],
  [
    'lines: --fields in the given order',
    'a.log',
    '8.8.8.8',
    ['--fields', 'country,asn,prefix'],
    '8.8.8.8\t{"country":"US","asn":15169,"prefix":"8.8.8.0/24"}',
  ],
  [
    'lines: a field that the record does not have is omitted',
    'a.log',
    '1.0.0.1',
    ['--fields', 'cloud_provider'],
    '1.0.0.1\t{}',
  ],
  [
    'lines: a name that needs escapes',
    'a.log',
    '1.0.0.1',
    ['--fields', 'asn_name,ip'],
    '1.0.0.1\t{"asn_name":"Ex\\u00e4mple \\"Nord\\" GmbH","ip":"1.0.0.1"}',
  ],
  [
    'lines: IPv6 is written in canonical form',
    'a.log',
    '[2001:4860:0::8]:53',
    ['--fields', 'ip,prefix'],
    '[2001:4860:0::8]:53\t{"ip":"2001:4860::8","prefix":"2001:4860::/32"}',
  ],
  [
    'lines: gzip',
    'a.log',
    gzipSync('8.8.8.8\n'),
    ['--fields', 'country'],
    '8.8.8.8\t{"country":"US"}\n',
  ],
  [
    'lines: several gzip members in one file',
    'a.log',
    Buffer.concat([gzipSync('8.8.8.8\n'), gzipSync('8.8.8.8\n')]),
    ['--fields', 'asn'],
    '8.8.8.8\t{"asn":15169}\n8.8.8.8\t{"asn":15169}\n',
  ],
  [
    'ndjson: detected by its first character',
    'a.log',
    '\n {"ip":"8.8.8.8","n":1.0}\n',
    [],
    `\n {"ip":"8.8.8.8","n":1.0,"whence":${GOOGLE}}\n`,
  ],
  [
    'ndjson: numbers, white space and order are kept',
    'a.log',
    '{ "z":1e2,"big":12345678901234567890, "ip":"8.8.8.8" } \r\n',
    ['--fields', 'asn'],
    '{ "z":1e2,"big":12345678901234567890, "ip":"8.8.8.8" ,"whence":{"asn":15169}} \r\n',
  ],
  [
    'ndjson: --address',
    'a.log',
    '{"ip":"10.0.0.1","a":{"b":"8.8.8.8"}}',
    ['--address', 'a.b', '--fields', 'ip'],
    '{"ip":"10.0.0.1","a":{"b":"8.8.8.8"},"whence":{"ip":"8.8.8.8"}}',
  ],
  [
    'ndjson: the first --address that holds an address',
    'a.log',
    '{"b":"8.8.8.8","a":""}',
    ['--address', 'a,b', '--fields', 'ip'],
    '{"b":"8.8.8.8","a":"","whence":{"ip":"8.8.8.8"}}',
  ],
  [
    'ndjson: --as',
    'a.log',
    '{"ip":"8.8.8.8","whence":1}',
    ['--as', 'näme"', '--fields', 'asn'],
    '{"ip":"8.8.8.8","whence":1,"n\\u00e4me\\"":{"asn":15169}}',
  ],
  [
    'ndjson: --all addresses of the field',
    'a.log',
    '{"ip":"8.8.8.8, 10.0.0.1"}',
    ['--all', '--fields', 'ip'],
    `{"ip":"8.8.8.8, 10.0.0.1","whence":[{"ip":"8.8.8.8"},${PRIVATE}]}`,
  ],
  [
    'ndjson: a byte order mark',
    'a.log',
    '\ufeff{"ip":"8.8.8.8"}',
    ['--fields', 'asn'],
    '\ufeff{"ip":"8.8.8.8","whence":{"asn":15169}}',
  ],
  [
    'csv: detected by the file name',
    'a.csv',
    'n,Client-IP\n1,8.8.8.8\n2,10.0.0.1\n3,\n',
    ['--fields', 'country,asn'],
    'n,Client-IP,country,asn\n1,8.8.8.8,US,15169\n2,10.0.0.1,,\n3,,,\n',
  ],
  [
    'csv: the default columns',
    'a.csv',
    'ip\n8.8.8.8\n',
    [],
    'ip,prefix,asn,asn_name,country,connection_type,flags,threat_score,threat_level\n8.8.8.8,8.8.8.0/24,15169,Google LLC,US,datacenter,datacenter,0,\n',
  ],
  [
    'csv: the column whose first value is an address',
    'a.csv',
    'n,who\r\n1,8.8.8.8\r\n',
    ['--fields', 'asn'],
    'n,who,asn\r\n1,8.8.8.8,15169\r\n',
  ],
  [
    'csv: a column by name',
    'a.csv',
    'ip,"my ""peer"""\n10.0.0.1,8.8.8.8\n',
    ['--address', 'my "peer"', '--fields', 'asn'],
    'ip,"my ""peer""",asn\n10.0.0.1,8.8.8.8,15169\n',
  ],
  [
    'csv: a column by number',
    'a.log',
    'ip,peer\n10.0.0.1,8.8.8.8\n',
    ['--address', '2', '--fields', 'asn'],
    'ip,peer,asn\n10.0.0.1,8.8.8.8,15169\n',
  ],
  [
    'csv: quoted line breaks and delimiters',
    'a.csv',
    'ip,note\n"8.8.8.8","a,\n""b"""\n',
    ['--fields', 'asn'],
    'ip,note,asn\n"8.8.8.8","a,\n""b""",15169\n',
  ],
  [
    'csv: added cells are quoted',
    'a.csv',
    'ip\n1.0.0.1\n3.0.0.1',
    ['--fields', 'asn_name'],
    'ip,asn_name\n1.0.0.1,"Exämple ""Nord"" GmbH"\n3.0.0.1,"Amazon.com, Inc."',
  ],
  [
    'csv: tabs in .tsv',
    'a.tsv',
    'ip\tn\n3.0.0.1\t1\n',
    ['--fields', 'asn_name'],
    'ip\tn\tasn_name\n3.0.0.1\t1\tAmazon.com, Inc.\n',
  ],
  [
    'csv: another delimiter',
    'a.csv',
    'ip;n\n3.0.0.1;1\n',
    ['--delimiter', ';', '--fields', 'asn'],
    'ip;n;asn\n3.0.0.1;1;16509\n',
  ],
  [
    'csv: semicolons are detected',
    'a.csv',
    'ip;price\n3.0.0.1;1,5\n',
    ['--fields', 'asn'],
    'ip;price;asn\n3.0.0.1;1,5;16509\n',
  ],
  [
    'csv: no header',
    'a.csv',
    '1,8.8.8.8\n2,8.8.8.8\n',
    ['--no-header', '--fields', 'asn'],
    '1,8.8.8.8,15169\n2,8.8.8.8,15169\n',
  ],
  [
    'csv: --as is the prefix of the new columns',
    'a.csv',
    'ip,country\n8.8.8.8,x\n',
    ['--as', 'client', '--fields', 'country'],
    'ip,country,client_country\n8.8.8.8,x,US\n',
  ],
  [
    'csv: a byte order mark',
    'a.csv',
    '\ufeffip\n8.8.8.8\n',
    ['--fields', 'asn'],
    '\ufeffip,asn\n8.8.8.8,15169\n',
  ],
  [
    'csv: rows of a different length are passed on unchanged',
    'a.csv',
    'ip,n\n8.8.8.8\n\n8.8.8.8,1,2\n8.8.8.8,1\n',
    ['--fields', 'asn'],
    'ip,n,asn\n8.8.8.8\n\n8.8.8.8,1,2\n8.8.8.8,1,15169\n',
  ],
] as const)
  test(`enrich: ${behaviour}`, async () => {
    const { code, stdout, stderr } = await enrichFile(name, content, ...options);
    assert.deepEqual([stdout.toString(), code], [want, 0], stderr);
  });

test('enrich: --full adds the record that wh ip --json prints', async () => {
  const { stdout } = await enrichFile('full.log', '3.0.0.17', '--full');
  let record = '';
  await run(
    ['ip', '--json', '3.0.0.17'],
    { WHENCE_DATA_DIR: folder.dataDir },
    {
      write: (text) => {
        record += text;
      },
    },
    process.stderr,
  );
  assert.equal(stdout.toString(), `3.0.0.17\t${record.trimEnd()}`);
  const { stdout: columns } = await enrichFile('full.csv', 'client\n3.0.0.17\n', '--full');
  assert.match(
    columns.toString(),
    /^client,ip,prefix,asn,.*\n3\.0\.0\.17,3\.0\.0\.17,3\.0\.0\.0\/8,16509,"Amazon/,
  );
});

test('enrich: the summary counts lines, addresses and unchanged lines', async () => {
  const lines = [
    '{"ip":"8.8.8.8"}',
    '{"ip":"10.0.0.1"}',
    '{broken',
    '',
    '[]',
    '{"ip":"8.8.8.8","whence":1}',
    '{"a":1}',
  ];
  const content = `${lines.join('\n')}\n{"ip":"8.8.8.8","x":"${'x'.repeat(64 << 20)}"}\n`;
  const { stderr, stdout } = await enrichFile(
    'counts.ndjson',
    content,
    '--json',
    '--fields',
    'asn',
  );
  const { seconds, addresses_per_second, ...counts } = JSON.parse(stderr);
  assert.deepEqual(counts, {
    lines: 8,
    addresses: 2,
    found: 1,
    not_found: 1,
    unreadable: 2,
    too_long: 1,
    already_there: 1,
    bytes: Buffer.byteLength(content),
  });
  assert.ok(seconds >= 0 && addresses_per_second >= 0);
  const [first, second] = lines;
  const added = [
    `${first?.slice(0, -1)},"whence":{"asn":15169}}`,
    `${second?.slice(0, -1)},"whence":${PRIVATE}}`,
  ];
  assert.ok(stdout.toString() === content.replace(`${first}\n${second}`, added.join('\n')));
  assert.match(
    (await enrich(join(logs, 'counts.ndjson'))).stderr,
    /^8 lines, 2 addresses: 1 found, 1 not found; 2 unreadable, passed on unchanged; 1 too long, .*; 1 already enriched, .*; \d+\.\d s, [\d,]+ addresses\/s\n$/,
  );
});

for (const [text, want] of [
  ['[{"ip":"8.8.8.8"}]\n', '{"ip":"8.8.8.8","whence":{"asn":15169}}\n'],
  ['[\n  {\n "ip":\n "8.8.8.8"} , {}\n]', '{  "ip":  "8.8.8.8","whence":{"asn":15169}}\n{}\n'],
  [
    '{"v":1,"Records":[{"ip":"8.8.8.8"},{"a":[1]}],"n":[2]}',
    '{"ip":"8.8.8.8","whence":{"asn":15169}}\n{"a":[1]}\n',
  ],
  ['[\n  "8.8.8.8",\n"x"]\n', '8.8.8.8\t{"asn":15169}\nx\n'],
  // One object on each line is not a document, whatever it has.
  [
    '{"a":[{"b":1}],"ip":"8.8.8.8"}\n{}\n',
    '{"a":[{"b":1}],"ip":"8.8.8.8","whence":{"asn":15169}}\n{}\n',
  ],
] as const)
  test(`enrich: records of one JSON document are lines: ${JSON.stringify(text)}`, async () => {
    assert.equal(
      (await enrichFile('records.json', text, '--fields', 'asn')).stdout.toString(),
      want,
    );
  });

for (const [behaviour, name, text, options, want] of [
  [
    'only one flag',
    'a.log',
    'a 1.0.9.9\nb 8.8.8.8\nc\n',
    ['--only', 'tor_exit'],
    'a 1.0.9.9\t{"asn":64500}\n',
  ],
  [
    'only one of two',
    'b.log',
    '1.0.9.9\r\n3.0.0.17',
    ['--only', 'vpn,ai_crawler'],
    '3.0.0.17\t{"asn":16509}',
  ],
  [
    'all but one flag',
    'c.log',
    'x\n1.0.9.9\n8.8.8.8',
    ['--not', 'tor_exit'],
    'x\n8.8.8.8\t{"asn":15169}',
  ],
  [
    'a table keeps its header',
    'd.csv',
    'ip\n1.0.9.9\n8.8.8.8\n',
    ['--only', 'tor_exit'],
    'ip,asn\n1.0.9.9,64500\n',
  ],
  [
    'both',
    'e.log',
    '3.0.0.1\n3.0.0.17\n',
    ['--only', 'datacenter', '--not', 'ai_crawler'],
    '3.0.0.1\t{"asn":16509}\n',
  ],
] as const)
  test(`enrich: records are selected by flags: ${behaviour}`, async () => {
    const { stdout } = await enrichFile(name, text, '--fields', 'asn', ...options);
    assert.equal(stdout.toString(), want);
  });

test('enrich: a log that begins with a bracket is not a JSON array', async () => {
  assert.equal((await enrichFile('syslog', '[8.8.8.8] connected\n')).code, 0);
});

test('enrich: on a terminal it says what it waits for', async () => {
  const { stderr } = await runCommand(['enrich'], folder.environment);
  assert.match(stderr, /^reading a log from the terminal; end with Ctrl-D, or give a file\n/);
});

test('enrich: exits with 1 if there is no address', async () => {
  const { code, stdout, stderr } = await enrichFile('none.log', 'nothing\nhere\n');
  assert.deepEqual(
    [code, stdout.toString(), stderr],
    [1, 'nothing\nhere\n', 'no addresses found in 2 lines\n'],
  );
  const empty = await enrichFile('empty.log', '');
  assert.deepEqual([empty.code, empty.stdout.length], [2, 0]);
  assert.match(empty.stderr, /^error: .*empty\.log is empty\n$/);
});

for (const [behaviour, argv, message] of [
  ['a missing file', ['nowhere.log'], /^error: cannot read .*nowhere\.log: ENOENT/],
  ['a directory', ['.'], /^error: .* is a directory; name a file\n/],
  [
    'an unknown field',
    ['a.log', '--fields', 'country,planet'],
    /^error: --fields has unknown field "planet"; valid fields: ip,prefix/,
  ],
  ['a field twice', ['a.log', '--fields', 'asn,asn'], /^error: --fields has asn twice\n$/],
  [
    '--fields with --full',
    ['a.log', '--fields', 'asn', '--full'],
    /^error: --fields and --full cannot be combined\n$/,
  ],
  [
    'an option of another format',
    ['a.log', '--format', 'lines', '--address', 'ip'],
    /^error: --address does not apply to the format lines\n$/,
  ],
  [
    'an option of another format than the detected one',
    ['a.log', '--as', 'x'],
    /^error: --as does not apply to the format lines\n$/,
  ],
  ['an unknown format', ['a.log', '--format', 'xml'], /'xml' is invalid/],
  [
    'a delimiter that is part of addresses',
    ['a.log', '--delimiter', ':'],
    /^error: --delimiter is ":", but must be one ASCII character/,
  ],
  [
    'an unknown column',
    ['a.csv', '--address', 'peer'],
    /^error: there is no column "peer"; the columns are "ip", "country"\n$/,
  ],
  [
    'a column after the last',
    ['a.csv', '--no-header', '--address', '3'],
    /^error: there is no column "3": the first row has 2 columns\n$/,
  ],
  [
    'a column that already exists',
    ['a.csv'],
    /^error: column "country" already exists; use --as NAME to add NAME_prefix and so on\n$/,
  ],
  [
    'no column with addresses',
    ['b.csv'],
    /^error: no address column found by name or in the first row of data; name it with --address\n$/,
  ],
  ['zstd', ['a.zst'], /^error: .*a\.zst is zstd data; decompress it first: zstd -dc\n$/],
  [
    'a file that PowerShell has written',
    ['utf16.log'],
    /^error: .*utf16\.log is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8\n$/,
  ],
  [
    'a device as output',
    ['a.log', '--output', '/dev/null'],
    /^error: \/dev\/null is not a regular file; omit --output to write to standard output\n$/,
  ],
  [
    'an output in a missing directory',
    ['a.log', '--output', '/nowhere/out.log'],
    /^error: cannot write \/nowhere\/out\.log: its directory does not exist\n$/,
  ],
] as const)
  test(`enrich: usage error: ${behaviour}`, async () => {
    writeFileSync(join(logs, 'a.log'), '8.8.8.8\n');
    writeFileSync(join(logs, 'a.csv'), 'ip,country\n8.8.8.8,US\n');
    writeFileSync(join(logs, 'b.csv'), 'a,b\n1,2\n');
    writeFileSync(join(logs, 'a.zst'), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0]));
    writeFileSync(join(logs, 'utf16.log'), Buffer.from('\ufeff8.8.8.8\r\n', 'utf16le'));
    const { code, stderr } = await enrich(join(logs, argv[0]), ...argv.slice(1));
    assert.equal(code, 2);
    assert.match(stderr.replace('(run npx wh enrich --help for usage)\n', ''), message);
  });

test('enrich: truncated gzip is an error, and no output file appears', async () => {
  const complete = gzipSync('8.8.8.8\n'.repeat(1000));
  const output = join(logs, 'damaged.out');
  const { code, stderr } = await enrichFile(
    'cut.gz',
    complete.subarray(0, complete.length - 10),
    '--output',
    output,
  );
  assert.equal(code, 2);
  assert.match(stderr, /^error: corrupt gzip data in .*cut\.gz: .*damaged\.out was not written\n$/);
  assert.deepEqual(
    readdirSync(logs).filter((name) => name.startsWith('damaged')),
    [],
  );
});

test('enrich: data that only starts like gzip is an error', async () => {
  const { code, stderr } = await enrichFile('no.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6]));
  assert.equal(code, 2);
  assert.match(stderr, /^error: corrupt gzip data in .*no\.gz: [^\n]*\n$/);
});

test('enrich: a header of half a million columns is read in linear time', async () => {
  const ms = await processorMs(async () => {
    const { code } = await enrichFile(
      'wide.csv',
      `ip${',x'.repeat(450_000)}\n8.8.8.8${','.repeat(450_000)}\n`,
    );
    assert.equal(code, 0);
  });
  assert.ok(ms < 10_000, `${ms} ms`);
});

test('enrich: --output replaces the target of a link when it is complete, and keeps its mode', async () => {
  const target = join(logs, 'target.log');
  const link = join(logs, 'link.log');
  writeFileSync(target, '8.8.8.8\n');
  chmodSync(target, 0o640);
  symlinkSync(target, link);
  const { code, stdout } = await enrich(target, '--output', link, '--fields', 'asn');
  assert.deepEqual([code, stdout.length], [0, 0]);
  assert.equal(readFileSync(target, 'utf8'), '8.8.8.8\t{"asn":15169}\n');
  assert.equal(statSync(target).mode & 0o777, 0o640);
  assert.deepEqual(
    readdirSync(logs).filter((name) => name.includes('unfinished')),
    [],
  );
});

test('enrich: a bar on a terminal, unless the lines go to the same terminal', async () => {
  writeFileSync(join(logs, 'bar.log'), '8.8.8.8 GET /\n'.repeat(400_000));
  const shown = async (isTTY: boolean, ...options: string[]) => {
    let stderr = '';
    const output = { write: () => true, isTTY };
    const terminal = {
      write: (text: string | Uint8Array) => {
        stderr += text;
      },
      isTTY: true,
      columns: 100,
    };
    await run(
      ['enrich', join(logs, 'bar.log'), ...options],
      { WHENCE_DATA_DIR: folder.dataDir },
      output,
      terminal,
    );
    return stderr.replaceAll('\r\x1b[K', '\n');
  };
  const bar = /\n█*░* +\d+% {2}\d\.\d MB of 5\.6 MB, [\d,]+ lines\/s, [\d,]+ addresses\/s/;
  assert.match(await shown(false), bar);
  assert.match(await shown(true, '--output', join(logs, 'bar.out')), bar);
  assert.doesNotMatch(await shown(true), /░/);
  const selected = await shown(true, '--fields', 'asn', '--only', 'proxy');
  assert.match(selected, /\nnote: flags unknown \(reported as false\): proxy; /);
});

test('enrich: removing the insertions restores the input, byte for byte', async () => {
  const seed = 20261115;
  const random = seededRandom(seed);
  const pick = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const pieces = [
    '8.8.8.8',
    '10.0.0.1',
    '2001:4860::1',
    '1.0.0.1:80',
    ' ',
    ',',
    '"',
    '""',
    '\\',
    '{"ip":"8.8.8.8"}',
    '{"a":[1,',
    'ip',
    '\n',
    '\n',
    '\r\n',
    '\r',
    '\t',
    ';',
    'é',
  ];
  const randomBytes = () =>
    Buffer.from(Array.from({ length: 3 }, () => Math.floor(random() * 256)));
  const content = (length: number) =>
    Buffer.concat(
      Array.from({ length }, () => (random() < 0.1 ? randomBytes() : Buffer.from(pick(pieces)))),
    );
  // A field that never occurs in the input marks the insertions.
  const added = {
    lines: /\t(\{("ip":"[0-9a-f.:]+",)?"(rir|error)":"[^"]*"\})(?=\r?\n|$)/g,
    ndjson: /,"added":(\{("ip":"[0-9a-f.:]+",)?"(rir|error)":"[^"]*"\})(?=\s*\}\s*(\n|$))/g,
  } as const;
  let insertions = 0;
  for (const format of ['lines', 'ndjson'] as const)
    for (let round = 0; round < 150; round++) {
      const input = content(Math.floor(random() * 200));
      const ndjsonOptions = format === 'ndjson' ? ['--as', 'added', '--address', 'ip'] : [];
      const { stdout } = await enrichFile(
        'random',
        input,
        '--format',
        format,
        '--fields',
        'rir',
        ...ndjsonOptions,
      );
      const stripped = stdout.toString('latin1').replace(added[format], () => {
        insertions++;
        return '';
      });
      assert.equal(stripped, input.toString('latin1'), `${format}, round ${round}, seed ${seed}`);
    }
  for (let round = 0; round < 150; round++) {
    const cell = () =>
      random() < 0.5
        ? pick(['8.8.8.8', '10.0.0.1', '-', 'é'])
        : `"${pick(['8.8.8.8', 'a\nb', 'a,b', 'a""b', '\r\n'])}"`;
    const rows = Array.from(
      { length: 1 + Math.floor(random() * 30) },
      () => `${cell()},${cell()},x`,
    );
    const input = `ip,other,x\n${rows.join(pick(['\n', '\r\n']))}${pick(['', '\n'])}`;
    const { stdout } = await enrichFile('random.csv', input, '--fields', 'rir', '--as', 'ADDED');
    const stripped = stdout
      .toString()
      .replaceAll(/(?<=,x),(ADDED_rir|ARIN|RIPE|APNIC|LACNIC|AFRINIC|)(?=\r?\n|$)/g, '');
    assert.equal(stripped, input, `csv, round ${round}, seed ${seed}`);
  }
  assert.ok(insertions > 1000, `${insertions} insertions`);
});
