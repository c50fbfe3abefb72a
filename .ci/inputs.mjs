// Which files the program and the pages were built from, and whether these are as they were: by
// size and time of the last change, because reading a thousand files takes longer. Removed by npm
// ci, which may change them.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../node_modules/.cache/whence');
const fileOf = (name) => join(folder, `${name}.json`);

export function noteInputs(name, paths, startedMs) {
  // A file that changed meanwhile may have been read before.
  const stamps = paths.map((path) => [
    path,
    statSync(path).mtimeMs < startedMs ? stampOf(path) : '',
  ]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(name), JSON.stringify(Object.fromEntries(stamps)));
}

export function isUnchanged(name) {
  try {
    const stamps = Object.entries(JSON.parse(readFileSync(fileOf(name), 'utf8')));
    return stamps.every(([path, stamp]) => stampOf(path) === stamp);
  } catch {
    // Nothing was built yet, or one of the files is gone.
    return false;
  }
}

function stampOf(path) {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}
