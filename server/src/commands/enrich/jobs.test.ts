/** `wh enrich --jobs`: the same bytes and counts with one thread and with several. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { gzipSync } from 'node:zlib';
import { seededRandom } from '@whence/testing/seeded-random';
import { run } from '../../main.ts';
import { TestFolder } from '../../test/test-server.ts';

const SEED = 20261115;
/** Several blocks of a megabyte. */
const BYTES = 3_500_000;
const TOO_LONG = 'x'.repeat(1_200_000);

const folder = new TestFolder();
const logs = join(folder.dataDir, 'logs');
before(() => {
  folder.publish();
  mkdirSync(logs);
});
after(() => folder.remove());

const random = seededRandom(SEED);
const below = (limit: number) => Math.floor(random() * limit);
const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
const address = () =>
  pick([`8.8.8.${below(256)}`, `1.0.${below(4)}.7`, '10.0.0.1', `2001:4860::${below(99)}`, 'nothing', '300.1.1.1']);

function repeat(makeRecord: (i: number) => string, bytes = BYTES): string {
  const records: string[] = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const record = makeRecord(i);
    records.push(record);
    size += record.length;
  }
  return records.join('');
}

const cell = () => pick(['', 'plain', '"a ""quoted"" word"', '"two\nlines"', '"three\r\n\r\nlines, and 8.8.8.8"']);
const row = (i: number) =>
  `${i},${cell()},${address()},${cell()}${below(50) === 0 ? ',more' : ''}${pick(['\n', '\r\n'])}`;
const line = (i: number) =>
  `${i} ${address()} - "GET /" ${'.'.repeat(below(200))}${pick(['\n', '\n', '\r\n', '\n\n'])}`;
const object = (i: number) => `{"i":${i},"client":{"ip":"${address()}"},"text":"${'é'.repeat(below(80))}"}\n`;

async function enrich(file: string, ...options: string[]) {
  const output = join(logs, 'output');
  const errors: string[] = [];
  const stderr = { write: (text: string) => errors.push(text) };
  const args = ['enrich', file, '--json', '--output', output, ...options];
  const code = await run(args, { WHENCE_DATA_DIR: folder.dataDir }, { write: () => true }, stderr);
  const { seconds, addresses_per_second, bytes, ...counts } = JSON.parse(errors.join('')) as Record<string, number>;
  return { code, counts, read: bytes, bytes: readFileSync(output) };
}

for (const [behaviour, name, content, options] of [
  ['lines', 'a.log', () => repeat(line), []],
  ['lines, all addresses', 'b.log', () => repeat(line), ['--all']],
  ['lines, the last without its end', 'c.log', () => `${repeat(line)}8.8.8.8`, []],
  ['lines, one too long', 'd.log', () => `${repeat(line, 500_000)}${TOO_LONG}\n${repeat(line, 1_500_000)}`, []],
  ['lines, one too long at the end', 'e.log', () => `${repeat(line, 500_000)}${TOO_LONG}${TOO_LONG}`, []],
  ['lines, one that is just too long', 'f.log', () => `${repeat(line, 9_000)}${'x'.repeat(1_000_000)}\n8.8.8.8\n`, []],
  ['objects', 'a.ndjson', () => repeat(object), ['--address', 'client.ip']],
  ['objects and other lines', 'b.ndjson', () => repeat((i) => (i % 7 === 0 ? line(i) : object(i))), []],
  ['rows with quoted line breaks', 'a.csv', () => `id,a,client_ip,b\n${repeat(row)}`, []],
  ['rows without a header', 'b.csv', () => `1,a,8.8.8.8,b\n${repeat(row)}`, ['--no-header']],
  [
    'rows after a megabyte of blank ones',
    'c.csv',
    () => `id,a,x,b\n${'\n'.repeat(1_500_000)}1,,8.8.8.8,\n${repeat(row)}`,
    [],
  ],
  ['a quoted cell that is too long', 'd.csv', () => `id,a,ip,b\n1,"${TOO_LONG}\n",8.8.8.8,x\n${repeat(row)}`, []],
  ['an open quote to the end', 'e.csv', () => `id,a,ip,b\n${repeat(row, 1_500_000)}1,"${repeat(row, 1_500_000)}`, []],
  ['nothing but a header', 'f.csv', () => 'id,ip\n', []],
] as [string, string, () => string, string[]][]) {
  test(`enrich --jobs: ${behaviour} (seed ${SEED})`, async () => {
    const file = join(logs, name);
    writeFileSync(file, content());
    const alone = await enrich(file, ...options);
    // Threads read a file themselves; compressed, it is read for them.
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 1 }));
    for (const input of [file, `${file}.gz`]) {
      const together = await enrich(input, '--jobs', '3', ...options);
      assert.ok(together.bytes.equals(alone.bytes), `the same bytes from ${input}`);
      assert.deepEqual([together.code, together.counts], [alone.code, alone.counts]);
      assert.equal(together.read, statSync(input).size);
    }
  });
}

const bin = join(import.meta.dirname, '../../bin.js');
const env = { ...process.env, WHENCE_DATA_DIR: folder.dataDir };
const shell = (script: string, file: string) =>
  spawnSync('sh', ['-c', script, process.execPath, bin, file], { env, maxBuffer: 1e9 });

for (const [behaviour, content, script] of [
  ['gzip to a pipe', () => gzipSync(repeat(line)), '"$0" "$1" enrich "$2"'],
  ['a file to a pipe', () => repeat(line), '"$0" "$1" enrich "$2"'],
  ['a file to a pipe that is read slowly', () => repeat(line), '"$0" "$1" enrich "$2" | (sleep 1; cat)'],
  ['a file to a file', () => repeat(line), '"$0" "$1" enrich "$2" >"$2.out"; cat "$2.out"'],
  ['a redirected file', () => repeat(line), '"$0" "$1" enrich <"$2"'],
  [
    'a redirected file that is read in part',
    () => repeat(line),
    '(dd bs=7 count=1 of="$2.dd"; "$0" "$1" enrich) <"$2"',
  ],
  ['one document of records', () => JSON.stringify(repeat(line).split('\n')), '"$0" "$1" enrich "$2"'],
] as [string, () => string | Buffer, string][]) {
  test(`enrich --jobs: ${behaviour}`, () => {
    const file = join(logs, 'standard');
    writeFileSync(file, content());
    const [alone, together] = [shell(script, file), shell(script.replace(' enrich', ' enrich --jobs 2'), file)];
    assert.equal(together.status, 0, together.stderr.toString());
    assert.ok(together.stdout.equals(alone.stdout) && together.stdout.length > BYTES);
  });
}

for (const [behaviour, script, status, message] of [
  [
    'a closed pipe ends the command',
    '("$0" "$1" enrich --jobs 2 "$2"; echo $? >"$2.code") | head -n 1; exit $(cat "$2.code")',
    0,
    /^$/,
  ],
  [
    'a full disk is an error',
    '"$0" "$1" enrich --jobs 2 "$2" >/dev/full',
    1,
    /cannot write to standard output: no space left/,
  ],
] as const) {
  test(`enrich --jobs: ${behaviour}`, { skip: !existsSync('/dev/full') && 'there is no /dev/full' }, () => {
    const file = join(logs, 'ended');
    writeFileSync(file, repeat(line));
    const ended = shell(script, file);
    assert.match(ended.stderr.toString(), message);
    assert.equal(ended.status, status);
  });
}

for (const [behaviour, options, message] of [
  ['a column that is not there', ['--address', 'nope'], /there is no column "nope"/],
  ['no thread', ['--jobs', '0'], /positive integer/],
  ['too many threads', ['--jobs', '65'], /at most 64/],
] as [string, string[], RegExp][]) {
  test(`enrich --jobs: usage error: ${behaviour}`, async () => {
    const file = join(logs, 'usage.csv');
    const output = join(logs, 'never');
    writeFileSync(file, `id,a,client_ip,b\n${repeat(row, 100_000)}`);
    const errors: string[] = [];
    const args = ['enrich', file, '--jobs', '2', '--output', output, ...options];
    const stderr = { write: (text: string) => errors.push(text) };
    const code = await run(args, { WHENCE_DATA_DIR: folder.dataDir }, { write: () => true }, stderr);
    assert.equal(code, 2);
    assert.match(errors.join(''), message);
    assert.equal(existsSync(output), false);
  });
}

test('enrich --jobs: input that breaks off is an error, and no output file appears', async () => {
  const file = join(logs, 'broken.gz');
  const output = join(logs, 'never');
  const whole = gzipSync(repeat(line));
  writeFileSync(file, whole.subarray(0, whole.length - 1000));
  const errors: string[] = [];
  const stderr = { write: (text: string) => errors.push(text) };
  const args = ['enrich', file, '--jobs', '2', '--output', output];
  assert.equal(await run(args, { WHENCE_DATA_DIR: folder.dataDir }, { write: () => true }, stderr), 1);
  assert.match(errors.join(''), /corrupt gzip data/);
  assert.equal(existsSync(output), false);
});
