// After npm ci and npm install: removes files of data packages that nothing reads. A package has its ranges twice, with
// addresses as text and as numbers; docs/decisions/0048 says why. Does nothing where they are gone or were never there.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../node_modules/@ip-location-db');
if (existsSync(packages))
  for (const path of readdirSync(packages, { recursive: true }))
    if (path.endsWith('-num.csv')) rmSync(join(packages, path));
