/** Procedures of the documentation, which tests run as they are written. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresPrograms } from '@whence/testing/servers/postgres-server';
import { REPOSITORY } from '../packages/page-blocks.ts';
import { bin } from '../test-server.ts';

/** The blocks of a section, by their language. */
export function blocksUnder(page: string, heading: string, language: string): string[] {
  const text = readFileSync(join(REPOSITORY, page), 'utf8');
  const [, section = ''] = text.split(new RegExp(`\n#{2,3} ${heading}\n`));
  const [own = ''] = section.split(/\n#{2,3} /);
  return [...own.matchAll(/^```(\w+).*?\n(.*?)^```/gms)].flatMap(([, name, code = '']) =>
    name === language ? [code] : [],
  );
}

/** The commands of a section, a line each. */
export function procedure(page: string, heading: string): string[] {
  const commands = blocksUnder(page, heading, 'sh').join('').replaceAll('\\\n', ' ').split('\n');
  return commands.map((line) => line.replace(/\s+#.*/, '')).filter((line) => line.trim() !== '');
}

/** Runs commands one by one in a folder of their own, with `wh` and the programs of PostgreSQL. */
export class Shell {
  readonly folder = mkdtempSync(join(tmpdir(), 'whence-procedure-'));
  readonly #variables: Record<string, string>;

  constructor(variables: Record<string, string>) {
    this.#variables = variables;
    writeFileSync(
      join(this.folder, 'wh'),
      `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`,
      { mode: 0o755 },
    );
  }

  async run(command: string): Promise<string> {
    const PATH = `${this.folder}:${postgresPrograms()}:${process.env['PATH']}`;
    const env = { ...process.env, ...this.#variables, PATH };
    const { stdout } = await promisify(execFile)('sh', ['-ec', command], { env, cwd: this.folder });
    return stdout;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
