/**
 * The commands of the documentation, without running them: fences are of a known kind, and every
 * command of `wh` in a block or in the text exists, with its options. pages.full.test runs the
 * blocks.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { runCommand } from '../run-command.ts';
import { allBlocks, pages, REPOSITORY } from './page-blocks.ts';
import { commandsOf, differenceOf, faultOf } from './run-page.ts';

/** Examples of mistakes, which a page shows with the message that they get. */
const MISTAKES: readonly string[] = ['wh serve --port 80'];

for (const page of pages) {
  const blocks = allBlocks(page);
  test(`pages: fences of ${page}`, () => {
    for (const block of blocks) assert.equal(faultOf(block), undefined, `${page}:${block.line}`);
  });

  test(`pages: commands and options of ${page}`, async () => {
    const prose = readFileSync(join(REPOSITORY, page), 'utf8').replaceAll(
      /^ *```[\s\S]*?^ *```$/gm,
      '',
    );
    const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
    const lines = blocks
      .filter(({ language }) => ['sh', 'console'].includes(language))
      .flatMap((block) =>
        commandsOf(block).flatMap(({ text }) => text.replaceAll('\\\n', ' ').split('\n')),
      );
    for (const words of [...lines, ...spans].flatMap(commandsIn)) {
      const text = words.join(' ');
      if (MISTAKES.includes(text)) continue;
      // The other name is a builtin of zsh and ksh.
      assert.ok(words[0] === 'wh' || page === 'docs/cli.md', `${text}: is written as wh`);
      const { path, help } = await findCommand(words.slice(1));
      const isTarget = /^(-|[A-Z]|\d|…|[\w:]+[.:/])/.test(words[1] ?? '');
      assert.ok(path.length > 0 || isTarget, `${text}: no such command`);
      for (const option of words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? []))
        assert.ok(
          help.includes(option),
          `${text}: ${option} is not an option of wh ${path.join(' ')}`,
        );
    }
  });
}

test('pages: scripts of npm and files of the repository that a page names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  for (const page of pages) {
    const text = readFileSync(join(REPOSITORY, page), 'utf8');
    for (const [, script = ''] of text.matchAll(/\bnpm run ([a-z]+)/g))
      assert.ok(script in scripts, `${page}: ${script}`);
    for (const [, file = ''] of text.matchAll(
      /(?:^|[` ])((?:\.ci|deploy|server\/src|dataset\/src)\/[\w./-]+\w)/gm,
    ))
      assert.ok(existsSync(join(REPOSITORY, file)), `${page}: ${file}`);
  }
});

const block = (language: string, code: string, ...needs: string[]) => ({
  page: 'x.md',
  line: 1,
  info: language,
  language,
  needs,
  file: undefined,
  code,
});

test('pages: lines that belong together are one command, and the lines below it are its output', () => {
  const texts = (language: string, code: string) =>
    commandsOf(block(language, code)).map(({ text, shown }) => [text, shown]);
  assert.deepEqual(
    texts('sh', '# why\nwh ip 8.8.8.8 |\n  cat\n\ncat >a <<END\n$ x\nEND\nwh \\\n  ip\n'),
    [
      ['wh ip 8.8.8.8 |\n  cat', undefined],
      ['cat >a <<END\n$ x\nEND', undefined],
      ['wh \\\n  ip', undefined],
    ],
  );
  assert.deepEqual(texts('console', "$ printf 'a\n> b'\na\nb\n$ true\n$ echo x\nx\n"), [
    ["printf 'a\nb'", 'a\nb\n'],
    ['true', undefined],
    ['echo x', 'x\n'],
  ]);
});

for (const [behaviour, shown, output, isSame] of [
  ['equal text', 'a\nb\n', 'a\nb\n', true],
  ['blanks at the end of a line do not count', 'a\n', 'a  \n', true],
  ['another text', 'a.c\n', 'abc\n', false],
  ['an ellipsis in a line is any text of it', 'a … c\n', 'a b c\n', true],
  ['an ellipsis in a line ends with it', 'a …\n', 'a b\nc\n', false],
  ['an ellipsis alone is any number of lines', 'a\n…\nd\n', 'a\nb\nc\nd\n', true],
  ['an ellipsis alone may be none', 'a\n…\nd\n', 'a\nd\n', true],
  ['an ellipsis alone at the end', 'a\n…\n', 'a\nb\nc\n', true],
  ['an ellipsis alone at the beginning', '…\nc\n', 'a\nb\nc\n', true],
  ['a line more', 'a\n', 'a\nb\n', false],
] as const)
  test(`pages: shown and printed: ${behaviour}`, () => {
    assert.equal(differenceOf(shown, output) === undefined, isSame);
  });

for (const [behaviour, given, fault] of [
  ['a block of commands', block('sh', 'wh ip 8.8.8.8\n'), undefined],
  ['text', block('text', 'GET /v1/ip/8.8.8.8\n'), undefined],
  ['no language', block('', 'x\n'), /without a language/],
  ['commands in another language', block('text', 'wh ip 8.8.8.8\n'), /sh or console/],
  ['an unknown need', block('sh', 'x\n', 'luck'), /needs=luck/],
  ['an administrator’s command', block('sh', 'sudo x\n'), /needs=root/],
  ['an administrator’s command that says so', block('sh', 'sudo x\n', 'root'), undefined],
  ['console without a prompt', block('console', 'wh ip 8.8.8.8\n'), /begins with `\$ `/],
] as const)
  test(`pages: fence: ${behaviour}`, () => {
    if (fault === undefined) assert.equal(faultOf(given), undefined);
    else assert.match(faultOf(given) ?? '', fault);
  });

/**
 * The words of each command of `wh` in a line, up to a comment, an explanation after two blanks, or
 * another command.
 */
function commandsIn(line: string): string[][] {
  const calls = line.matchAll(
    /(?:^|[|;&(] ?|(?:^| )(?:[A-Z_]+=\S+|npx|docker exec \S+|then|do) )(wh(?:ence)? (?=\S).*)/g,
  );
  return [...calls].map(([, call = '']) =>
    (call.split(/ {2,}| #| ?[|;&<>)]/)[0] ?? '').trim().split(' '),
  );
}

/** The command that the words begin with, and its help. */
async function findCommand(words: readonly string[]): Promise<{ path: string[]; help: string }> {
  let found = { path: [] as string[], help: await helpOf([]) };
  for (
    let length = 1;
    length <= words.length && /^[a-z][a-z-]*$/.test(words[length - 1] ?? '');
    length++
  ) {
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
