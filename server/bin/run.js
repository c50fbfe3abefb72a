// What only a supported Node can parse, see whence.js.
'use strict';
const { existsSync, statSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const bundled = join(__dirname, '../dist/bundle/bin.js');
const built = isCurrent(bundled) ? bundled : join(__dirname, '../dist/bin.js');
if (existsSync(built)) void import(pathToFileURL(built).href);
else {
  process.stderr.write('error: Whence is not built yet; run: npm run build\n');
  process.exitCode = 1;
}

/** Of a clone where a package was compiled after it (`tsc -b`), the bundle is out of date. */
function isCurrent(file) {
  const bundle = statSync(file, { throwIfNoEntry: false });
  const isOlder = (name) => {
    const compiled = statSync(join(__dirname, '../..', name, 'dist/.tsbuildinfo'), { throwIfNoEntry: false });
    return compiled === undefined || compiled.mtimeMs <= bundle.mtimeMs;
  };
  return bundle !== undefined && ['server', 'dataset', 'email', 'client'].every(isOlder);
}
