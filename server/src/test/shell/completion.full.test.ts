/** `wh completion`: its scripts, in the shells that read them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { findProgram } from '@whence/testing/programs';
import type { Shell } from '../../command-line/completion-scripts.ts';
import { runCommand } from '../run-command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const satisfies readonly Shell[];

const folder = mkdtempSync(join(tmpdir(), 'whence-completion-'));
const script = (shell: Shell) => join(folder, `wh.${shell}`);
before(async () => {
  for (const shell of SHELLS) {
    const { code, stdout } = await runCommand(['completion', shell], {});
    assert.equal(code, 0);
    writeFileSync(script(shell), stdout);
  }
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(folder, 'files', 'access.log'), '');
});
after(() => rmSync(folder, { recursive: true }));

/** As readline calls the function. A shell without a terminal does not fall back to file names. */
const BASH = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wh_completion; declare -p COMPREPLY`;

/**
 * Types the line and a tab into an interactive zsh, and prints what is on its screen and in its
 * line then.
 */
const ZSH = String.raw`zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PROMPT=""; autoload -Uz compinit; compinit -D -u; source "'$1'"
show() { print -r -- "<$BUFFER>" }; zle -N show; bindkey "^X" show; print REA""DY'
zpty -r z out '*READY*'
zpty -w -n z "$2"$'\t\x18'
zpty -r z out '*<wh *>*'
print -r -- "$out"`;

/** The words that complete the last one of the line. */
const completions: Record<Shell, (line: string) => string[]> = {
  bash: (line) => {
    const text = shell('bash', ['-c', BASH, 'bash', script('bash'), ...line.split(' ')]);
    return [...text.matchAll(/\[\d+\]="([^"]*)"/g)].map(([, word = '']) => word);
  },
  fish: (line) => {
    const text = shell('fish', [
      '--no-config',
      '-c',
      'source $argv[1]; complete -C $argv[2]',
      script('fish'),
      line,
    ]);
    return text.split('\n').flatMap((row) => row.split('\t')[0] || []);
  },
  zsh: (line) => {
    const text = stripVTControlCharacters(
      shell('zsh', ['-f', '-c', ZSH, 'zsh', script('zsh'), line]),
    );
    const completed = /<(wh [^>]*)>/.exec(text)?.[1] ?? '';
    // With several, the line stays as it is and they are listed.
    if (completed !== line) return completed.trimEnd().split(' ').slice(-1);
    return text.split(/\s+/);
  },
};

function shell(program: string, argv: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(program, argv, {
    cwd: join(folder, 'files'),
    encoding: 'utf8',
    timeout: 180_000,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'xterm' },
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

const DATASET = ['build', 'update', 'feeds', 'list', 'verify', 'use', 'publish', 'pull'];

for (const name of SHELLS) {
  const skip = findProgram(name) === undefined && `${name} is not here; apt-get install ${name}`;
  for (const [behaviour, line, want] of [
    ['a command', 'wh summ', ['summarize']],
    ['a subcommand', 'wh key ro', ['rotate']],
    ['an option of a subcommand', 'wh key create --ti', ['--tier']],
    ['the value of an option', 'wh key create --tier st', ['starter']],
    ['the value of an argument', 'wh completion z', ['zsh']],
    ['an option after an argument', 'wh ip 8.8.8.8 --expl', ['--explain']],
  ] as const)
    test(`completion: ${name}: ${behaviour}`, { skip }, () => {
      assert.deepEqual(completions[name](line), want);
    });

  test(`completion: ${name}: every subcommand is offered`, { skip }, () => {
    const offered = completions[name]('wh dataset ');
    for (const subcommand of DATASET)
      assert.ok(offered.includes(subcommand), `${subcommand} in ${offered}`);
  });
}

test('completion: fish offers files only where a command takes them', {
  skip: findProgram('fish') === undefined && 'fish is not here; apt-get install fish',
}, () => {
  for (const [line, hasFiles] of [
    ['wh ', false],
    ['wh key show ', false],
    ['wh key create --tier ', false],
    ['wh enrich ', true],
    ['wh asn ', true],
    ['wh enrich --output ', true],
  ] as const)
    assert.equal(completions.fish(line).includes('access.log'), hasFiles, line);
});

test('completion: another shell is refused with those that there are', async () => {
  const { code, stderr } = await runCommand(['completion', 'tcsh'], {});
  assert.equal(code, 2);
  assert.match(
    stderr,
    /Allowed choices are bash, zsh, fish\.\n\(run npx wh completion --help for usage\)\n$/,
  );
});
