/**
 * Links between the pages of the repository: the file is there, and so is the heading. Addresses outside are not asked.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';

const root = join(import.meta.dirname, '../../../..');
const folders = ['.', 'docs', 'docs/decisions', 'dataset', 'email', 'client', 'server', 'testing', 'bench'];
const pages = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, folder, name)),
);

for (const page of pages) {
  test(`links: ${relative(root, page)}`, () => {
    for (const link of linksOf(readFileSync(page, 'utf8'))) {
      const [path = '', heading] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(target), `${link} leads nowhere`);
      if (heading !== undefined) assert.ok(headingsOf(target).includes(heading), `${link}: there is no such heading`);
    }
  });
}

test('links: every page of docs is linked from the README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const name of readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md')))
    assert.ok(linksOf(readme).includes(`docs/${name}`), name);
});

function linksOf(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

/** As GitHub makes anchors of headings: lower case, blanks to hyphens, punctuation dropped. */
function headingsOf(page: string): string[] {
  const headings = [...withoutCode(readFileSync(page, 'utf8')).matchAll(/^#{1,6} (.*)$/gm)];
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '');
}
