#!/usr/bin/env node
// Stands in the repository, so that npm can link it before there is a build.
import { existsSync } from 'node:fs';

const built = new URL('../dist/bin.js', import.meta.url);
if (existsSync(built)) await import(built.href);
else {
  process.stderr.write('error: Whence is not built yet; run: npm run build\n');
  process.exitCode = 1;
}
