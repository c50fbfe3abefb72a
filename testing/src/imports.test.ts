/** `.ci/imports.mjs` in small repositories: what it refuses, with the sentence that it prints. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/** The folder `low` may import nothing, `high` the folder `low` and the package `b`. */
const LISTS = {
  a: { packages: ['@x/b', '@x/testing'], folders: { low: [], high: ['low', '@x/b'], 'high/part': ['high'] } },
  b: { packages: [], folders: { '.': [] } },
  testing: { packages: [], folders: { '.': [] } },
};
const FILES: Readonly<Record<string, string>> = {
  'a/package.json': '{ "name": "@x/a" }',
  'b/package.json':
    '{ "name": "@x/b", "exports": { ".": { "default": "./dist/b.js" }, "./internal/*": "./dist/*.js" } }',
  'testing/package.json': '{ "name": "@x/testing", "exports": { "./*": "./dist/*.js" } }',
  'a/src/low/one.ts': 'export const one = 1;',
  'a/src/high/two.ts': "import { one } from '../low/one.ts';\nimport { b } from '@x/b';",
  'b/src/b.ts': 'export const b = 1;',
  'testing/src/until.ts': '',
};

const dynamic = (path: string) => `import('${path}')`;

for (const [behaviour, files, message] of [
  ['what the lists allow', {}, ''],
  ['a file of the same folder', { 'a/src/low/two.ts': "import { one } from './one.ts';" }, ''],
  ['a folder and a folder inside it', { 'a/src/high/part/x.ts': "import { two } from '../two.ts';" }, ''],
  [
    'a comment',
    { 'a/src/low/two.ts': `// See ${dynamic('../high/two.ts')}.\n/**\n * ${dynamic('../high/two.ts')}\n */` },
    '',
  ],
  ['a test that imports upwards', { 'a/src/low/one.test.ts': "import { two } from '../high/two.ts';" }, ''],
  ['support of tests', { 'a/src/test/x.ts': "import { until } from '@x/testing/until';" }, ''],
  [
    'an import that is not in the list',
    { 'a/src/low/two.ts': "import {\n  two,\n} from '../high/two.ts';" },
    'a/src/low/two.ts imports ../high/two.ts, which a/src/low may not',
  ],
  [
    'the same for a type',
    { 'a/src/low/two.ts': "import type { Two } from '../high/two.ts';" },
    'a/src/low/two.ts imports ../high/two.ts, which a/src/low may not',
  ],
  [
    'the same for import()',
    { 'a/src/low/two.ts': `const two = () => ${dynamic('../high/two.ts')};` },
    'a/src/low/two.ts imports ../high/two.ts, which a/src/low may not',
  ],
  [
    'the same for an export',
    { 'a/src/low/two.ts': "export { two } from '../high/two.ts';" },
    'a/src/low/two.ts imports ../high/two.ts, which a/src/low may not',
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
  ['a folder without a list', { 'a/src/new/x.ts': '' }, 'a/src/new has no list in imports.json'],
  [
    'files that import each other',
    { 'a/src/low/one.ts': "import { t } from './two.ts';", 'a/src/low/two.ts': "import { one } from './one.ts';" },
    'a/src/low/one.ts → a/src/low/two.ts → a/src/low/one.ts: a cycle',
  ],
  [
    'a cycle of types, over a package',
    {
      'a/src/high/two.ts': "import type { C } from '@x/b/internal/c';",
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
      for (const [path, text] of Object.entries({ 'imports.json': JSON.stringify(LISTS), ...FILES, ...files })) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      const { status, stderr } = spawnSync(process.execPath, [join(ROOT, '.ci/imports.mjs'), root], {
        encoding: 'utf8',
      });
      assert.equal(stderr.split('\n')[0], message);
      assert.equal(status, message === '' ? 0 : 1);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
}
