/** `.ci/imports.mjs` in small repositories: what it refuses, with the sentence that it prints. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The folder `low` may import nothing, `high` the folder `low` and the public modules of the
 * package `b`.
 */
const LISTS = {
  a: {
    packages: ['@x/b', '@x/testing'],
    folders: { low: [], high: ['low', '@x/b'], 'high/part': ['high'] },
  },
  b: { packages: [], folders: { '.': [] } },
  testing: { packages: [], folders: { '.': [] } },
};
const FILES: Readonly<Record<string, string>> = {
  'a/package.json': '{ "name": "@x/a" }',
  'b/package.json':
    '{ "name": "@x/b", "exports": { ".": { "default": "./dist/b.js" }, "./c": "./dist/c.js" } }',
  'testing/package.json': '{ "name": "@x/testing", "exports": { "./*": "./dist/*.js" } }',
  'a/src/low/one.ts': 'export const one = 1;',
  'a/src/high/two.ts': "import { one } from '../low/one.ts';\nimport { b } from '@x/b';",
  'b/src/b.ts': 'export const b = 1;',
  'testing/src/until.ts': '',
};

const dynamic = (path: string) => `import('${path}')`;

/** Each way to write an import of `../high/two.ts`, which the folder `low` may not. */
const WAYS: readonly (readonly [way: string, text: string])[] = [
  ['import', "import {\n  two,\n} from '../high/two.ts';"],
  ['an import without names', "import '../high/two.ts';"],
  ['import type', "import type { Two } from '../high/two.ts';"],
  ['import x = require()', "import two = require('../high/two.ts');"],
  ['require()', "const two = require('../high/two.ts');"],
  ['export … from', "export { two } from '../high/two.ts';"],
  ['export type … from', "export type { Two } from '../high/two.ts';"],
  ['export *', "export * from '../high/two.ts';"],
  ['import()', `const two = () => ${dynamic('../high/two.ts')};`],
  [
    'the last of three import() on a line',
    `const all = [${dynamic('./one.ts')}, ${dynamic('./one.ts')}, ${dynamic('../high/two.ts')}];`,
  ],
  ['import() of a template', 'const two = import(`../high/two.ts`);'],
  ['import() after a comment in its line', `/* see */ const two = ${dynamic('../high/two.ts')};`],
  ['typeof import()', `let two: typeof ${dynamic('../high/two.ts')};`],
  ['a type of import()', `let two: ${dynamic('../high/two.ts')}.Two;`],
];
const WRITTEN = WAYS.map(
  ([way, text]) =>
    [
      `${way}, against the list,`,
      { 'a/src/low/two.ts': text },
      'a/src/low/two.ts imports ../high/two.ts, which a/src/low may not',
    ] as const,
);

for (const [behaviour, files, message] of [
  ['what the lists allow', {}, ''],
  ['a file of the same folder', { 'a/src/low/two.ts': "import { one } from './one.ts';" }, ''],
  [
    'a folder and a folder inside it',
    { 'a/src/high/part/x.ts': "import { two } from '../two.ts';" },
    '',
  ],
  [
    'a comment',
    {
      'a/src/low/two.ts': `// See ${dynamic('../high/two.ts')}.\n/**\n * ${dynamic('../high/two.ts')}\n */`,
    },
    '',
  ],
  [
    'a test that imports upwards',
    { 'a/src/low/one.test.ts': "import { two } from '../high/two.ts';" },
    '',
  ],
  ['support of tests', { 'a/src/test/x.ts': "import { until } from '@x/testing/until';" }, ''],
  ...WRITTEN,
  [
    'a path with the suffix .js',
    { 'a/src/low/two.ts': "import { two } from '../high/two.js';" },
    'a/src/low/two.ts imports ../high/two.js, which is not the name of a source file',
  ],
  [
    'the compiled file of a package',
    { 'a/src/high/three.ts': "import { b } from '../../../b/dist/b.js';" },
    'a/src/high/three.ts imports ../../../b/dist/b.js, which is not the name of a source file',
  ],
  [
    'a computed path',
    { 'a/src/low/two.ts': "const two = (name: string) => import('../high/' + name);" },
    'a/src/low/two.ts imports ../high/, which is not the name of a source file',
  ],
  ['an entry point', { 'a/src/main.ts': "import { two } from './high/two.ts';" }, ''],
  [
    'an import of an entry point',
    {
      'a/src/main.ts': "import { one } from './low/one.ts';",
      'a/src/high/three.ts': "import { main } from '../main.ts';",
    },
    'a/src/high/three.ts imports ../main.ts, which a/src/high may not',
  ],
  [
    'a package that is not in the list',
    { 'a/src/low/two.ts': "import { b } from '@x/b';" },
    'a/src/low/two.ts imports @x/b, which a/src/low may not',
  ],
  [
    'a package by its path',
    { 'a/src/high/three.ts': "import { b } from '../../../b/src/b.ts';" },
    'a/src/high/three.ts imports ../../../b/src/b.ts, which a/src/high may not',
  ],
  [
    'a package that tests may not import',
    { 'b/src/b.test.ts': "import { a } from '@x/testing/until';" },
    'b/src/b.test.ts imports @x/testing/until, which its package may not',
  ],
  [
    'a module that a package does not export',
    { 'a/src/high/three.ts': "import { b } from '@x/b/hidden';" },
    'a/src/high/three.ts imports @x/b/hidden, which @x/b does not export',
  ],
  [
    'a list for a single file',
    {
      'imports.json': JSON.stringify({
        ...LISTS,
        b: { packages: [], folders: { '.': [], 'b.ts': [] } },
      }),
    },
    'imports.json: b, b.ts names the file b.ts, not a folder',
  ],
  ['a folder without a list', { 'a/src/new/x.ts': '' }, 'a/src/new has no list in imports.json'],
  [
    'files that import each other',
    {
      'a/src/low/one.ts': "import { t } from './two.ts';",
      'a/src/low/two.ts': "import { one } from './one.ts';",
    },
    'a/src/low/one.ts → a/src/low/two.ts → a/src/low/one.ts: a cycle',
  ],
  [
    'a cycle of types, over a package',
    {
      'a/src/high/two.ts': "import type { C } from '@x/b/c';",
      'b/src/c.ts': "import type { D } from './d.ts';",
      'b/src/d.ts': `type D = ${dynamic('./c.ts')}.C;`,
    },
    'b/src/c.ts → b/src/d.ts → b/src/c.ts: a cycle',
  ],
  [
    'a list that allows an import upwards',
    {
      'imports.json': JSON.stringify({
        ...LISTS,
        a: { ...LISTS.a, folders: { low: ['high'], high: ['low', '@x/b'] } },
      }),
    },
    'imports.json: a, low lists high, which is below it',
  ],
] as const) {
  test(`imports: ${behaviour} ${message === '' ? 'is accepted' : 'is refused'}`, () => {
    const root = mkdtempSync(join(tmpdir(), 'whence-imports-'));
    try {
      for (const [path, text] of Object.entries({
        'imports.json': JSON.stringify(LISTS),
        ...FILES,
        ...files,
      })) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(ROOT, '.ci/imports.mjs'), root],
        {
          encoding: 'utf8',
        },
      );
      assert.equal(stderr.split('\n')[0], message);
      assert.equal(status, message === '' ? 0 : 1);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
}
