/**
 * The pages of the repository: links between them lead to a file and a heading that exist
 * (addresses outside are not asked), and generated pages are up to date.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';

const root = join(import.meta.dirname, '../../../..');
const folders = [
  '.',
  'docs',
  'docs/decisions',
  'docs/guides',
  'deploy',
  'dataset',
  'email',
  'client',
  'server',
  'testing',
  'bench',
];
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
      if (heading !== undefined)
        assert.ok(headingsOf(target).includes(heading), `${link}: there is no such heading`);
    }
  });
}

test('links: every page of docs is linked from its start page, and that from the README', () => {
  const read = (path: string) =>
    linksOf(readFileSync(join(root, path), 'utf8')).map((link) => link.split('#')[0]);
  const linked = read('docs/README.md');
  for (const folder of ['', 'guides/'])
    for (const name of readdirSync(join(root, 'docs', folder)).filter((file) =>
      file.endsWith('.md'),
    ))
      assert.ok(linked.includes(folder + name) || name === 'README.md', folder + name);
  assert.ok(read('README.md').includes('docs/README.md'));
});

test('pages: those that are made of tables in the code do not differ from them', () => {
  const { status, stderr } = spawnSync(process.execPath, ['.ci/docs.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});

test('links: the README has at most 600 words and four pictures', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  assert.ok(readme.split(/\s+/).filter(Boolean).length <= 600);
  assert.equal([...readme.matchAll(/!\[/g)].length, 4);
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
