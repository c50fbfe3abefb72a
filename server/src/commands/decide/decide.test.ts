/** `wh decide check`, `test` and `replay` with a small dataset. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { runCommand } from '../../test/run-command.ts';
import { TestFolder } from '../../test/test-server.ts';

const folder = new TestFolder();
const write = (name: string, text: string) => {
  writeFileSync(join(folder.dataDir, name), text);
  return join(folder.dataDir, name);
};
const decide = (...args: string[]) => runCommand(['decide', ...args], folder.environment);

const RULES = `sets:
  default:
    default: allow
    rules:
      - { name: office, if: { prefixes: 8.8.8.8/32 }, then: allow }
      - { name: login, if: { paths: /login, connection_types: datacenter }, then: deny }
`;
const line = (ip: string, path: string, status = 200) =>
  `${ip} - - [x] "GET ${path} HTTP/1.1" ${status} 1 "-" "-"`;
let rules = '';

before(() => {
  folder.publish();
  rules = write('rules.yaml', RULES);
});
after(() => folder.remove());

test('decide check: a valid file, with warnings on standard error', async () => {
  const shadowed = write(
    'shadowed.yaml',
    `${RULES}      - { name: more, if: { paths: /login/x, connection_types: datacenter }, then: deny }\n`,
  );
  const { code: exitCode, stdout, stderr } = await decide('check', shadowed);
  assert.equal(exitCode, 0);
  assert.equal(stdout, `${shadowed} is valid: 1 set with 3 rules\n`);
  assert.match(
    stderr,
    /shadowed\.yaml:7:9: warning: rule more of set default never matches: rule login before it/,
  );
});

for (const [behaviour, text, message, code] of [
  [
    'a mistake',
    'sets: {default: {default: maybe}}',
    /bad\.yaml:1:27: "maybe" is not one of allow, deny/,
    1,
  ],
  ['no file', undefined, /none\.yaml does not exist/, 2],
  ['an empty file', '', /bad\.yaml is empty/, 2],
] as const)
  test(`decide check: ${behaviour}`, async () => {
    const path = text === undefined ? join(folder.dataDir, 'none.yaml') : write('bad.yaml', text);
    const { code: exitCode, stderr } = await decide('check', path);
    assert.equal(exitCode, code);
    assert.match(stderr.replaceAll(/\s+/g, ' '), message);
  });

for (const [behaviour, args, exitCode, shown] of [
  [
    'a refused request',
    ['--ip', '8.8.8.9', '--path', '/login'],
    1,
    /decision +deny\n +rule +login\n +paths +\/login/,
  ],
  ['an allowed one', ['--ip', '8.8.8.8', '--path', '/login'], 0, /decision +allow\n +rule +office/],
  ['the default', ['--ip', '8.8.8.9'], 0, /rule +none: the default of set default/],
  ['a private address', ['--ip', '10.0.0.1'], 0, /rule +none: private and special-purpose/],
  [
    'JSON',
    ['--ip', '8.8.8.9', '--path', '/login', '--json'],
    1,
    /^\{"decision":"deny","rule":"login","matched":\{"paths":"\/login"/,
  ],
] as const)
  test(`decide test: ${behaviour}`, async () => {
    const answer = await decide('test', rules, ...args);
    assert.equal(answer.code, exitCode);
    assert.match(answer.stdout, shown);
  });

for (const [behaviour, args, exitCode, message] of [
  ['an address that is none', ['test', '--ip', 'x'], 2, /"x" is not an address/],
  [
    'an unknown set',
    ['test', '--ip', '8.8.8.8', '--set', 'other'],
    2,
    /has no set other; it has default/,
  ],
  [
    'a share that is none',
    ['replay', '--max-refused', '2'],
    2,
    /must be a percentage such as 0\.5%/,
  ],
] as const)
  test(`decide: ${behaviour}`, async () => {
    const [command, ...rest] = args;
    const answer = await decide(command, rules, ...rest);
    assert.equal(answer.code, exitCode);
    assert.match(answer.stderr.replaceAll(/\s+/g, ' '), message);
  });

test('decide replay: requests and clients by rule, and who would be refused', async () => {
  const lines = [
    line('8.8.8.8', '/login'),
    line('8.8.8.9', '/login'),
    line('8.8.8.9', '/login', 403),
    line('8.8.8.9', '/'),
    line('3.0.0.17', '//login', 404),
    'nonsense',
    '',
  ];
  const log = write('access.log', lines.join('\n'));
  const { code: exitCode, stdout } = await decide('replay', rules, log, '--json');
  const { refused, ...report } = JSON.parse(stdout);
  assert.equal(exitCode, 0);
  assert.deepEqual(report, {
    set: 'default',
    lines: 6,
    unreadable: 1,
    clients: 3,
    rules: [
      { rule: 'office', action: 'allow', requests: 1, clients: 1, share: 0.2 },
      { rule: 'login', action: 'deny', requests: 3, clients: 2, share: 0.6 },
      { rule: null, action: 'allow', requests: 1, clients: 1, share: 0.2 },
    ],
  });
  assert.deepEqual(
    [
      refused.requests,
      refused.clients,
      refused.successful,
      refused.networks.map(({ asn }: { asn: number }) => asn),
    ],
    [3, 2, { requests: 1, clients: 1 }, [15_169, 16_509]],
  );
  const strict = await decide('replay', rules, log, '--max-refused', '59.9%');
  assert.equal(strict.code, 1);
  assert.match(strict.stderr, /60\.00% would be refused, more than 59\.90%/);
  assert.match(strict.stdout, /login +deny +3 +2 +60\.00%/);
  assert.equal((await decide('replay', rules, log, '--max-refused', '60%')).code, 0);
});
