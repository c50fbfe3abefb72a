// What only a supported Node can parse, see whence.js.
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const built = join(__dirname, '../dist/bin.js');
if (existsSync(built)) void import(pathToFileURL(built).href);
else {
  process.stderr.write('error: Whence is not built yet; run: npm run build\n');
  process.exitCode = 1;
}
