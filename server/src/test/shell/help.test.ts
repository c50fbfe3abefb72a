/** Help and usage errors of every command. */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { type CommandNode, commandTree, everyNode } from '../../command-line/command-tree.ts';
import { COMMAND_NAMES } from '../../command-line/commands.ts';
import { EXAMPLES } from '../../command-line/examples.ts';
import { commandOf } from '../../command-line/typed-value.ts';
import { runCommand } from '../run-command.ts';
import { describedProgram } from './described-program.ts';

const nodes = everyNode(commandTree(await describedProgram()));
const helps = new Map<string, string>();
before(async () => {
  for (const { path } of nodes) {
    const { code, stdout, stderr } = await runCommand([...path, '--help'], {});
    assert.deepEqual([code, stderr], [0, ''], path.join(' '));
    helps.set(path.join(' '), stdout);
  }
});

test('help: every command has one, which fits 80 columns', () => {
  for (const name of [
    'serve',
    'key create',
    'asn search',
    'summarize',
    'dataset export',
    'completion',
  ])
    assert.ok(helps.has(name), name);
  for (const [name, help] of helps)
    for (const line of help.split('\n')) assert.ok(line.length <= 80, `wh ${name} --help: ${line}`);
});

/** A group such as `wh key` has no arguments and no options but --help. */
const isRunnable = (node: CommandNode) =>
  node.subcommands.length === 0 || node.arguments.length > 0;

test('help: commands are in groups, and each has three examples', () => {
  assert.match(
    helps.get('') ?? '',
    /\nLook up:\n {2}ip +look up.*\n(?:.*\n)*\nKeys and accounts:\n {2}key /,
  );
  const runnable = nodes.filter(isRunnable);
  assert.deepEqual(Object.keys(EXAMPLES).sort(), runnable.map(({ path }) => path.join(' ')).sort());
  for (const { path, examples } of runnable) {
    assert.equal(examples.length, 3, path.join(' '));
    for (const example of examples)
      assert.ok(helps.get(path.join(' '))?.includes(`\n  ${example}\n`), example);
  }
});

for (const { path, examples } of nodes)
  for (const example of examples)
    test(`example: ${example}`, async () => {
      const [, words = ''] = /\bwh ((?:[^|<>)]|"[^"]*")*)/.exec(example) ?? [];
      const [first = '', ...rest] = words.match(/"[^"]*"|[^ ]+/g) ?? [];
      const argv = COMMAND_NAMES.includes(first)
        ? [first, ...rest]
        : [commandOf(first), first, ...rest];
      assert.deepEqual(await parsedPath(argv), path);
    });

/** The path of the command that would run. */
async function parsedPath(words: readonly string[]): Promise<string[]> {
  let parsed: string[] = [];
  const program = await describedProgram();
  const record = (command: Command, path: string[]) => {
    command.exitOverride().action(() => {
      parsed = path;
    });
    for (const sub of command.commands) record(sub, [...path, sub.name()]);
  };
  for (const command of program.commands) record(command, [command.name()]);
  await program.parseAsync(words, { from: 'user' });
  return parsed;
}

test('help: a narrow terminal gets narrow lines, and titles in bold', async () => {
  const { stdout } = await runCommand(
    ['dataset', 'export', '--help'],
    {},
    { isTTY: true, columns: 60 },
  );
  assert.ok(stdout.startsWith('\x1b[1mUsage:\x1b[22m wh dataset export'), stdout);
  for (const line of stripVTControlCharacters(stdout).split('\n'))
    assert.ok(line.length <= 60, line);
});

/**
 * Subcommand that is unknown, argument that is missing, value that is wrong: what is said, and
 * whose help is named.
 */
for (const [argv, message, command] of [
  [
    ['frobnicate'],
    /"frobnicate" is not a command, an address, a prefix, an AS number or a domain\n/,
    'wh',
  ],
  [['key', 'frobnicate'], /unknown command/, 'wh key'],
  [['key', 'create'], /'--name <name>' not specified/, 'wh key create'],
  [
    ['key', 'create', '--name', 'x', '--tier', 'gold'],
    /choices are free, starter, pro, ent/,
    'wh key create',
  ],
  [
    ['key', 'create', '--name', 'x', '--expires', 'soon'],
    /the expiry must be a time in the future/,
    'wh key create',
  ],
  [
    ['key', 'create', '--name', 'x', '--permissions', 'all'],
    /some of ip:read, ip:batch/,
    'wh key create',
  ],
  [['key', 'show'], /missing required argument 'key'/, 'wh key show'],
  [['key', 'usage', 'x', '--days', '0'], /It must be a number from 1 to 400\./, 'wh key usage'],
  [['key', 'set', 'x'], /give at least one option, such as --tier/, 'wh key set'],
  [['user', 'frobnicate'], /unknown command/, 'wh user'],
  [
    ['user', 'create', 'x', '--role', 'king'],
    /choices are viewer, member, admin/,
    'wh user create',
  ],
  [['user', 'set-role', 'x'], /missing required argument 'role'/, 'wh user set-role'],
  [['storage', 'frobnicate'], /unknown command/, 'wh storage'],
  [['storage', 'migrate'], /'--to <place>' not specified/, 'wh storage migrate'],
  [['storage', 'migrate', '--to', 'mysql://x'], /a URL such as postgres:/, 'wh storage migrate'],
  [['dataset', 'frobnicate'], /unknown command/, 'wh dataset'],
  [['dataset', 'use', 'latest'], /It must be a positive integer\./, 'wh dataset use'],
  [['dataset', 'export', '--format', 'mmdb'], /mmdb needs --output FILE/, 'wh dataset export'],
  [['dataset', 'feeds', 'x'], /too many arguments/, 'wh dataset feeds'],
  [['asn', 'search', '--nothing', 'x'], /unknown option '--nothing'/, 'wh asn search'],
  [['ip', '1.2.3'], /invalid IP address: "1\.2\.3"/, 'wh ip'],
] as const)
  test(`usage error: wh ${argv.join(' ')}`, async () => {
    const { code, stdout, stderr } = await runCommand(argv, {});
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, message);
    assert.ok(stderr.endsWith(`\n(run npx ${command} --help for usage)\n`), stderr);
  });

test('usage error: a setting is named, and not the help of a command', async () => {
  const { code, stderr } = await runCommand(['key', 'list'], { WHENCE_PORT: 'eighty' });
  assert.deepEqual(
    [code, stderr],
    [2, 'error: WHENCE_PORT is "eighty", but must be a port from 0 to 65535\n'],
  );
});

for (const [option, value, variable] of [
  ['--port', '80', 'WHENCE_PORT'],
  ['--host', '0.0.0.0', 'WHENCE_HOST'],
  ['--data-dir', '/tmp/x', 'WHENCE_DATA_DIR'],
] as const)
  test(`serve: ${option} names ${variable}`, async () => {
    const { code, stderr } = await runCommand(['serve', option, value], {});
    assert.equal(code, 2);
    assert.match(
      stderr,
      new RegExp(
        `Set ${variable} instead: settings are variables, which npx wh serve --help lists\\.`,
      ),
    );
  });
