// What only a supported Node can parse, see whence.js.
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const BUILDS = join(__dirname, '../build');
const BUNDLER = join(__dirname, '../../.ci/bundle.mjs');
void run();

async function run() {
  if (existsSync(BUNDLER) && !(await isBundled())) {
    process.exitCode = 3;
    return;
  }
  const id = readFileSync(join(BUILDS, 'current'), 'utf8');
  await import(pathToFileURL(join(BUILDS, id, 'bin.js')).href);
}

/**
 * In a clone: builds what has changed, in a process of its own, because a server would keep the
 * bundler's memory.
 */
async function isBundled() {
  const { isBundled } = await import(pathToFileURL(BUNDLER).href);
  return (
    isBundled() || spawnSync(process.execPath, [BUNDLER], { stdio: ['ignore', 2, 2] }).status === 0
  );
}
