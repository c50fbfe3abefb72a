/**
 * Commands that copy text, in a terminal that Python's `pty` makes: control characters arrive as
 * visible escapes. In a pipe the bytes are those of the input.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { bin, TestFolder } from '../test-server.ts';

/** What a log can contain, and how a terminal shows it. */
const CONTROLS: readonly (readonly [name: string, bytes: Buffer, shown: string])[] = [
  ['C0', Buffer.from('\0\x07\b\v\f\x0e\x1a'), '\\x00\\x07\\x08\\x0b\\x0c\\x0e\\x1a'],
  ['CR inside a line', Buffer.from('a\rb'), 'a\\rb'],
  ['DEL', Buffer.from('\x7f'), '\\x7f'],
  ['C1 in UTF-8', Buffer.from('\u009b31m\u0090'), '\\x9b31m\\x90'],
  ['C1 as a byte', Buffer.from([0x9b, 0x33, 0x31, 0x6d]), '\ufffd31m'],
  ['CSI', Buffer.from('\x1b[2J\x1b[31m'), '\\x1b[2J\\x1b[31m'],
  [
    'OSC 8',
    Buffer.from('\x1b]8;;https://example.com\x1b\\x'),
    '\\x1b]8;;https://example.com\\x1b\\x',
  ],
  ['OSC 52', Buffer.from('\x1b]52;c;AAAA\x07'), '\\x1b]52;c;AAAA\\x07'],
  ['bidirectional controls', Buffer.from('\u202e\u2066\u200f'), '\\u202e\\u2066\\u200f'],
  ['what is harmless', Buffer.from('ä 日本 🙂'), 'ä 日本 🙂'],
];
const line = Buffer.concat([
  Buffer.from('8.8.8.8 '),
  ...CONTROLS.map(([, bytes]) => bytes),
  Buffer.from(' end'),
]);
const shown = CONTROLS.map(([, , text]) => text).join('');

const folder = new TestFolder();
const path = (name: string) => join(folder.dataDir, name);
before(() => {
  folder.publish({
    routes: [['8.8.8.0/24', 15169, `Evil \x1b[2J\u009b\u202e`]],
    countries: [['8.8.8.0/24', 'US']],
  });
  writeFileSync(path('log'), Buffer.concat([line, Buffer.from('\r\n'), line, Buffer.from('\n')]));
  writeFileSync(
    path('log.csv'),
    Buffer.concat([Buffer.from('ip,text\n8.8.8.8,'), line.subarray(8), Buffer.from('\n')]),
  );
  writeFileSync(path('list'), Buffer.concat([line, Buffer.from('\n8.8.8.8\n')]));
});
after(() => folder.remove());

/** Runs the command in a pseudo-terminal and copies what arrives there. */
const PTY = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
`;

function inTerminal(argv: readonly string[]): string {
  const { stdout } = spawnSync('python3', ['-c', PTY, process.execPath, bin, ...argv], {
    env: { ...process.env, ...folder.environment, NO_COLOR: '1' },
  });
  // The terminal driver writes a carriage return before each line feed.
  return stdout.toString().replaceAll('\r\n', '\n').replaceAll('\r\n', '\n');
}

function inPipe(argv: readonly string[]): Buffer {
  return spawnSync(process.execPath, [bin, ...argv], {
    env: { ...process.env, ...folder.environment },
  }).stdout;
}

for (const [argv, expected] of [
  [['enrich', 'log'], shown],
  [['enrich', 'log', '--full'], shown],
  [['enrich', 'log.csv', '--fields', 'asn_name'], 'Evil \\x1b[2J\\x9b\\u202e'],
  [['ip', '--csv', 'list'], '\\x1b]52;c;AAAA\\x07'],
  [['ip', '--json', 'list'], '\\u001b]52;c;AAAA\\u0007'],
  [['asn', '--csv', '15169'], 'Evil \\x1b[2J\\x9b\\u202e'],
  [['asn', '--json', '15169'], 'Evil \\u001b[2J\\u009b\\u202e'],
  [['dataset', 'export', '--format', 'csv'], 'Evil \\x1b[2J\\x9b\\u202e'],
] as const)
  test(`terminal: wh ${argv.join(' ')} shows control characters and does not obey them`, () => {
    const files = argv.map((text) => (/^(?:log|list)/.test(text) ? path(text) : text));
    const text = inTerminal(files);
    assert.ok(text.includes(expected), JSON.stringify(text));
    assert.doesNotMatch(text, /[^\P{Cc}\n\t]|\p{Bidi_Control}/u);
  });

test('terminal: in a pipe, enrich copies the bytes of the input', () => {
  const enriched = inPipe(['enrich', path('log')]);
  assert.deepEqual(enriched.subarray(0, line.length), line);
  assert.ok(enriched.includes(Buffer.concat([Buffer.from('}\r\n'), line])));
});
