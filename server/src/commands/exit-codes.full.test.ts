/**
 * The exit codes of every command, by the one table of `terminal/exit`. A command without a row
 * fails.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { commandTree, everyNode } from '../command-line/command-tree.ts';
import { makeSecret } from '../keys/secret.ts';
import { runCommand } from '../test/run-command.ts';
import { describedProgram } from '../test/shell/described-program.ts';
import { TestFolder } from '../test/test-server.ts';

type Argv = readonly string[];
type Row = {
  readonly done?: () => Argv;
  readonly no?: () => Argv;
  /** What network, DNS or storage do not allow. */
  readonly failing?: () => Argv;
  /** With the path of an input file. */
  readonly file?: (path: string) => Argv;
  /** Without an argument or with `-`, it reads standard input. */
  readonly stdin?: Argv;
};

const folder = new TestFolder();
const path = (name: string) => join(folder.dataDir, name);
/** Nothing listens there. */
const CLOSED = 'http://127.0.0.1:9';
const remote = ['--url', CLOSED, '--key', makeSecret()];
const elsewhere = ['--data-dir', path('no-data')];
const DENIED = { ip: '8.8.8.8', path: '/login' };
let id = '';

before(async () => {
  folder.publish();
  id = (await folder.createKey()).key.id;
  await runCommand(['user', 'create', 'ada@example.com'], folder.environment);
  writeFileSync(path('a.log'), '8.8.8.8 - - [16/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n');
  writeFileSync(
    path('agents.log'),
    '8.8.8.8 - - [16/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "curl"\n',
  );
  writeFileSync(path('none.log'), 'nothing\n');
  writeFileSync(
    path('rules.yaml'),
    'sets:\n  default:\n    rules:\n      - { name: login, if: { paths: [/login] }, then: deny }\n    default: allow\n',
  );
  writeFileSync(path('wrong.yaml'), 'sets: []\n');
  writeFileSync(path('unreadable.gz'), Buffer.from([0x1f, 0x8b, 0x08, 0, 1, 2, 3]));
  writeFileSync(path('empty'), '');
  mkdirSync(path('folder'));
});
after(() => folder.remove());

const ROWS: Readonly<Record<string, Row>> = {
  ip: {
    done: () => ['8.8.8.8'],
    no: () => ['10.0.0.1'],
    failing: () => ['8.8.8.8', ...remote],
    file: (list) => [list],
    stdin: [],
  },
  'ip --history': { file: (list) => [list], stdin: ['-'] },
  prefix: {
    done: () => ['8.8.8.0/24'],
    no: () => ['11.0.0.0/24'],
    failing: () => ['8.8.8.0/24', ...remote],
    file: (list) => [list],
    stdin: [],
  },
  asn: {
    done: () => ['15169'],
    no: () => ['64999'],
    failing: () => ['15169', ...remote],
    file: (list) => [list],
    stdin: [],
  },
  'asn search': {
    done: () => ['google'],
    no: () => ['no such name'],
    failing: () => ['google', ...remote],
  },
  enrich: {
    done: () => [path('a.log')],
    no: () => [path('none.log')],
    failing: () => [path('a.log'), ...elsewhere],
    file: (log) => [log],
    stdin: [],
  },
  summarize: {
    done: () => [path('a.log')],
    no: () => [path('none.log')],
    failing: () => [path('a.log'), ...elsewhere],
    file: (log) => [log],
    stdin: [],
  },
  crawlers: {
    done: () => [path('agents.log'), '--no-dns'],
    no: () => [path('none.log'), '--no-dns'],
    failing: () => [path('a.log'), ...elsewhere],
    file: (log) => [log],
    stdin: [],
  },
  email: {
    failing: () => ['example.com', ...remote],
    file: (list) => [list],
    stdin: [],
  },
  'email --try': { file: (records) => [records, 'example.com'], stdin: ['-', 'example.com'] },
  'email reports': { failing: () => ['example.com', ...elsewhere] },
  'email reports import': {
    failing: () => [path('a.log'), ...elsewhere],
    file: (report) => [report],
    stdin: ['-'],
  },
  'email reports fetch': {},
  'watch add': {
    done: () => ['example.com'],
    failing: () => ['example.com', ...elsewhere],
    file: (list) => [list],
    stdin: [],
  },
  'watch list': { done: () => [], failing: () => remote },
  'watch remove': {
    no: () => ['example.net'],
    failing: () => ['example.com', ...remote],
    file: (list) => [list],
    stdin: [],
  },
  'watch accept': { no: () => ['none'], failing: () => ['none', ...elsewhere] },
  'watch run': {
    file: (list) => [list, '--state', path('watch.json')],
    stdin: ['--state', path('watch.json')],
  },
  'decide check': {
    done: () => [path('rules.yaml')],
    no: () => [path('wrong.yaml')],
  },
  'decide test': {
    done: () => [path('rules.yaml'), '--ip', DENIED.ip],
    no: () => [path('rules.yaml'), '--ip', DENIED.ip, '--path', DENIED.path],
    failing: () => [path('rules.yaml'), '--ip', DENIED.ip, ...elsewhere],
    file: (rules) => [rules, '--ip', DENIED.ip],
  },
  'decide replay': {
    done: () => [path('rules.yaml'), path('a.log')],
    no: () => [path('rules.yaml'), path('none.log')],
    failing: () => [path('rules.yaml'), path('a.log'), ...elsewhere],
    file: (log) => [path('rules.yaml'), log],
    stdin: [path('rules.yaml'), '-'],
  },
  'dataset build': { failing: () => ['--data-dir', '/proc/whence'] },
  'dataset update': { failing: () => ['--data-dir', '/proc/whence'] },
  'dataset feeds': { done: () => [] },
  'dataset list': { done: () => [] },
  'dataset verify': { done: () => [], no: () => ['7'], failing: () => elsewhere },
  'dataset use': { done: () => ['1'], no: () => ['7'] },
  'dataset publish': {
    done: () => ['--to', path('published')],
    failing: () => ['--to', '/proc/whence'],
  },
  'dataset pull': {},
  'dataset export': {
    done: () => ['--format', 'csv'],
    no: () => ['--format', 'csv', '--flag', 'vpn'],
    failing: () => ['--format', 'csv', ...elsewhere],
  },
  sync: { failing: () => [path('synced'), 'country.mmdb', '--once', ...remote] },
  'key create': { done: () => ['--name', 'shop'], failing: () => ['--name', 'shop', ...elsewhere] },
  'key list': { done: () => [], failing: () => elsewhere },
  'key show': { done: () => [id], no: () => ['abcdefghjk'], failing: () => [id, ...elsewhere] },
  'key find': { stdin: ['-'] },
  'key set': {
    done: () => [id, '--name', 'new'],
    no: () => ['abcdefghjk', '--name', 'new'],
    failing: () => [id, '--name', 'new', ...elsewhere],
  },
  'key usage': { done: () => [id], no: () => ['abcdefghjk'], failing: () => [id, ...elsewhere] },
  'key rotate': { done: () => [id], no: () => ['abcdefghjk'], failing: () => [id, ...elsewhere] },
  'key revoke': { done: () => [id], no: () => ['abcdefghjk'], failing: () => [id, ...elsewhere] },
  'user create': {
    done: () => ['eve@example.com'],
    failing: () => ['eve@example.com', ...elsewhere],
  },
  'user list': { done: () => [], failing: () => elsewhere },
  'user reset-password': {
    done: () => ['ada@example.com'],
    no: () => ['bob@example.com'],
    failing: () => ['ada@example.com', ...elsewhere],
  },
  'user set-role': {
    done: () => ['eve@example.com', 'member'],
    no: () => ['bob@example.com', 'member'],
    failing: () => ['eve@example.com', 'member', ...elsewhere],
  },
  'user set-domains': {
    done: () => ['eve@example.com', 'example.com'],
    no: () => ['bob@example.com', 'example.com'],
    failing: () => ['eve@example.com', 'example.com', ...elsewhere],
  },
  'user disable': {
    done: () => ['eve@example.com'],
    no: () => ['bob@example.com'],
    failing: () => ['eve@example.com', ...elsewhere],
  },
  'user setup-link': { failing: () => elsewhere },
  'storage check': { done: () => [], failing: () => elsewhere },
  'storage migrate': {
    done: () => ['--to', path('copy')],
    failing: () => ['--to', path('copy'), ...elsewhere],
  },
  serve: {},
  mcp: { failing: () => elsewhere },
  completion: { done: () => ['bash'] },
};
const rowOf = (name: string): Row => ROWS[name] ?? {};

const run = (name: string, argv: Argv, input?: string) =>
  runCommand(
    [...name.split(' '), ...argv],
    folder.environment,
    input === undefined ? {} : { input },
  );

test('exit codes: every command has a row, and ends with 2 if it is used wrongly', async () => {
  const nodes = everyNode(commandTree(await describedProgram()));
  const isRun = nodes.filter(
    (node) => node.path.length > 0 && (node.subcommands.length === 0 || node.arguments.length > 0),
  );
  for (const { path: words } of isRun) {
    const name = words.join(' ');
    assert.ok(ROWS[name] !== undefined, `${name} has no row`);
    const { code, stderr } = await run(name, ['--no-such-option']);
    assert.equal(code, 2, `${name}: ${stderr}`);
  }
});

for (const [kind, code] of [
  ['done', 0],
  ['no', 1],
  ['failing', 3],
] as const)
  for (const name of Object.keys(ROWS)) {
    const argv = rowOf(name)[kind];
    if (argv !== undefined)
      test(`exit codes: ${name}: ${code}`, async () => {
        const ended = await run(name, argv(), '');
        assert.equal(ended.code, code, ended.stderr);
      });
  }

for (const name of Object.keys(ROWS)) {
  const { file, stdin } = rowOf(name);
  if (file !== undefined)
    test(`exit codes: ${name}: 2 for a file that is missing, unreadable or empty`, async () => {
      for (const input of ['missing.txt', 'folder', 'unreadable.gz', 'empty']) {
        const ended = await run(name, file(path(input)));
        assert.equal(ended.code, 2, `${input}: ${ended.stdout}${ended.stderr}`);
      }
    });
  if (stdin !== undefined)
    test(`exit codes: ${name}: 2 for empty input`, async () => {
      const ended = await run(name, stdin, '');
      assert.equal(ended.code, 2, `${ended.stdout}${ended.stderr}`);
    });
}
