/**
 * Every `wh` command in the documentation, in a code block or in the text: the command exists, and so does each option.
 * Those that need no more than a dataset and a data directory are run as well; those that need a server, a key or an account by
 * documented-commands.thorough.test.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { runCommand } from '../run-command.ts';
import { documented, pages } from './documented-commands.ts';
import { ExportSample } from './export-sample.ts';
import { REPOSITORY } from './page-blocks.ts';

/** Commands that are not run here, and why. Tests of their own run them, except where it is said. */
const NOT_RUN: Readonly<Record<string, string>> = {
  serve: 'runs until it is stopped: test/processes',
  mcp: 'reads standard input until it ends',
  enrich: 'reads a log of the operator, or standard input: main.test runs the examples of its page',
  email: 'asks DNS: commands/email',
  crawlers: 'asks DNS: commands/crawlers',
  summarize: 'reads a log of the operator: commands/text, test/shell',
  grepip: 'reads a text of the operator: commands/text, test/shell',
  'dataset build': 'takes 10 s: packages.thorough.test',
  'dataset update': 'fetches feeds: test/processes/update.thorough.test',
  'dataset pull': 'fetches from a host: test/processes/replica.test',
  'dataset publish': 'writes to a folder of the operator: test/processes/replica.test',
  'dataset export': 'export-documentation.test',
  'dataset check': 'reads labels of the operator: commands/dataset',
  'storage migrate': 'needs a second storage: documented-commands.thorough.test',
  user: 'needs an account: documented-commands.thorough.test',
};

/** Examples of mistakes, which a page shows with the message that they get. */
const MISTAKES: readonly string[] = ['wh serve --port 80'];

const sample = new ExportSample();

test('documented commands: there are some on every page that is about the command', () => {
  assert.ok(documented.length > 100, String(documented.length));
});

test('documented commands: the name is wh, which no shell has as a builtin', () => {
  // docs/cli.md shows what the builtin does with the other name.
  const others = documented.filter(({ page, text }) => page !== 'docs/cli.md' && /^(npx )?whence /.test(text));
  assert.deepEqual(
    others.map(({ page, text }) => `${page}: ${text}`),
    [],
  );
});

for (const page of new Set(documented.map(({ page }) => page)))
  test(`documented commands: ${page}`, async () => {
    for (const { words, text } of documented.filter((command) => command.page === page)) {
      if (MISTAKES.includes(text)) continue;
      const { path, help } = await findCommand(words);
      assert.ok(path.length > 0 || words.every((word) => word.startsWith('-')), `${text}: no such command`);
      for (const option of words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? []))
        assert.ok(help.includes(option), `${text}: ${option} is not an option of wh ${path.join(' ')}`);
      // With its pipes, test/shell runs the page on the command line.
      if (page === 'docs/cli.md' || !isRunnable(path, words, help)) continue;
      const { code, stderr } = await runCommand(words, { WHENCE_DATA_DIR: sample.dataDir });
      assert.notEqual(code, 2, `${text}\n${stderr}`);
    }
  });

/** Commands of other programs. `docker` is not run: the tests have no container engine; dockerfile.thorough.test reads its file. */
test('documented commands: scripts of npm and files of the repository that a page names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { scripts: object };
  for (const page of pages) {
    const text = readFileSync(join(REPOSITORY, page), 'utf8');
    for (const [, script = ''] of text.matchAll(/\bnpm run ([a-z]+)/g))
      assert.ok(script in scripts, `${page}: ${script}`);
    for (const [, file = ''] of text.matchAll(/(?:^|[` ])((?:\.ci|deploy|server\/src|dataset\/src)\/[\w./-]+\w)/gm))
      assert.ok(existsSync(join(REPOSITORY, file)), `${page}: ${file}`);
  }
});

/** The command that the words begin with, and its help. */
async function findCommand(words: readonly string[]): Promise<{ path: string[]; help: string }> {
  let found = { path: [] as string[], help: await helpOf([]) };
  for (let length = 1; length <= words.length && /^[a-z][a-z-]*$/.test(words[length - 1] ?? ''); length++) {
    const path = words.slice(0, length);
    const help = await helpOf(path);
    if (!new RegExp(`^Usage: wh(ence)? ${path.join(' ')}[ \\n]`).test(help)) break;
    found = { path, help };
  }
  return found;
}

const helps = new Map<string, string>();
async function helpOf(path: readonly string[]): Promise<string> {
  const name = path.join(' ');
  const known = helps.get(name);
  if (known !== undefined) return known;
  const { stdout, stderr } = await runCommand([...path, '--help'], {});
  helps.set(name, stdout + stderr);
  return stdout + stderr;
}

/** With the arguments that it requires, and none of them a placeholder. */
function isRunnable(path: readonly string[], words: readonly string[], help: string): boolean {
  if (path.length === 0) return false;
  if (path.some((_, i) => path.slice(0, i + 1).join(' ') in NOT_RUN)) return false;
  const rest = words.slice(path.length);
  // The name alone is a mention.
  if (rest.length === 0) return false;
  if (rest.some((word) => /^[A-Z]|…|[[\]|$]/.test(word))) return false;
  // Without arguments, `ip` and `asn` read standard input.
  return rest.some((word) => !word.startsWith('-')) || !/^Usage: .*(<|\.\.\.\])/.test(help);
}
