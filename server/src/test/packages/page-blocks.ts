/**
 * The code blocks of the documentation. A fence has a language, and after it words with a meaning
 * of their own:
 *
 *   ```sh                     commands, run in order; each must exit with 0
 *   ```console                lines after `$ ` are run, and the lines below them are what they print; `…` is any text
 *   ```sh needs=docker,root   not run: words of NEEDS, which say what is missing where the tests run
 *   ```yaml file=rules.yaml   a file that the commands of the page read: it is written before they are run
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '../../../..');

/** Decisions describe the time when they were made, the changelog every version. */
const FOLDERS = [
  '.',
  'docs',
  'docs/guides',
  'deploy',
  'server',
  'dataset',
  'dataset/data',
  'email',
  'client',
];
const FOLDERS_FOR_CONTRIBUTORS = ['dashboard', 'testing', 'bench'];
export const pages = [...FOLDERS, ...FOLDERS_FOR_CONTRIBUTORS].flatMap((folder) =>
  readdirSync(join(REPOSITORY, folder))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => join(folder, name)),
);

export type Block = {
  readonly page: string;
  /** Line of the fence. */
  readonly line: number;
  /** All that follows the fence. */
  readonly info: string;
  readonly language: string;
  readonly needs: readonly string[];
  /** Where the block is written before the commands of the page are run. */
  readonly file: string | undefined;
  readonly code: string;
};

export function allBlocks(page: string): Block[] {
  const text = readFileSync(join(REPOSITORY, page), 'utf8');
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', info = '', code = '']) => {
      const [language = '', ...words] = info.split(' ');
      const option = (name: string) =>
        words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
      return {
        page,
        line: text.slice(0, text.indexOf(`\`\`\`${info}\n${code}`)).split('\n').length,
        info,
        language,
        needs: option('needs')?.split(',') ?? [],
        file: option('file'),
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      };
    },
  );
}

/** Those with exactly this text after their fence. */
export function blocksOf(page: string, info: string): string[] {
  return allBlocks(page)
    .filter((block) => block.info === info)
    .map(({ code }) => code);
}
