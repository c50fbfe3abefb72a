// Ends the process with one sentence if node_modules is not what package-lock.json says: before the
// first npm ci, and after a git pull that changed a version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

export function requirePackages() {
  const installed = packagesOf('node_modules/.package-lock.json');
  const wrong = Object.entries(packagesOf('package-lock.json')).find(
    ([path, { version, link, optional }]) =>
      /(?:^|\/)node_modules\//.test(path) &&
      !link &&
      // Those of other systems.
      !optional &&
      installed[path]?.version !== version,
  );
  if (wrong === undefined) return;
  const [path, { version }] = wrong;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  process.stderr.write(`error: the package ${name} ${version} is not installed; run: npm ci\n`);
  process.exit(3);
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  } catch {
    return {};
  }
}
