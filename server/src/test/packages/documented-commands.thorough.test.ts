/**
 * Commands of the documentation that need a key, an account, a second storage or a running server, run as they are written,
 * with their placeholders filled in. documented-commands.test runs the others, and lists what is not run.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { promisify } from 'node:util';
import { Accounts } from '../../accounts/accounts.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { writeGeoipFiles } from '../../geoip-files/write-geoip-files.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { PERMISSIONS } from '../../vocabulary.ts';
import { runCommand } from '../run-command.ts';
import { ServerProcess, TestFolder } from '../test-server.ts';
import { codeIn, documented, pages } from './documented-commands.ts';

let folder: TestFolder;
let server: ServerProcess;
let secret: string;
before(async () => {
  folder = new TestFolder();
  folder.publish();
  await writeGeoipFiles(folder.dataDir, new Date().toISOString().slice(0, 10));
  ({ secret } = await folder.createKey({ permissions: PERMISSIONS }));
  const rules = join(folder.dataDir, 'rules.yaml');
  writeFileSync(rules, 'sets: {default: {default: allow}}\nlists: {tor: {flags: tor_exit}}');
  const settings = { WHENCE_PUBLIC_LOOKUPS: 'on', WHENCE_TRUST_PROXY: '127.0.0.1', WHENCE_RULES: rules };
  server = await ServerProcess.start(folder, settings);
});
after(async () => {
  await server?.stop('SIGKILL');
  folder?.remove();
});

const ACTOR = { name: 'test' };
let made = 0;

async function withAccounts<T>(work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const storage = await openStorage(folder.dataDir);
  try {
    return await work(new Accounts(storage, new AuditLog(storage.audit)));
  } finally {
    await storage.close();
  }
}

const newKey = async () => (await folder.createKey({ tier: 'free' })).key.id;
const newAccount = async () => {
  const name = `Person ${++made}`;
  await withAccounts((accounts) => accounts.create(name, 'viewer', ACTOR, new Date()));
  return name;
};
const newLink = () => withAccounts(async (accounts) => (await accounts.makeSetupLink(ACTOR, new Date())).link.id);

/** What a placeholder stands for, by the command that has it; a part of the command's words is enough. */
const PLACEHOLDERS: readonly (readonly [command: string, word: RegExp, value: () => string | Promise<string>])[] = [
  ['user create', /^NAME$/, () => `Person ${++made}`],
  ['user revoke-link', /^ID$/, newLink],
  ['user', /^NAME$/, newAccount],
  ['user set-role', /^ROLE$/, () => 'member'],
  ['key create', /^(N|NAME)$/, () => 'shop'],
  ['key', /^(KEY|ID|"\$ID")$/, newKey],
  ['key', /^…$/, () => '--note=x'],
  // A target that is on another machine in the documentation.
  ['storage migrate', /^(DIR|postgres:\/\/.*)$/, () => join(folder.dataDir, `copy ${++made}`)],
];

/** Needs what a test of its own has. */
const ELSEWHERE: readonly RegExp[] = [
  // own-usage-database.thorough.test runs its page.
  /WHENCE_USAGE_DATABASE_URL/,
];

async function filledIn(words: readonly string[]): Promise<string[]> {
  const text = words.join(' ');
  const filled: string[] = [];
  // Optional parts are given, and of alternatives the first.
  for (const word of words.map((word) => word.replaceAll(/[[\]]/g, '').replace(/\\?\|.*/, ''))) {
    const found = PLACEHOLDERS.find(([command, pattern]) => text.startsWith(command) && pattern.test(word));
    filled.push(found === undefined ? word : await found[2]());
  }
  return filled;
}

const subject = documented.filter(
  ({ words, text }) =>
    // The name of a command alone is a mention.
    (/^(key|user) [a-z-]+/.test(words.join(' ')) || /^storage [a-z]+ /.test(words.join(' '))) &&
    !ELSEWHERE.some((pattern) => pattern.test(text)),
);

test('documented commands: all that name a key, an account or a storage end with 0 when they are filled in', async () => {
  const needed = new Set([
    'create',
    'set',
    'show',
    'usage',
    'pause',
    'resume',
    'rotate',
    'revoke',
    'disable',
    'set-role',
  ]);
  let count = 0;
  for (const { page, words, text } of subject) {
    // `wh key revoke` in a sentence.
    if (words.length === 2 && needed.has(words[1] ?? '')) continue;
    if (words.length === 2 && ['reset-password', 'revoke-link'].includes(words[1] ?? '')) continue;
    if (words[0] === 'storage' && words[1] === 'migrate') {
      // Servers are stopped for it: the copy is of a storage that none uses.
      const source = new TestFolder();
      await source.createKey();
      const argv = await filledIn(words);
      const { code, stderr } = await runCommand(argv, source.environment);
      source.remove();
      assert.equal(code, 0, `${page}: ${text}\n${stderr}`);
    } else {
      // On standard input, which one of them reads, is a key.
      const { code, stderr } = await runCommand(await filledIn(words), folder.environment, { input: secret });
      assert.equal(code, 0, `${page}: ${text}\n${stderr}`);
    }
    count++;
  }
  assert.ok(count >= 20, `${count} commands`);
});

/** Run with a file of the operator by guides.thorough.test. */
const CURL_ELSEWHERE = ['docs/guides/fail2ban.md'];

test('documented commands: each request with curl gets an answer of the server', async () => {
  const commands = pages.flatMap((page) =>
    CURL_ELSEWHERE.includes(page)
      ? []
      : codeIn(page)
          .filter((line) => /^(\$ )?curl \S/.test(line))
          .map((line) => ({ page, line: line.replace(/^\$ /, '') })),
  );
  assert.ok(commands.length >= 3, `${commands.length} commands`);
  for (const { page, line } of commands) {
    const here = line
      // Behind a user and a password there is no scheme.
      .replaceAll(/(?<=@)127\.0\.0\.1:8080/g, new URL(server.url).host)
      .replaceAll(/https?:\/\/whence\.example\.com|(?:https?:\/\/)?(?:127\.0\.0\.1|localhost):8080/g, server.url)
      .replaceAll(/whence_…|\$KEY|\$WHENCE_KEY/g, secret);
    // As if it came from an address that the sample has.
    const asked = here.replace(/^curl /, "curl -sS --fail -H 'X-Forwarded-For: 8.8.8.8' ");
    const { stdout } = await promisify(execFile)('sh', ['-c', asked]);
    assert.notEqual(stdout, '', `${page}: ${line}`);
  }
});
