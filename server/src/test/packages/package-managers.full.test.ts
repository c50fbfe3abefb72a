/**
 * The packed program, installed by each package manager as the documentation says: npm with the
 * line that `npm run pack` prints, the others as docs/install.md says. Install scripts are not run.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { PackedPackages, runIn } from './packed.ts';

const packed = await PackedPackages.open();
const folder = mkdtempSync(join(tmpdir(), 'whence-managers-'));
after(() => {
  packed.remove();
  rmSync(folder, { recursive: true, force: true });
});
const NO_REGISTRY = packed.isInstalled
  ? false
  : 'the npm registry cannot be reached, so nothing is installed';

/** pnpm 11 needs Node 22. */
const MANAGERS = {
  npm9: 'npm@9',
  npm10: 'npm@10',
  npm11: 'npm@11',
  pnpm10: 'pnpm@10',
  pnpm12: 'pnpm@12',
  yarn1: 'yarn@1',
  yarn4: '@yarnpkg/cli-dist@4',
  bun: 'bun@1',
};
const tool = (path: string) => join(folder, 'tools/node_modules', path);
const place = (name: string) => {
  mkdirSync(join(folder, name), { recursive: true });
  return join(folder, name);
};

test('package managers: npm run pack shows its stages, and ends with the line that installs', () => {
  const lines = packed.packOutput.trim().split('\n');
  for (const stage of [
    'packing client',
    'compiling the dataset',
    'packing server with its dataset',
  ])
    assert.ok(lines.includes(stage), stage);
  const { version } = packed.manifest('server');
  assert.equal(
    lines.at(-1),
    `install the program with: npm install --global ${packed.tarballs}/whence-server-${version}.tgz`,
  );
});

test('package managers: installed', { skip: NO_REGISTRY }, async (t) => {
  const packages = Object.entries(MANAGERS).map(([name, version]) => `${name}@npm:${version}`);
  const quiet = ['--no-save', '--no-package-lock', '--prefer-offline', '--no-audit', '--no-fund'];
  await runIn(
    place('tools'),
    'npm',
    ['install', ...quiet, '--prefix', place('tools'), ...packages],
    {},
  );
  const environment = (name: string) => ({
    HOME: place(`${name}/home`),
    YARN_CACHE_FOLDER: place(`${name}/cache`),
  });
  const answers = async (wh: string, name: string) =>
    assert.match(
      await runIn(place('empty'), wh, ['8.8.8.8'], environment(name)),
      /AS15169 Google LLC/,
      name,
    );

  const install = packed.packOutput.trim().split(': ').at(-1) ?? '';
  for (const name of ['npm9', 'npm10', 'npm11'])
    await t.test(MANAGERS[name as 'npm9'], async () => {
      symlinkSync(tool(`${name}/bin/npm-cli.js`), join(place(`${name}/bin`), 'npm'));
      await runIn(place(name), 'sh', ['-c', install], {
        ...environment(name),
        PATH: `${join(folder, name, 'bin')}:${process.env['PATH']}`,
        npm_config_prefix: place(`${name}/prefix`),
        npm_config_ignore_scripts: 'true',
        npm_config_prefer_offline: 'true',
      });
      await answers(join(folder, name, 'prefix/bin/wh'), name);
    });

  const tarball = install.slice(install.lastIndexOf('/') + 1);
  const files = {
    'package.json': '{ "private": true }',
    '.yarnrc.yml': 'nodeLinker: node-modules\n',
    'yarn.lock': '',
  };
  for (const [name, program, ...args] of [
    ['pnpm10', process.execPath, tool('pnpm10/bin/pnpm.cjs'), 'add', '--ignore-scripts'],
    ['pnpm12', process.execPath, tool('pnpm12/bin/pnpm.mjs'), 'add', '--ignore-scripts'],
    ['bun', tool('.bin/bun'), 'add', '--ignore-scripts'],
    ['yarn1', process.execPath, tool('yarn1/bin/yarn.js'), 'add', '--ignore-scripts'],
    ['yarn4', process.execPath, tool('yarn4/bin/yarn.js'), 'add', '--mode=skip-build'],
  ] as const)
    await t.test(MANAGERS[name], async () => {
      for (const [file, text] of Object.entries(files))
        writeFileSync(join(place(`${name}/project`), file), text);
      cpSync(join(packed.tarballs, tarball), join(folder, name, 'project', tarball));
      await runIn(place(`${name}/project`), program, [...args, `./${tarball}`], environment(name));
      await answers(join(folder, name, 'project/node_modules/.bin/wh'), name);
    });
});
