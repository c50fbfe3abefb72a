/** Every `wh` command in the documentation, in a code block or in the text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './page-blocks.ts';

/** Decisions describe the time when they were made, the changelog every version. */
const FOLDERS = ['.', 'docs', 'docs/guides', 'deploy', 'server', 'dataset', 'email', 'client', 'testing', 'bench'];
export const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(REPOSITORY, folder))
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => join(folder, name)),
);

export type Documented = { readonly page: string; readonly text: string; readonly words: readonly string[] };

export const documented = pages.flatMap((page) => commandsIn(page));

/** In code blocks: lines that begin with the command, after a prompt or settings. In the text: code that does. */
function commandsIn(page: string): Documented[] {
  return codeIn(page).flatMap((line) => {
    const [, command] =
      /^(?:\$ |.* \| )?(?:[A-Z_]+=\S+ )*(?:docker exec \S+ )?((?:npx )?wh(?:ence)? (?=[a-z-]).*)$/.exec(line) ?? [];
    if (command === undefined) return [];
    // The rest of a line is a comment, an explanation after two blanks, or another command.
    const [own = ''] = command.split(/ {2,}| #| \||\s*[;&<>]/);
    return [
      {
        page,
        text: own,
        words: own
          .replace(/^(npx )?wh(ence)? /, '')
          .trim()
          .split(' '),
      },
    ];
  });
}

/** Lines of code blocks, and code in the text. */
export function codeIn(page: string): string[] {
  const text = readFileSync(join(REPOSITORY, page), 'utf8');
  const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```$/gm)].flatMap(([, code = '']) => code.split('\n'));
  const spans = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...spans];
}
